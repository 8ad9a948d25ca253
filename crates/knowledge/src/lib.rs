//! What a merchant's chatbots know: frequently asked questions, documents and products, kept in PostgreSQL as passages
//! and found again in nine languages.
//!
//! [`read_folder`] turns a knowledge folder into a [`KnowledgeImport`]; [`import`] brings a merchant's rows in line with
//! one; [`retrieve`] finds the passages for a question and says whether they answer it. The analysis of text is a pure
//! function ([`text`]), the same for passages and questions.

pub mod chunk;
pub mod folder;
pub mod import;
pub mod item;
pub mod quote;
pub mod retrieve;
pub mod text;

pub use folder::{FolderError, read_folder};
pub use import::{ImportError, ImportReport, import};
pub use item::{ItemError, KnowledgeImport, KnowledgeItem};
pub use quote::best_sentences;
pub use retrieve::{Hit, Retrieval, Verdict, retrieve};
