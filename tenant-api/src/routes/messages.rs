//! What is said in a conversation.

pub mod list;
pub mod send;
