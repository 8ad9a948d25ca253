//! The product from outside: its programs as they are shipped, and shoppers who know nothing but HTTP.

mod demo;
mod reading;
mod shopper;
mod site;
mod stack;
mod tally;

pub use demo::Demo;
pub use shopper::{Answer, Shopper};
pub use site::{Site, Source};
pub use stack::{Settings, Stack, Victim};
pub use tally::{Figures, Tally};
