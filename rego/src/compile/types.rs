//! Types that cannot match (`v1/ast/check.go`).

mod compatible;
mod declared;
mod declared_names;
mod elide;
mod join;
mod lattice;
mod print;
mod recursive;
mod release;
mod select;

use std::collections::HashMap;

use super::Compiler;
use crate::error::Error;
use crate::syntax::tree::{Expr, Kind, Var};

/// Types of builtins, rules and the input (`v1/ast/env.go`).
#[derive(Debug, Default)]
pub struct TypeEnv {}

/// The stage `CheckTypes`.
pub(super) fn check_types(_: &mut Compiler) {}

/// The same for a query; `rewritten` and `subjects` are the query's own.
pub(super) fn of_query(_: &Compiler, _rewritten: &HashMap<Var, Var>, _subjects: &HashMap<Var, Kind>, _: &[Expr]) -> Vec<Error> {
    Vec::new()
}
