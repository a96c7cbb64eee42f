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
use crate::builtins;
use crate::error::Error;
use crate::syntax::tree::{Expr, Kind, Term, Var};

/// Types of builtins, rules and the input (`v1/ast/env.go`).
#[derive(Debug, Default)]
pub struct TypeEnv {}

/// Whether a builtin may answer a scalar, as far as its declaration says (`builtinMayReturn`).
pub(super) fn builtin_may_return(name: &str, value: &Term) -> bool {
    let Some(result) = builtins::find(name).and_then(|builtin| builtin.result.as_ref()) else { return true };
    let of = match &value.kind {
        Kind::Null => lattice::Type::Null,
        Kind::Bool(_) => lattice::Type::Boolean,
        Kind::Number(_) => lattice::Type::Number,
        Kind::String(_) => lattice::Type::String,
        _ => return true,
    };
    select::contains(Some(&declared::of(result)), &of)
}

/// The stage `CheckTypes`.
pub(super) fn check_types(_: &mut Compiler) {}

/// The same for a query; `rewritten` and `subjects` are the query's own.
pub(super) fn of_query(_: &Compiler, _rewritten: &HashMap<Var, Var>, _subjects: &HashMap<Var, Kind>, _: &[Expr]) -> Vec<Error> {
    Vec::new()
}
