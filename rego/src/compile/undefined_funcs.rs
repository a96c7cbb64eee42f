//! Calls of what does not exist, or with a wrong number of operands.

use std::collections::HashMap;

use super::Compiler;
use crate::error::Error;
use crate::syntax::tree::{Expr, Var};

/// The stage `CheckUndefinedFuncs`.
pub(super) fn check_undefined_funcs(_: &mut Compiler) {}

/// The same for a query; `rewritten` holds the query's own variables.
pub(super) fn of_query(_: &Compiler, _rewritten: &HashMap<Var, Var>, _: &[Expr]) -> Vec<Error> {
    Vec::new()
}
