//! `with`: other documents and functions while an expression is evaluated.

use std::sync::Arc;

use super::body::Next;
use super::cache::Cache;
use super::document::merge;
use super::val::Val;
use super::{Documents, Evaluation, Flow, Found, Stop};
use crate::ir::{DataChange, Replacement, Term, With};
use crate::value::{ObjectBuilder, Value};

/// What an expression sees.
pub(super) struct Scope<'a> {
    pub(super) input: Option<&'a Value>,
    pub(super) data: Option<&'a Value>,
    /// Base documents as they are where nothing is replaced.
    stored: &'a Value,
    /// Base documents as they are seen from above what is replaced: OPA merges objects there (`v1/topdown/eval.go`, `evalTree.extent`).
    above: Option<&'a Value>,
    pub(super) cache: Cache<'a>,
    /// Paths below `data` that are replaced: no rule is looked for there.
    targets: Option<Arc<Targets<'a>>>,
    /// What is called instead of functions.
    mocks: Option<Arc<Mocks<'a>>>,
}

struct Targets<'a> {
    paths: &'a [DataChange],
    outer: Option<Arc<Self>>,
}

pub(super) struct Mocks<'a> {
    functions: Vec<(&'a str, Mock<'a>)>,
    outer: Option<Arc<Self>>,
}

/// What is called instead of a function.
#[derive(Clone, Copy)]
pub(super) enum Mock<'a> {
    /// Another one.
    Target(&'a crate::ir::Target),
    /// Nothing: this is the answer.
    Value(&'a Value),
}

impl<'a> Scope<'a> {
    pub(super) fn new(documents: Documents<'a>) -> Self {
        Self {
            input: documents.input,
            data: Some(documents.data),
            stored: documents.data,
            above: None,
            cache: Cache::default(),
            targets: None,
            mocks: None,
        }
    }

    /// Whether anything below `data` is replaced.
    pub(super) fn is_replaced(&self) -> bool {
        self.targets.is_some()
    }

    /// Whether a path below `data` lies in something that is replaced.
    pub(super) fn replaces(&self, path: &[Val<'_>]) -> bool {
        self.replaced().any(|target| is_prefix(target, path))
    }

    /// The base document at a path below which something is replaced; outer `None` for other paths.
    #[expect(clippy::option_option, reason = "nothing may be there")]
    pub(super) fn above(&self, path: &[Val<'_>]) -> Option<Option<&'a Value>> {
        // What is replaced as a whole is merged with nothing (opa `v1/topdown/eval.go`, `targetStack.Prefixed`).
        if self.replaces(path) {
            return None;
        }
        if !self.is_above_replaced(path) {
            return None;
        }
        Some(path.iter().try_fold(self.above?, |value, key| value.as_object()?.get(key.value())))
    }

    /// Whether something below a path below `data` is replaced.
    pub(super) fn is_above_replaced(&self, path: &[Val<'_>]) -> bool {
        let is_above = |target: &[Value]| target.len() > path.len() && target.iter().zip(path).all(|(a, b)| a == b.value());
        self.replaced().any(is_above)
    }

    /// The paths below `data` that are replaced.
    pub(super) fn replaced(&self) -> impl Iterator<Item = &'a [Value]> + '_ {
        let all = std::iter::successors(self.targets.as_deref(), |here| here.outer.as_deref());
        all.flat_map(|here| here.paths.iter().map(|(target, _)| &**target))
    }

    /// Whether anything is called instead of a function.
    pub(super) fn has_mocks(&self) -> bool {
        self.mocks.is_some()
    }

    /// What is called instead of a function.
    #[inline]
    pub(super) fn mock(&self, name: &str) -> Option<Mock<'a>> {
        let mut mocks = self.mocks.as_deref();
        while let Some(here) = mocks {
            if let Some((_, mock)) = here.functions.iter().rev().find(|(function, _)| *function == name) {
                return Some(*mock);
            }
            mocks = here.outer.as_deref();
        }
        None
    }

    /// Calls a function by its own name, even if it is replaced: a replacement may call what it replaces.
    pub(super) fn without_mocks(&mut self) -> Option<Arc<Mocks<'a>>> {
        self.mocks.take()
    }

    pub(super) fn restore_mocks(&mut self, mocks: Option<Arc<Mocks<'a>>>) {
        self.mocks = mocks;
    }
}

fn is_prefix(target: &[Value], path: &[Val<'_>]) -> bool {
    target.len() <= path.len() && target.iter().zip(path).all(|(a, b)| a == b.value())
}

impl<'a> Evaluation<'a> {
    /// Runs an expression under its replacements, and `next` without them.
    pub(super) fn with(&mut self, with: &'a With, base: usize, next: Next<'_, 'a>) -> Found {
        let Some(scope) = self.replaced(with, base)? else { return Ok(Flow::Next) };
        let mut other = std::mem::replace(&mut self.scope, scope);
        let found = self.run(&with.body, base, &mut |eval| {
            std::mem::swap(&mut eval.scope, &mut other);
            let found = next(eval);
            std::mem::swap(&mut eval.scope, &mut other);
            found
        });
        self.scope = other;
        found
    }

    fn replaced(&mut self, with: &'a With, base: usize) -> Result<Option<Scope<'a>>, Stop> {
        let Some(functions) = self.mocks(with, base)? else { return Ok(None) };
        let (input, data) = (self.scope.input, self.scope.data);
        let inputs = with.input.iter().map(|(path, term)| (&**path, Some(term)));
        let Some(input) = self.merged(input, inputs, base)? else { return Ok(None) };
        let documents = with.data.iter().map(|(path, term)| (&**path, term.as_ref()));
        let Some(data) = self.merged(data, documents, base)? else { return Ok(None) };
        if let Some(span) = with.bad_path {
            return Err(Stop::conflict("bad document path", span));
        }
        let above = self.seen_above(with, base)?;
        let targets = match with.data.as_ref() {
            [] => self.scope.targets.clone(),
            paths => Some(Arc::new(Targets { paths, outer: self.scope.targets.clone() })),
        };
        let mocks = match functions.as_slice() {
            [] => self.scope.mocks.clone(),
            _ => Some(Arc::new(Mocks { functions, outer: self.scope.mocks.clone() })),
        };
        // What depends on base documents alone is the same under another input.
        let is_same = targets.is_none() && mocks.is_none();
        let cache = if is_same { self.scope.cache.emptied() } else { Cache::default() };
        Ok(Some(Scope { input, data, stored: self.scope.stored, above, cache, targets, mocks }))
    }

    fn seen_above(&mut self, with: &'a With, base: usize) -> Result<Option<&'a Value>, Stop> {
        let mut result = self.scope.above.or(self.scope.data).map(Val::Ref);
        for (path, term) in &with.data {
            let document = result.as_ref().map(Val::value);
            let Some(term) = term else {
                result = Some(Val::Own(without(document, path)));
                continue;
            };
            let Some(value) = self.term(term, base)? else { return Ok(None) };
            // What stands there, not what was put there before.
            let old = path.iter().try_fold(self.scope.stored, |value, key| value.as_object()?.get(key));
            let value = old.map_or_else(|| value.value().clone(), |old| merge(value.value(), old));
            result = Some(Val::Own(put(document, path, value)));
        }
        Ok(result.map(|value| self.kept(value)))
    }

    fn mocks(&mut self, with: &'a With, base: usize) -> Result<Option<Vec<(&'a str, Mock<'a>)>>, Stop> {
        let mut functions = Vec::new();
        for (name, replacement) in &with.functions {
            let mock = match replacement {
                Replacement::Target(target) => Mock::Target(target),
                Replacement::Value(term) => match self.term(term, base)? {
                    Some(value) => Mock::Value(self.kept(value)),
                    None => return Ok(None),
                },
            };
            functions.push((&**name, mock));
        }
        Ok(Some(functions))
    }

    /// A document with values put in; outer `None` when one of them is undefined.
    #[expect(clippy::option_option, reason = "a document may be absent, and a value undefined")]
    fn merged(
        &mut self,
        document: Option<&'a Value>,
        changes: impl Iterator<Item = (&'a [Value], Option<&'a Term>)>,
        base: usize,
    ) -> Result<Option<Option<&'a Value>>, Stop> {
        let mut result = document.map(Val::Ref);
        for (path, term) in changes {
            let value = match term.map(|term| self.term(term, base)).transpose()? {
                None => None,
                Some(Some(value)) => Some(value.into_value()),
                Some(None) => return Ok(None),
            };
            let before = result.as_ref().map(Val::value);
            result = Some(Val::Own(value.map_or_else(|| without(before, path), |value| put(before, path, value))));
        }
        Ok(Some(result.map(|value| self.kept(value))))
    }
}

/// A document with nothing at a path, where `with` has put a function: OPA keeps the key, with a reference that has no value.
pub(crate) fn without(document: Option<&Value>, path: &[Value]) -> Value {
    let Some((last, above)) = path.split_last() else { return Value::object([]) };
    let parent = document.and_then(|document| above.iter().try_fold(document, |value, key| value.as_object()?.get(key)));
    let members = parent.and_then(Value::as_object).into_iter().flat_map(|object| object.iter());
    let others = members.filter(|(key, _)| *key != last).map(|(key, value)| (key.clone(), value.clone()));
    put(document, above, Value::object(others))
}

/// A document with a value at a path: what is no object on the way is replaced by one (opa `v1/topdown/eval.go`,
/// `mergeTermWithValues`).
pub(crate) fn put(document: Option<&Value>, path: &[Value], value: Value) -> Value {
    let Some((key, rest)) = path.split_first() else { return value };
    let object = document.and_then(Value::as_object);
    let below = put(object.and_then(|object| object.get(key)), rest, value);
    let mut builder = ObjectBuilder::default();
    for (name, member) in object.into_iter().flat_map(|object| object.iter()) {
        builder.insert(name.clone(), member.clone());
    }
    builder.insert(key.clone(), below);
    builder.finish()
}
