//! What expressions require (opa `v1/ast/index.go`, `Update`).

use std::borrow::Cow;

use foldhash::HashMap;

use super::constraint::{Alternatives, Constraint, Indices, Wanted};
use super::references::References;
use super::resolve::{parts, variable};
use super::{IsVirtual, skip};
use crate::compile::arity::with_name;
use crate::compile::terms::is_scalar;
use crate::syntax::span::Span;
use crate::syntax::tree::{Expr, ExprKind, Kind, Logical, Rule, Term, Var};

/// Variables that stand for constants.
pub(super) type Constants<'t> = HashMap<Var, &'t Term>;

/// An operand, with constants in place of variables in references.
pub(super) type Operand<'t> = Cow<'t, Term>;

/// Reads definitions.
pub(super) struct Collector<'c> {
    pub(super) references: &'c mut References,
    pub(super) is_virtual: IsVirtual<'c>,
    /// The operands of the definition.
    pub(super) args: &'c [Term],
    /// The number of its module.
    pub(super) module: usize,
}

impl Collector<'_> {
    /// What a definition requires.
    pub(super) fn rule(mut self, rule: &Rule) -> Indices<'static> {
        let mut indices = Indices::default();
        if !skip::skips(&rule.body) {
            let mut constants = Constants::default();
            for expr in &rule.body {
                self.expr(&mut indices, expr, &mut constants);
            }
        }
        indices
    }

    fn expr<'t>(&mut self, indices: &mut Indices<'_>, expr: &'t Expr, constants: &mut Constants<'t>) {
        if expr.negated || !expr.with.is_empty() {
            return;
        }
        match &expr.kind {
            ExprKind::Term(Term { kind: Kind::Call(parts), .. }) | ExprKind::Call(parts) => self.call(indices, parts, constants),
            ExprKind::Term(term) => {
                let term = plugged(term, constants);
                if parts(&term).is_some() && !self.collection_key(indices, &term) {
                    self.equal(indices, (&term, &Cow::Owned(any(term.span))), &mut Constants::default());
                }
            }
            ExprKind::And(logical) => self.and(indices, logical, constants),
            ExprKind::Or(logical) => self.or(indices, logical, constants),
            ExprKind::Some(_) | ExprKind::Every(_) | ExprKind::Not(_) => {}
        }
    }

    /// A call whose answer somebody takes is never passed over: `false` is an answer.
    fn call<'t>(&mut self, indices: &mut Indices<'_>, parts: &'t [Term], constants: &mut Constants<'t>) {
        let Some((operator, operands)) = parts.split_first() else { return };
        let operands: Vec<Operand<'t>> = operands.iter().map(|operand| plugged(operand, constants)).collect();
        let call = with_name(operator, |name| match (name, operands.as_slice()) {
            ("eq", [a, b, ..]) | ("equal", [a, b]) => self.equality(indices, (a, b), constants),
            ("glob.match", [pattern, delimiters, text]) => self.glob_match(indices, (pattern, delimiters), text),
            ("internal.member_2", [item, collection]) => self.member(indices, (item, collection), constants),
            ("startswith", [text, base]) => self.affix(indices, (text, base), constants, Wanted::Prefix),
            ("endswith", [text, base]) => self.affix(indices, (text, base), constants, Wanted::Suffix),
            ("strings.any_prefix_match", [text, bases]) => self.any_affix(indices, (text, bases), constants, &Wanted::Prefix),
            ("strings.any_suffix_match", [text, bases]) => self.any_affix(indices, (text, bases), constants, &Wanted::Suffix),
            _ => {}
        });
        call.unwrap_or_default();
    }

    /// Both sides have to hold: what each requires is read beside what is known before, not beside the other side.
    fn and<'t>(&mut self, indices: &mut Indices<'_>, and: &'t Logical, constants: &Constants<'t>) {
        let left = self.side(indices, &and.left, constants);
        let right = self.side(indices, &and.right, constants);
        indices.require(left);
        indices.require(right);
    }

    /// A side that requires nothing may always hold.
    fn or<'t>(&mut self, indices: &mut Indices<'_>, or: &'t Logical, constants: &Constants<'t>) {
        let mut all = self.side(indices, &or.left, constants);
        if all.is_empty() {
            return;
        }
        let right = self.side(indices, &or.right, constants);
        if right.is_empty() {
            return;
        }
        all.extend(right);
        indices.require(all);
    }

    /// The ways in which a side can hold; none, if it requires nothing (`operandAlternatives`).
    fn side<'t>(&mut self, outer: &Indices<'_>, body: &'t [Expr], constants: &Constants<'t>) -> Alternatives {
        let mut inner = Indices::inside(outer);
        let mut constants = constants.clone();
        for expr in body {
            self.expr(&mut inner, expr, &mut constants);
        }
        let mut paths = inner.paths();
        if let [only] = paths.as_slice()
            && only.is_empty()
        {
            return Vec::new();
        }
        // What a variable of this side stands for, nobody else may find out.
        for constraint in paths.iter_mut().flatten().filter(|constraint| constraint.is_var()) {
            constraint.value = any(constraint.value.span);
        }
        paths
    }

    /// Adds a constraint on a reference.
    pub(super) fn insert(
        &mut self,
        indices: &mut Indices<'_>,
        reference: super::references::Located,
        wanted: Wanted,
        value: Term,
    ) {
        let reference = self.references.intern(reference);
        indices.insert(Constraint::new(reference, wanted, value));
    }
}

/// Stands for any value.
fn any(span: Span) -> Term {
    Term::var(span, arcstr::literal!("__any__"))
}

/// A reference with constants in place of variables (`plugRefs`).
fn plugged<'t>(term: &'t Term, constants: &Constants<'t>) -> Operand<'t> {
    let Kind::Ref(parts) = &term.kind else { return Cow::Borrowed(term) };
    let known = |part: &Term| variable(part).and_then(|name| constants.get(name)).copied().filter(|value| is_scalar(value));
    if !parts.iter().skip(1).any(|part| known(part).is_some()) {
        return Cow::Borrowed(term);
    }
    let plugged = parts.iter().enumerate().map(|(index, part)| match known(part) {
        Some(value) if index > 0 => value.clone(),
        _ => part.clone(),
    });
    Cow::Owned(Term::new(term.span, Kind::Ref(plugged.collect())))
}
