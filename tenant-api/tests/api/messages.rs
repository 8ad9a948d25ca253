//! `/api/messages`

mod list;
mod send;
