//! Which variables an expression binds (`v1/ast/compile.go`, `outputVarsForBody`; `v1/ast/unify.go`).

use super::super::{Arity, VarSet};
use crate::syntax::tree::Expr;

/// What a body binds when these are bound already; without them.
pub(in super::super) fn of_body(_body: &[Expr], _arity: Arity<'_>, _safe: &VarSet) -> VarSet {
    VarSet::default()
}

/// What an equality binds (`outputVarsForExprEq`).
pub(in super::super) fn of_equality(_expr: &Expr, _safe: &VarSet) -> VarSet {
    VarSet::default()
}
