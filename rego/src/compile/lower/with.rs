//! What `with` replaces.

use super::body::function_name;
use super::scope::Scope;
use super::{Lower, data_path};
use crate::compile::constants::value as constant;
use crate::ir::{Block, DataChange, Replacement, Term, With};
use crate::syntax::span::Span;
use crate::syntax::tree::{self, Kind};
use crate::value::Value;

/// Changes, before what they are around is known.
#[derive(Default)]
pub(super) struct Changes {
    input: Vec<(Box<[Value]>, Term)>,
    data: Vec<DataChange>,
    functions: Vec<(Box<str>, Replacement)>,
    /// Some path has a key that is no text.
    is_bad: bool,
}

impl Changes {
    /// Returns the expression with this body and span, to be evaluated under these changes.
    pub(super) fn around(self, body: Block, span: Span) -> With {
        let bad_path = self.is_bad.then_some(span);
        With { input: self.input.into(), data: self.data.into(), functions: self.functions.into(), bad_path, body }
    }
}

impl Lower<'_> {
    pub(super) fn with(&mut self, all: &[tree::With], scope: &mut Scope) -> Changes {
        let mut changes = Changes::default();
        for with in all {
            self.change(with, scope, &mut changes);
        }
        changes
    }

    fn change(&mut self, with: &tree::With, scope: &mut Scope, changes: &mut Changes) {
        let parts: &[tree::Term] = match &with.target.kind {
            Kind::Ref(parts) => parts,
            _ => std::slice::from_ref(&with.target),
        };
        let root = parts.first().and_then(tree::Term::as_var).map(|name| name.as_str());
        let text = |part| constant(part).filter(|key| matches!(key, Value::String(_)));
        let path: Option<Box<[_]>> = parts.iter().skip(1).map(text).collect();
        changes.is_bad |= matches!(root, Some("input" | "data")) && path.is_none();
        let path = path.unwrap_or_default();
        match root {
            Some("input") => changes.input.push((path, self.term(&with.value, scope))),
            Some("data") => match data_path(&with.target).filter(|path| self.is_function(path)) {
                Some(function) => {
                    let replacement = self.replacement(&with.value, scope);
                    changes.functions.push((function_name(&function).into(), replacement));
                }
                None => {
                    let value = match self.replacement(&with.value, scope) {
                        Replacement::Target(_) => None,
                        Replacement::Value(term) | Replacement::Document(term) => Some(term),
                    };
                    changes.data.push((path, value));
                }
            },
            _ => {
                let Some(name) = super::name(&with.target) else { return self.unsafe_term(with.span, None) };
                let replacement = self.replacement(&with.value, scope);
                changes.functions.push((name.into(), replacement));
            }
        }
    }

    /// Whether there is a function at a path; rules without operands are documents for `with`, though they can be called.
    fn is_function(&self, path: &[Value]) -> bool {
        self.functions.get(path).is_some_and(|(_, arity)| *arity > 0)
    }

    fn replacement(&mut self, value: &tree::Term, scope: &mut Scope) -> Replacement {
        let known = value.as_var().is_some_and(|name| scope.is_bound(name));
        let is_document = data_path(value).is_some_and(|path| !self.is_function(&path));
        match self.target(value).filter(|_| !known && !is_document) {
            Some((target, ..)) => Replacement::Target(target),
            // All other references were bound to variables.
            None if matches!(value.kind, Kind::Ref(_)) => Replacement::Document(self.term(value, scope)),
            None => Replacement::Value(self.term(value, scope)),
        }
    }
}
