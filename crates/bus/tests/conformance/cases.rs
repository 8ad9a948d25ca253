//! The promises of every bus.

pub(crate) mod crash;
pub(crate) mod order;
pub(crate) mod publishing;
pub(crate) mod tailing;
pub(crate) mod trouble;
