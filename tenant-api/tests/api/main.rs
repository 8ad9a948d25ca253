//! The API from outside: the real router behind a real socket, on a real PostgreSQL, with the bus of the embedded default
//! and a runtime that says what the test wants. Laid out like the URLs.

mod chatbot_config;
mod documents;
mod hosts;
mod leads;
mod limits;
mod messages;
mod openapi;
mod platform;
mod starting;
mod stop;
mod support;
mod thread;
mod threads;
mod tokens;
