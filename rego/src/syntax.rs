//! Text to tree, in linear time.

pub mod source;
pub mod span;
pub mod tree;
