//! The HTTP edge.

pub mod discovery;
pub mod openapi;
