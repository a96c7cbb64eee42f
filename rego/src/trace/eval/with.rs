//! `with` (opa `v1/topdown/eval.go`, `evalWith`).

use foldhash::HashMap;

use super::bindings::Bound;
use super::cache::Cache;
use super::comprehension::Table;
use super::{Leave, Next, Query, Run, Traced};
use crate::compile::lower;
use crate::eval::{Layers, Replaced, Stop, put, without};
use crate::syntax::tree::{Expr, Kind, Term};
use crate::value::Value;

/// What an expression sees.
pub(super) struct Scope {
    pub(super) input: Option<Value>,
    /// Base documents as they are stored.
    pub(super) stored: Value,
    /// What is put over them.
    pub(super) put: Option<Value>,
    pub(super) replaced: Replaced<Vec<Value>>,
    pub(super) cache: Cache,
    /// Comprehensions that are looked up, by where they are in memory.
    pub(super) tables: HashMap<usize, Table>,
}

impl Scope {
    /// Documents of which nothing is computed yet.
    pub(super) fn new(input: Option<Value>, stored: Value) -> Self {
        let (cache, tables) = Default::default();
        Self { input, stored, put: None, replaced: Replaced::default(), cache, tables }
    }

    /// The root of base documents.
    pub(super) fn documents(&self) -> Layers<'_> {
        self.replaced.root(self.put.as_ref(), &self.stored)
    }
}

/// What is called instead of a function.
#[derive(Clone, Debug)]
pub(super) enum Mock<'a> {
    /// Another one, by its name.
    Function(&'a Term),
    /// Nothing: this is the answer, perhaps a reference.
    Answer(Bound<'a>),
}

/// What one `with` replaces.
#[derive(Clone, Debug)]
struct Changes<'a> {
    input: Option<Value>,
    put: Option<Value>,
    replaced: Replaced<Vec<Value>>,
    functions: HashMap<String, Mock<'a>>,
}

fn is_text(key: &Value) -> bool {
    matches!(key, Value::String(_))
}

impl<'a> Traced<'a> {
    pub(super) fn with(&mut self, query: Query<'a>, expr: &'a Expr, next: Next<'_, 'a>) -> Run {
        let changes = self.changes(query, expr)?;
        let mut outside = Some(self.enter(&changes));
        let run = self.step(query, expr, &mut |eval| {
            eval.leave(outside.take());
            let run = eval.expr(query.next(), next);
            outside = Some(eval.enter(&changes));
            run
        });
        self.leave(outside);
        run
    }

    fn changes(&mut self, query: Query<'a>, expr: &'a Expr) -> Result<Changes<'a>, Leave> {
        let (put_before, replaced) = (self.scope.put.clone(), self.scope.replaced.clone());
        let mut changes = Changes { input: None, put: put_before, replaced, functions: HashMap::default() };
        let mut is_bad = false;
        for with in &expr.with {
            let parts = with.target.as_ref_parts().unwrap_or_default();
            let root = parts.first().and_then(Term::as_var).map(|name| name.as_str());
            let path: Vec<_> = parts.iter().skip(1).filter_map(lower::constant).collect();
            is_bad |= matches!(root, Some("input" | "data"))
                && (path.len().saturating_add(1) < parts.len() || !path.iter().all(is_text));
            if self.calls(&with.target) {
                if let Some(mock) = self.mock(query, &with.value) {
                    changes.functions.insert(lower::name(&with.target).unwrap_or_default(), mock);
                }
                if root == Some("data") {
                    changes.replaced.add(path, false);
                }
                continue;
            }
            if root == Some("data") && self.calls(&with.value) {
                changes.put = Some(without(changes.put.as_ref(), &path, &mut self.context.account)?);
                changes.replaced.add(path, true);
                continue;
            }
            let Some(value) = self.plug_tree(&with.value, query.frame) else { continue };
            if root == Some("input") {
                let before = changes.input.as_ref().or(self.scope.input.as_ref());
                changes.input = Some(put(before, &path, value, &mut self.context.account)?);
            } else {
                changes.put = Some(put(changes.put.as_ref(), &path, value, &mut self.context.account)?);
                changes.replaced.add(path, false);
            }
        }
        if is_bad { Err(Stop::conflict("bad document path", expr.span).into()) } else { Ok(changes) }
    }

    /// Whether a term names a function; rules without operands are documents, though they can be called.
    fn calls(&self, term: &Term) -> bool {
        match lower::data_path(term) {
            Some(path) => self.policy.functions.get(&path).is_some_and(|(_, arity)| *arity > 0),
            None => self.known.builtin(term).is_some(),
        }
    }

    fn mock(&self, query: Query<'a>, value: &'a Term) -> Option<Mock<'a>> {
        match &value.kind {
            Kind::Ref(_) if self.calls(value) => Some(Mock::Function(value)),
            Kind::Ref(_) => Some(Mock::Answer(Bound::tree(value, query.frame))),
            _ => self.plug_tree(value, query.frame).map(Bound::value).map(Mock::Answer),
        }
    }

    fn enter(&mut self, changes: &Changes<'a>) -> Scope {
        let input = changes.input.as_ref().or(self.scope.input.as_ref());
        let outside = Scope::new(input.cloned(), self.scope.stored.clone());
        let scope = Scope { put: changes.put.clone(), replaced: changes.replaced.clone(), ..outside };
        if let Some(mocks) = self.mocks.last_mut() {
            mocks.push(changes.functions.clone());
        }
        std::mem::replace(&mut self.scope, scope)
    }

    fn leave(&mut self, outside: Option<Scope>) {
        let Some(outside) = outside else { return };
        self.scope = outside;
        if let Some(mocks) = self.mocks.last_mut() {
            mocks.pop();
        }
    }

    /// What is called instead of a function.
    pub(super) fn mocked(&self, name: &str) -> Option<Mock<'a>> {
        self.mocks.last()?.iter().rev().find_map(|mocks| mocks.get(name)).cloned()
    }
}
