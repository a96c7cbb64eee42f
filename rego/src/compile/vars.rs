//! Sets of variables, and which variables a tree mentions (`v1/ast/varset.go`; `v1/ast/visit.go`, `VarVisitor`).

use std::collections::{HashMap, HashSet};

use crate::syntax::span::Span;
use crate::syntax::tree::{Expr, Rule, Term, Var};

/// Variables, each with a place where it stands.
#[derive(Clone, Debug, Default)]
pub struct VarSet(HashMap<Var, Span>);

/// What a collection of variables leaves out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Params {
    /// The first part of references.
    pub skip_ref_head: bool,
    /// The first part of operators, and of the targets and values of `with`.
    pub skip_ref_call_head: bool,
    /// Keys of objects.
    pub skip_object_keys: bool,
    /// Comprehensions, templates, `not {}`, `and`, `or`, and the bodies of `every`.
    pub skip_closures: bool,
    /// Targets of `with`.
    pub skip_with_target: bool,
    /// Sets.
    pub skip_sets: bool,
    /// Templates.
    pub skip_template_strings: bool,
}

/// Variables in rules whose names begin so.
pub(super) fn named(_rules: &[Rule], _prefix: &str) -> HashSet<Var> {
    HashSet::new()
}

/// Variables in a body whose names begin so.
pub(super) fn named_in_body(_body: &[Expr], _prefix: &str) -> HashSet<Var> {
    HashSet::new()
}

impl VarSet {
    /// Adds the variables of a term.
    pub fn add_term(&mut self, _term: &Term, _params: Params) {}
}
