//! `a = b`: since it is known what is bound, it is a comparison, or one side takes the other one apart.

use super::Lower;
use super::scope::Scope;
use super::term::{unbound, unbound_var};
use crate::compile::constants::value as constant;
use crate::ir::{Head, Op, Pattern, Step, Term};
use crate::syntax::span::Span;
use crate::syntax::tree::{self, Kind};

/// Two terms that must be equal.
pub(super) type Pair<'t> = (&'t tree::Term, &'t tree::Term);

impl Lower<'_> {
    pub(super) fn unify(&mut self, (a, b): Pair<'_>, span: Span, scope: &mut Scope, steps: &mut Vec<Step>) {
        let op = match (iterated(a, scope), iterated(b, scope)) {
            (None, None) => return self.pairs((a, b), span, scope, steps),
            (Some(parts), None) if !self.is_computed_first(b, a) => {
                self.iterate(parts, scope, |lower, scope| Some(lower.pattern(b, scope)))
            }
            // The left one of two references is evaluated first, and if it has no value, the right one is not.
            (None, Some(parts)) if a.as_ref_parts().is_some() => {
                let found = scope.fresh();
                let first = Op::Match(Pattern::Bind(found), self.term(a, scope));
                steps.push(Step { span, op: first });
                self.iterate(parts, scope, |_, _| Some(Pattern::Equal(Term::Slot(found))))
            }
            (None, Some(parts)) if !self.is_computed_first(a, b) => {
                self.iterate(parts, scope, |lower, scope| Some(lower.pattern(a, scope)))
            }
            (None, Some(_)) => return self.unify((b, a), span, scope, steps),
            (Some(parts), _) => {
                let found = scope.fresh();
                let first = self.iterate(parts, scope, |_, _| Some(Pattern::Bind(found)));
                steps.push(Step { span, op: first });
                let equal = Pattern::Equal(Term::Slot(found));
                match iterated(b, scope) {
                    Some(parts) => self.iterate(parts, scope, |_, _| Some(equal)),
                    None => Op::Match(equal, self.term(b, scope)),
                }
            }
        };
        steps.push(Step { span, op });
    }

    /// Arrays and objects of which both have unbound variables are compared part by part, those first that are known on one side.
    fn pairs(&mut self, pair: Pair<'_>, span: Span, scope: &mut Scope, steps: &mut Vec<Step>) {
        let mut waiting = vec![pair];
        while !waiting.is_empty() {
            let (mut later, mut moved) = (Vec::new(), false);
            for (a, b) in std::mem::take(&mut waiting) {
                match (unbound(a, scope), unbound(b, scope)) {
                    (false, false) => self.matched(in_order(a, b), span, scope, steps),
                    (true, false) => self.matched((a, b), span, scope, steps),
                    (false, true) => self.matched((b, a), span, scope, steps),
                    (true, true) => match parts(a, b) {
                        Parts::These(parts) => later.extend(parts),
                        Parts::Never => return steps.push(Step { span, op: Op::Fail }),
                        Parts::Unknown => {
                            later.push((a, b));
                            continue;
                        }
                    },
                }
                moved = true;
            }
            if !moved {
                let unbound = later.first().and_then(|(a, _)| unbound_var(a, scope));
                return self.unsafe_term(span, unbound);
            }
            waiting = later;
        }
    }

    /// The pattern takes the value apart; the value is evaluated first.
    fn matched(&mut self, (pattern, value): Pair<'_>, span: Span, scope: &mut Scope, steps: &mut Vec<Step>) {
        let known = self.term(value, scope);
        let op = if self.is_computed_first(pattern, value) {
            let found = scope.fresh();
            steps.push(Step { span, op: Op::Match(Pattern::Bind(found), known) });
            Op::Match(Pattern::Equal(Term::Slot(found)), self.term(pattern, scope))
        } else {
            Op::Match(self.pattern(pattern, scope), known)
        };
        steps.push(Step { span, op });
    }

    /// Whether a term is a comprehension that is compared with a base document: OPA computes it whatever type that has (opa
    /// `v1/topdown/eval.go`, `evalTree.finish`, has the document on the right of `biunify`).
    fn is_computed_first(&self, term: &tree::Term, document: &tree::Term) -> bool {
        let parts = document.as_ref_parts().and_then(<[_]>::split_first);
        is_comprehension(term)
            && parts.is_some_and(|(root, rest)| {
                root.as_var().is_some_and(|root| root == "data") && matches!(self.data_head(rest), (Head::Base, _))
            })
    }
}

/// Two terms that are known, the one behind that is evaluated first: references, then comprehensions, the left one before the right one. The
/// other one is not evaluated where the first has no value, nor, if it is a comprehension, where the first has one of another type (opa
/// `v1/topdown/eval.go`, `biunify` and `biunifyValues`).
fn in_order<'t>(a: &'t tree::Term, b: &'t tree::Term) -> Pair<'t> {
    let is_reference = |term: &tree::Term| term.as_ref_parts().is_some();
    let is_left_first = match (is_reference(a), is_reference(b)) {
        (true, _) => is_reference(b) || is_comprehension(b),
        (false, true) => false,
        (false, false) => is_comprehension(a) || is_comprehension(b),
    };
    if is_left_first { (b, a) } else { (a, b) }
}

fn is_comprehension(term: &tree::Term) -> bool {
    matches!(term.kind, Kind::ArrayCompr(_) | Kind::SetCompr(_) | Kind::ObjectCompr(_))
}

/// The parts of a reference that binds variables.
fn iterated<'t>(term: &'t tree::Term, scope: &Scope) -> Option<&'t [tree::Term]> {
    term.as_ref_parts().filter(|_| unbound(term, scope))
}

/// What must be equal for two terms to be equal.
enum Parts<'t> {
    /// Each of these pairs.
    These(Vec<Pair<'t>>),
    /// They never are.
    Never,
    /// One is a variable that is bound by something else.
    Unknown,
}

fn parts<'t>(a: &'t tree::Term, b: &'t tree::Term) -> Parts<'t> {
    match (&a.kind, &b.kind) {
        (Kind::Var(_), _) | (_, Kind::Var(_)) => Parts::Unknown,
        (Kind::Array(a), Kind::Array(b)) if a.len() == b.len() => Parts::These(a.iter().zip(b).collect()),
        (Kind::Object(a), Kind::Object(b)) if a.len() == b.len() => members(a, b).map_or(Parts::Never, Parts::These),
        _ => Parts::Never,
    }
}

fn members<'t>(a: &'t [(tree::Term, tree::Term)], b: &'t [(tree::Term, tree::Term)]) -> Option<Vec<Pair<'t>>> {
    let find = |key: &tree::Term| {
        let wanted = constant(key)?;
        b.iter().find(|(key, _)| constant(key).as_ref() == Some(&wanted)).map(|(_, value)| value)
    };
    a.iter().map(|(key, value)| Some((value, find(key)?))).collect()
}
