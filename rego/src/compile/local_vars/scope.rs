//! Which names are declared where one stands (`v1/ast/compile.go`, `localDeclaredVars`).

use foldhash::HashMap;

use crate::syntax::span::Span;
use crate::syntax::tree::Var;

/// How a name came into a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occurrence {
    /// As an argument.
    Arg,
    /// It was mentioned.
    Seen,
    /// `:=`
    Assigned,
    /// `some`, `every`
    Declared,
}

/// A name in a scope.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    depth: usize,
    /// What it is called now.
    pub(super) local: Var,
    /// How it came here.
    pub(super) occurrence: Occurrence,
    /// How often it was seen, the first time included.
    pub(super) count: usize,
    /// Its new name stands somewhere in the tree.
    pub(super) mentioned: bool,
    /// The expression that declares it.
    pub(super) span: Option<Span>,
}

impl Entry {
    /// A name that is new somewhere.
    pub(super) fn new(local: Var, occurrence: Occurrence, span: Option<Span>) -> Self {
        Self { depth: 0, local, occurrence, count: 1, mentioned: false, span }
    }
}

/// Scopes inside each other; the outermost one is always there.
#[derive(Clone, Debug, Default)]
pub(super) struct Scopes {
    /// Each name's entries, the innermost last.
    names: HashMap<Var, Vec<Entry>>,
    /// Names by scope.
    outermost: Vec<Var>,
    inner: Vec<Vec<Var>>,
}

impl Scopes {
    /// Begins a scope.
    pub(super) fn push(&mut self) {
        self.inner.push(Vec::new());
    }

    /// Ends a scope.
    pub(super) fn pop(&mut self) {
        for name in self.inner.pop().into_iter().flatten() {
            if let Some(entries) = self.names.get_mut(&name) {
                entries.pop();
            }
        }
    }

    /// A new name in the innermost scope.
    pub(super) fn insert(&mut self, rewritten: &mut HashMap<Var, Var>, name: Var, mut entry: Entry) {
        if name != entry.local {
            rewritten.insert(entry.local.clone(), name.clone());
        }
        entry.depth = self.inner.len();
        self.names.entry(name.clone()).or_default().push(entry);
        self.inner.last_mut().unwrap_or(&mut self.outermost).push(name);
    }

    fn innermost(&self, name: &Var) -> Option<&Entry> {
        self.names.get(name)?.last()
    }

    /// What a name is called in the innermost scope that has it (`Declared`).
    pub(super) fn declared(&self, name: &Var) -> Option<&Var> {
        self.innermost(name).map(|entry| &entry.local)
    }

    /// The same, when it is put into the tree; `seen` counts it.
    pub(super) fn mention(&mut self, name: &Var, seen: bool) -> Option<Var> {
        let entry = self.names.get_mut(name)?.last_mut()?;
        entry.mentioned = true;
        entry.count = entry.count.saturating_add(usize::from(seen));
        Some(entry.local.clone())
    }

    /// How a name came into the innermost scope that has it (`GlobalOccurrence`).
    pub(super) fn occurrence_anywhere(&self, name: &Var) -> Option<Occurrence> {
        self.innermost(name).map(|entry| entry.occurrence)
    }

    /// How a name came into the innermost scope (`Occurrence`).
    pub(super) fn occurrence(&self, name: &Var) -> Option<Occurrence> {
        self.innermost(name).filter(|entry| entry.depth == self.inner.len()).map(|entry| entry.occurrence)
    }

    /// How often a name was seen (`Count`).
    pub(super) fn count(&self, name: &Var) -> usize {
        self.innermost(name).map_or(0, |entry| entry.count)
    }

    /// The names of the innermost scope that came into it so.
    pub(super) fn current(&self, occurrence: Occurrence) -> impl Iterator<Item = (&Var, &Entry)> {
        let names = self.inner.last().unwrap_or(&self.outermost);
        let entries = names.iter().filter_map(|name| Some((name, self.innermost(name)?)));
        entries.filter(move |(_, entry)| entry.occurrence == occurrence)
    }
}
