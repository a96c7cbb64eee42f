//! `with`: other documents and functions while an expression is evaluated.

use std::borrow::Borrow;
use std::sync::Arc;

use super::body::Next;
use super::cache::Cache;
use super::layers::{Layers, Replaced, put, without};
use super::val::Val;
use super::{Documents, Evaluation, Flow, Found, Stop};
use crate::ir::{Replacement, Term, With};
use crate::limits::{Account, Halt};
use crate::value::Value;

/// What an expression sees.
pub(super) struct Scope<'a> {
    pub(super) input: Option<&'a Value>,
    /// Base documents as they are stored.
    pub(super) stored: &'a Value,
    /// What is put over them.
    pub(super) put: Option<&'a Value>,
    replaced: Option<Arc<Replaced<&'a [Value]>>>,
    pub(super) cache: Cache<'a>,
    /// What is called instead of functions.
    mocks: Option<Arc<Mocks<'a>>>,
    /// Some function is replaced here or around, be it that replacements are called now and see nothing of others: these share what they compute.
    is_mocked: bool,
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
    /// Nothing: the answer is this document.
    Document(&'a Term),
}

impl<'a> Scope<'a> {
    pub(super) fn new(documents: Documents<'a>) -> Self {
        Self {
            input: documents.input,
            stored: documents.data,
            put: None,
            replaced: None,
            cache: Cache::default(),
            mocks: None,
            is_mocked: false,
        }
    }

    /// The root of base documents.
    pub(super) fn documents(&self) -> Layers<'a> {
        match &self.replaced {
            Some(replaced) => replaced.root(self.put, self.stored),
            None => Layers::stored(self.stored),
        }
    }

    /// Whether data or functions are replaced here or around: nothing that is kept is used here, and nothing kept of it.
    pub(super) fn is_changed(&self) -> bool {
        self.is_mocked || self.is_replaced()
    }

    /// Whether functions are replaced here or around.
    pub(super) fn is_mocked(&self) -> bool {
        self.is_mocked
    }

    /// Whether anything below `data` is replaced.
    pub(super) fn is_replaced(&self) -> bool {
        self.replaced.is_some()
    }

    /// Whether a path below `data` lies in something that is replaced: no rule is looked for there.
    pub(super) fn replaces<K: Borrow<Value>>(&self, path: &[K]) -> bool {
        self.replaced.as_ref().is_some_and(|replaced| replaced.contains(path))
    }

    /// Returns what is read at a path below `data` without what `with` has put functions in the place of.
    pub(super) fn without_functions(&self, path: &[Val<'_>], value: Val<'a>, account: &mut Account) -> Result<Val<'a>, Halt> {
        match &self.replaced {
            Some(replaced) => replaced.without_functions(path, value, account),
            None => Ok(value),
        }
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
        let inputs = with.input.iter().map(|(path, term)| (&**path, Some(term)));
        let Some(input) = self.merged(self.scope.input, inputs, base)? else { return Ok(None) };
        let documents = with.data.iter().map(|(path, term)| (&**path, term.as_ref()));
        let Some(put) = self.merged(self.scope.put, documents, base)? else { return Ok(None) };
        if let Some(span) = with.bad_path {
            return Err(Stop::conflict("bad document path", span));
        }
        let mut replaced = self.scope.replaced.clone();
        for (path, value) in &with.data {
            Arc::make_mut(replaced.get_or_insert_default()).add(&**path, value.is_none());
        }
        let mocks = match functions.as_slice() {
            [] => self.scope.mocks.clone(),
            _ => Some(Arc::new(Mocks { functions, outer: self.scope.mocks.clone() })),
        };
        // What depends on base documents alone is the same under another input.
        let is_mocked = self.scope.is_mocked || mocks.is_some();
        let cache = if is_mocked || replaced.is_some() { Cache::default() } else { self.scope.cache.emptied() };
        Ok(Some(Scope { input, stored: self.scope.stored, put, replaced, cache, mocks, is_mocked }))
    }

    fn mocks(&mut self, with: &'a With, base: usize) -> Result<Option<Vec<(&'a str, Mock<'a>)>>, Stop> {
        let mut functions = Vec::new();
        for (name, replacement) in &with.functions {
            let mock = match replacement {
                Replacement::Target(target) => Mock::Target(target),
                Replacement::Document(term) => Mock::Document(term),
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
            let account = &mut self.context.account;
            result = Some(Val::Own(match value {
                Some(value) => put(before, path, value, account)?,
                None => without(before, path, account)?,
            }));
        }
        Ok(Some(result.map(|value| self.kept(value))))
    }
}
