//! The tenant API: what shoppers' widgets talk to, and the only writer of PostgreSQL.
//!
//! Two halves in one program. The *engine* ([`store`], [`turns`], [`outbox`], [`recorder`], [`sweeper`]) accepts messages,
//! dispatches turns and stores answers. The *HTTP side* ([`app`], [`hub`], [`documents`] and the routes) serves the widget,
//! its API and the streams of answers. [`run`] puts both together, in this program or inside another.

pub mod app;
pub mod arguments;
pub mod documents;
mod extract;
mod fields;
pub mod hosts;
pub mod hub;
mod json;
pub mod limits;
mod metrics;
pub mod openapi;
pub mod outbox;
pub mod problem;
pub mod recorder;
mod routes;
pub mod run;
mod shopper;
pub mod store;
pub mod sweeper;
pub mod tokens;
pub mod turns;
mod wire;
