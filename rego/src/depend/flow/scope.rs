//! What an expression sees: documents, and functions that `with` replaces.

use std::collections::BTreeMap;

use foldhash::HashMap;

use crate::depend::shape::ShapeId;
use crate::ir::{Target, Term};
use crate::value::Value;

/// A scope's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(u32);

/// One scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Scope<'p> {
    pub(super) input: ShapeId,
    /// Base documents.
    pub(super) data: ShapeId,
    /// Paths below `data` where no rule is looked for.
    pub(super) replaced: Vec<&'p [Value]>,
    /// What is called instead of functions.
    pub(super) mocks: BTreeMap<&'p str, Mock>,
    /// Inside of a function that is called instead of another one: the mocks outside of it, which are put aside there.
    suspended: BTreeMap<&'p str, Mock>,
}

/// What is called instead of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mock {
    /// Another one: its place among those that were met.
    Target(usize),
    /// Nothing: this is the answer.
    Value(ShapeId),
    /// Nothing: the answer is a document: its place among those that were met.
    Document(usize),
}

/// All scopes.
pub(super) struct Scopes<'p> {
    scopes: Vec<Scope<'p>>,
    ids: HashMap<Scope<'p>, ScopeId>,
    targets: Vec<&'p Target>,
    documents: Vec<&'p Term>,
    outermost: Scope<'p>,
}

impl ScopeId {
    /// Outside of every `with`.
    pub(super) const OUTERMOST: Self = Self(0);
}

impl Scope<'_> {
    /// Whether a path below `data` lies in something that is replaced.
    pub(super) fn replaces(&self, path: &[Value]) -> bool {
        self.replaced.iter().any(|target| path.starts_with(target))
    }
}

impl<'p> Scope<'p> {
    /// A scope with these documents, in which nothing is replaced.
    pub(super) fn of(input: ShapeId, data: ShapeId) -> Self {
        Self { input, data, replaced: Vec::new(), mocks: BTreeMap::new(), suspended: BTreeMap::new() }
    }

    /// Returns the same scope with no mocks put aside: what `with` makes of it shares no cache with another one.
    pub(super) fn anew(&self) -> Self {
        Self { suspended: BTreeMap::new(), ..self.clone() }
    }
}

impl<'p> Scopes<'p> {
    pub(super) fn new(input: ShapeId, data: ShapeId) -> Self {
        let outermost = Scope::of(input, data);
        let mut scopes = Self {
            scopes: Vec::new(),
            ids: HashMap::default(),
            targets: Vec::new(),
            documents: Vec::new(),
            outermost: outermost.clone(),
        };
        scopes.add(outermost);
        scopes
    }

    pub(super) fn get(&self, id: ScopeId) -> &Scope<'p> {
        self.scopes.get(id.0 as usize).unwrap_or(&self.outermost)
    }

    /// The number of a scope.
    pub(super) fn add(&mut self, scope: Scope<'p>) -> ScopeId {
        let next = ScopeId(u32::try_from(self.scopes.len()).unwrap_or(u32::MAX));
        let id = *self.ids.entry(scope.clone()).or_insert(next);
        if id == next {
            self.scopes.push(scope);
        }
        id
    }

    /// The same without replaced functions: a replacement may call what it replaces.
    pub(super) fn without_mocks(&mut self, id: ScopeId) -> ScopeId {
        let scope = self.get(id).clone();
        self.add(Scope { suspended: scope.mocks, mocks: BTreeMap::new(), ..scope })
    }

    /// The scope inside of functions that are called instead of others; of such a scope the one outside.
    pub(super) fn other_side(&mut self, id: ScopeId) -> Option<ScopeId> {
        let scope = self.get(id);
        let is_function = |mock: &Mock| matches!(mock, Mock::Target(at) if matches!(self.called(*at), Some(Target::Function(_))));
        if scope.mocks.values().any(is_function) {
            return Some(self.without_mocks(id));
        }
        if scope.suspended.is_empty() {
            return None;
        }
        let outside = Scope { mocks: scope.suspended.clone(), ..scope.anew() };
        Some(self.add(outside))
    }

    /// Whether anything that may have several answers is called instead of a function.
    pub(super) fn calls_relation(&self, id: ScopeId) -> bool {
        let is_relation = |mock: &Mock| matches!(mock, Mock::Target(at) if self.called(*at).is_some_and(Target::is_relation));
        self.get(id).mocks.values().any(is_relation)
    }

    /// A replacement.
    pub(super) fn target(&mut self, target: &'p Target) -> Mock {
        let same = |other: &&Target| match (target, *other) {
            (Target::Function(a), Target::Function(b)) => a == b,
            (Target::Builtin(a), Target::Builtin(b)) => a.name == b.name,
            _ => false,
        };
        let at = self.targets.iter().position(same).unwrap_or(self.targets.len());
        if at == self.targets.len() {
            self.targets.push(target);
        }
        Mock::Target(at)
    }

    /// A document in the place of answers.
    pub(super) fn document(&mut self, term: &'p Term) -> Mock {
        let at = self.documents.iter().position(|known| std::ptr::eq(*known, term)).unwrap_or(self.documents.len());
        if at == self.documents.len() {
            self.documents.push(term);
        }
        Mock::Document(at)
    }

    /// The document that is answered.
    pub(super) fn answered(&self, document: usize) -> Option<&'p Term> {
        self.documents.get(document).copied()
    }

    /// What a replacement calls.
    pub(super) fn called(&self, target: usize) -> Option<&'p Target> {
        self.targets.get(target).copied()
    }
}
