//! What definitions require of references (opa `v1/ast/index.go`, `refindex`, `refindices`).

mod alternation;
mod known;
mod many;

use std::borrow::Cow;

use foldhash::HashMap;

pub(super) use alternation::{Alternation, Stats};

use known::Known;

use super::ordered::Ordered;
use super::references::Located;
use crate::ir::ReferenceNumber;
use crate::syntax::tree::{Kind, Term, Var};
use crate::value::ArcStr;

/// Sets of constraints: one of them has to hold.
pub(super) type Alternatives = Vec<Vec<Constraint>>;

/// `or` in one rule multiplies out; past so many ways to reach a rule it counts no more (`maxIndexPaths`).
const MAX_PATHS: usize = 32;

/// How a value is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Equal to it.
    Equal,
    /// Equal to it once it is split at these letters.
    Split(ArcStr),
    /// A text that begins with it.
    Prefix,
    /// A text that ends with it.
    Suffix,
    /// A collection that holds it.
    Member,
}

/// What a reference must have for a value: a variable stands for any.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    pub(super) reference: ReferenceNumber,
    pub(super) wanted: Wanted,
    pub(super) value: Term,
}

/// What is read off one definition, or off one side of `and` and `or` in it.
#[derive(Default)]
pub(super) struct Indices<'o> {
    pub(super) constraints: Vec<Constraint>,
    by_reference: HashMap<ReferenceNumber, Known>,
    /// References that variables stand for.
    locals: HashMap<Var, Vec<ReferenceNumber>>,
    disjunctions: Vec<Alternatives>,
    pub(super) memberships: Vec<(Located, Located)>,
    pub(super) stats: Stats,
    /// What is known around the side of `and` or `or`.
    outer: Option<&'o Indices<'o>>,
}

impl Constraint {
    pub(super) fn new(reference: ReferenceNumber, wanted: Wanted, value: Term) -> Self {
        Self { reference, wanted, value }
    }

    pub(super) fn is_var(&self) -> bool {
        matches!(self.value.kind, Kind::Var(_))
    }

    pub(super) fn is_affix(&self) -> bool {
        matches!(self.wanted, Wanted::Prefix | Wanted::Suffix)
    }

    /// Equal for what is wanted in the same way.
    fn key(&self) -> (u8, Ordered<'static>) {
        let class = match &self.wanted {
            Wanted::Equal | Wanted::Split(_) => 0,
            Wanted::Prefix => 1,
            Wanted::Suffix => 2,
            Wanted::Member => 3,
        };
        (class, Ordered(Cow::Owned(self.value.clone())))
    }
}

impl<'o> Indices<'o> {
    /// Of one side of `and` or `or`: nothing yet, but what is known around it.
    pub(super) fn inside(outer: &'o Self) -> Self {
        Self { outer: Some(outer), ..Self::default() }
    }

    /// The first reference that a variable stands for here, or outside.
    pub(super) fn local(&self, name: &Var) -> Option<ReferenceNumber> {
        let here = self.locals.get(name).and_then(|references| references.first()).copied();
        here.or_else(|| self.outer?.local(name))
    }

    /// Adds a constraint (`insert`).
    pub(super) fn insert(&mut self, constraint: Constraint) {
        let (is_var, is_affix, reference) = (constraint.is_var(), constraint.is_affix(), constraint.reference);
        let known = self.by_reference.entry(reference).or_default();
        // A value takes the place of "anything". The end of a text does not: another expression may have to find out that the variable
        // stands for the reference.
        let replaced = known.vars.first().copied().filter(|_| !is_var && !is_affix);
        let before = replaced.unwrap_or(usize::MAX);
        if known.seen.get(&constraint.key()).is_some_and(|at| *at < before) {
            return;
        }
        if !is_var {
            self.stats.alternate(reference, known.alternation(is_affix, before));
        }
        if let Some((at, slot)) = replaced.and_then(|at| Some((at, self.constraints.get_mut(at)?))) {
            known.add(&constraint, at);
            let replaced = std::mem::replace(slot, constraint);
            known.vars.remove(&at);
            known.seen.remove(&replaced.key());
            return self.forget(&replaced);
        }
        if known.seen.is_empty() {
            self.stats.count(reference, 1);
        }
        self.push(constraint);
    }

    fn push(&mut self, constraint: Constraint) {
        if let Kind::Var(name) = &constraint.value.kind {
            self.locals.entry(name.clone()).or_default().push(constraint.reference);
        }
        self.by_reference.entry(constraint.reference).or_default().add(&constraint, self.constraints.len());
        self.constraints.push(constraint);
    }

    fn forget(&mut self, replaced: &Constraint) {
        if let Kind::Var(name) = &replaced.value.kind
            && let Some(references) = self.locals.get_mut(name)
        {
            references.retain(|reference| *reference != replaced.reference);
        }
    }

    /// One of these has to hold (`require`).
    pub(super) fn require(&mut self, mut alternatives: Alternatives) {
        if alternatives.len() > 1 {
            for constraint in alternatives.iter().flatten() {
                self.stats.count(constraint.reference, 1);
            }
            return self.disjunctions.push(alternatives);
        }
        for constraint in alternatives.pop().unwrap_or_default() {
            self.insert(constraint);
        }
    }

    /// All ways in which it can hold (`paths`).
    pub(super) fn paths(&self) -> Alternatives {
        let mut paths = vec![self.constraints.clone()];
        for alternatives in &self.disjunctions {
            if paths.len().saturating_mul(alternatives.len()) > MAX_PATHS {
                return vec![self.constraints.clone()];
            }
            let both = |path: &Vec<Constraint>| {
                let path = path.clone();
                alternatives.iter().map(move |alternative| path.iter().chain(alternative).cloned().collect())
            };
            paths = paths.iter().flat_map(both).collect();
        }
        paths
    }
}
