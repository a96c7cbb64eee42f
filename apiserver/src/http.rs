//! The HTTP edge.

pub mod discovery;
