//! The system from outside: killed, cut off, stopped, lied to, and asked questions.

mod answers;
mod hostile;
mod kills;
mod outages;
mod sharing;
mod stopping;
mod support;
