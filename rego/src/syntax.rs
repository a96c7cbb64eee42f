//! Text to tree, in linear time.

mod annotate;
mod ground;
pub mod json;
mod lexer;
pub mod order;
pub mod parse;
pub mod print;
mod relocate;
pub(crate) mod report;
pub mod source;
pub mod span;
pub mod stack;
pub mod steps;
mod token;
pub mod tree;
pub mod visit;

pub use ground::is_ground;
pub use token::is_keyword;
