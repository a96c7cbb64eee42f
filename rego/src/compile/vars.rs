//! Sets of variables (`v1/ast/varset.go`), and which variables a tree mentions (`v1/ast/visit.go`, `VarVisitor`).

mod collect;
mod globals;
mod named;

use std::collections::hash_map;

use foldhash::HashMap;

use crate::syntax::span::Span;
use crate::syntax::tree::{Expr, Term, Var, With};
use crate::syntax::visit::Node;

pub(super) use globals::Globals;
pub(super) use named::{named, named_in_body};

/// The document that the caller gives.
pub(super) const INPUT: Var = arcstr::literal!("input");
/// The document of all else.
pub(super) const DATA: Var = arcstr::literal!("data");

/// Variables, each with a place where it stands.
#[derive(Clone, Debug, Default)]
pub struct VarSet(HashMap<Var, Span>);

/// Adds what it wants of a closure.
pub type Closures<'a> = dyn Fn(&mut VarSet, &Expr) + 'a;

/// What a collection of variables leaves out.
#[derive(Clone, Copy, Default)]
pub struct Params<'a> {
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
    /// Instead of going into `not {}`, `and` and `or`: adds what it wants of them.
    pub closures: Option<&'a Closures<'a>>,
}

/// What the check of safety leaves out (`SafetyCheckVisitorParams`).
pub(super) const SAFETY: Params<'static> = Params { skip_ref_call_head: true, skip_closures: true, ..Params::ALL };

impl Params<'_> {
    /// Nothing is left out.
    pub const ALL: Params<'static> = Params {
        skip_ref_head: false,
        skip_ref_call_head: false,
        skip_object_keys: false,
        skip_closures: false,
        skip_with_target: false,
        skip_sets: false,
        skip_template_strings: false,
        closures: None,
    };
}

impl VarSet {
    /// `data` and `input`.
    pub fn reserved() -> Self {
        [DATA, INPUT].into_iter().collect()
    }

    /// Adds one; a later place replaces an earlier one.
    pub fn insert(&mut self, var: Var, span: Span) {
        self.0.insert(var, span);
    }

    /// Whether it is in it.
    pub fn contains(&self, var: &Var) -> bool {
        self.0.contains_key(var)
    }

    /// Takes one out.
    pub fn remove(&mut self, var: &Var) {
        self.0.remove(var);
    }

    /// Where it stands.
    pub fn span(&self, var: &Var) -> Option<Span> {
        self.0.get(var).copied()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds all of another one; its places count for those that are new.
    pub fn extend(&mut self, other: &Self) {
        for (var, span) in &other.0 {
            self.0.entry(var.clone()).or_insert(*span);
        }
    }

    /// Each, in no order.
    pub fn iter(&self) -> hash_map::Keys<'_, Var, Span> {
        self.0.keys()
    }

    /// Each, in order.
    pub fn sorted(&self) -> Vec<Var> {
        let mut sorted: Vec<Var> = self.0.keys().cloned().collect();
        sorted.sort_unstable();
        sorted
    }

    /// Takes out those that are not wanted.
    pub fn retain(&mut self, wanted: impl Fn(&Var) -> bool) {
        self.0.retain(|var, _| wanted(var));
    }

    /// Those that are not in another one.
    pub fn diff(&self, other: &Self) -> Self {
        let missing = self.0.iter().filter(|(var, _)| !other.contains(var));
        Self(missing.map(|(var, span)| (var.clone(), *span)).collect())
    }

    /// Adds the variables of a term.
    pub fn add_term(&mut self, term: &Term, params: Params<'_>) {
        collect::node(self, Node::Term(term), params);
    }

    /// Adds the variables of terms.
    pub fn add_terms<'t>(&mut self, terms: impl IntoIterator<Item = &'t Term>, params: Params<'_>) {
        terms.into_iter().for_each(|term| self.add_term(term, params));
    }

    /// Adds the variables of an operator and its operands.
    pub fn add_call(&mut self, parts: &[Term], params: Params<'_>) {
        collect::call(self, parts, params);
    }

    /// Adds the variables of an expression.
    pub fn add_expr(&mut self, expr: &Expr, params: Params<'_>) {
        collect::node(self, Node::Expr(expr), params);
    }

    /// Adds the variables of a body.
    pub fn add_body(&mut self, body: &[Expr], params: Params<'_>) {
        body.iter().for_each(|expr| self.add_expr(expr, params));
    }

    /// Adds the variables of a `with`.
    pub fn add_with(&mut self, with: &With, params: Params<'_>) {
        collect::node(self, Node::With(with), params);
    }
}

impl FromIterator<Var> for VarSet {
    fn from_iter<I: IntoIterator<Item = Var>>(vars: I) -> Self {
        Self(vars.into_iter().map(|var| (var, Span::default())).collect())
    }
}

/// Whether the compiler made it.
pub(super) fn is_generated(var: &Var) -> bool {
    var.starts_with("__local")
}

/// Whether it was written as `_`.
pub(super) fn is_wildcard(var: &Var) -> bool {
    var.starts_with('$')
}

/// A variable as messages show it.
pub(super) fn shown(var: &Var) -> &str {
    if is_wildcard(var) { "_" } else { var }
}

/// `input` or `data`, if a reference is just that (`RootDocumentRefs`).
pub(super) fn is_root_document(term: &Term) -> Option<&Var> {
    match term.as_ref_parts()? {
        [only] => only.as_var().filter(|name| is_reserved(name)),
        _ => None,
    }
}

/// Whether a variable is `input` or `data`.
pub(super) fn is_reserved(name: &Var) -> bool {
    *name == INPUT || *name == DATA
}
