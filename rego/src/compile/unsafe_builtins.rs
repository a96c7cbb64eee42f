//! Builtins that are refused.

use super::Compiler;
use crate::error::Error;
use crate::syntax::tree::Expr;

/// The stage `CheckUnsafeBuiltins`.
pub(super) fn check_unsafe_builtins(_: &mut Compiler) {}

/// The same for a query.
pub(super) fn of_query(_: &Compiler, _: &[Expr]) -> Vec<Error> {
    Vec::new()
}
