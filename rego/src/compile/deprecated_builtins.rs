//! Builtins that are given up.

use super::Compiler;
use crate::error::Error;
use crate::syntax::tree::Expr;

/// The stage `CheckDeprecatedBuiltins`.
pub(super) fn check_deprecated_builtins(_: &mut Compiler) {}

/// The same for a query, in strict mode.
pub(super) fn of_query(_: &Compiler, _: &[Expr]) -> Vec<Error> {
    Vec::new()
}
