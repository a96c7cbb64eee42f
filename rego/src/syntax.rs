//! Text to tree, in linear time.

pub mod compare;
pub mod source;
pub mod span;
pub mod text;
pub mod tree;
pub mod visit;
