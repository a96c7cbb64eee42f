//! Text to tree, in linear time.

pub mod compare;
pub mod source;
pub mod span;
pub mod tree;
pub mod visit;
