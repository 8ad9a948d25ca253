//! A PostgreSQL server of our own: found on this machine, started in a folder, stopped with us.
//!
//! [`Server::start`] takes one folder and leaves a server that answers on 127.0.0.1. Whatever a killed predecessor left
//! there is stopped first. The server ends when this process ends, however it ends.

mod error;
mod folder;
mod installation;
pub mod keeper;
mod leftovers;
mod ready;
mod server;
mod unix_user;

pub use error::Error;
pub use installation::Installation;
pub use server::{Server, Settings};
