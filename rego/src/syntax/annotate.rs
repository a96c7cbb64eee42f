//! METADATA blocks to annotations (`v1/ast/parser.go`, `parseAnnotations`; `v1/ast/annotations.go`).

mod attach;
mod block;
mod convert;
mod error;
mod fields;
mod yaml;

pub(super) use attach::attached;
pub(super) use block::{Block, blocks};
