//! Parts of an address, with a problem instead of the framework's own text when they cannot be read.

use axum::extract::FromRequestParts;
use axum::extract::rejection::{PathRejection, QueryRejection};

use crate::problem::{Code, Problem};

/// What stands in the path.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(Problem))]
pub struct Path<T>(pub T);

/// What stands behind the question mark.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Problem))]
pub struct Query<T>(pub T);

impl From<PathRejection> for Problem {
    fn from(_: PathRejection) -> Self {
        Self::new(Code::NotFound, "there is nothing at this address")
    }
}

impl From<QueryRejection> for Problem {
    fn from(_: QueryRejection) -> Self {
        Self::new(Code::Malformed, "the query cannot be read: each field once, percent-encoded UTF-8")
    }
}
