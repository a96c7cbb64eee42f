//! Terms, patterns and references.

use super::Lower;
use super::scope::Scope;
use crate::ir::{Element, Head, Members, NodeId, Pattern, Reference, Term};
use crate::syntax::span::Span;
use crate::syntax::tree::{self, Kind};
use crate::value::Value;

/// The value of a term that is one by itself.
pub(crate) fn constant(term: &tree::Term) -> Option<Value> {
    match &term.kind {
        Kind::Null => Some(Value::Null),
        Kind::Bool(value) => Some(Value::Bool(*value)),
        Kind::Number(text) => Value::number(text),
        Kind::String(text) => Some(Value::String(text.clone())),
        Kind::Array(items) => items.iter().map(constant).collect::<Option<Vec<_>>>().map(Value::array),
        Kind::Set(items) => items.iter().map(constant).collect::<Option<Vec<_>>>().map(Value::set),
        Kind::Object(members) => {
            let members = members.iter().map(|(key, value)| Some((constant(key)?, constant(value)?)));
            members.collect::<Option<Vec<_>>>().map(Value::object)
        }
        _ => None,
    }
}

impl Lower<'_> {
    /// A term whose variables are all bound.
    pub(super) fn term(&mut self, term: &tree::Term, scope: &mut Scope) -> Term {
        if let Some(value) = constant(term) {
            return Term::Constant(value);
        }
        match &term.kind {
            Kind::Var(name) => match name.as_str() {
                "input" => Term::Input,
                "data" => Term::Reference(Box::new(Reference { head: Head::Data, keys: Box::default() })),
                _ => {
                    if !scope.is_bound(name) {
                        self.unsafe_term(term.span);
                    }
                    Term::Slot(scope.slot(name))
                }
            },
            Kind::Ref(parts) => self.reference(parts, scope),
            Kind::Array(items) => Term::Array(self.terms(items, scope)),
            Kind::Set(items) => Term::Set(self.terms(items, scope)),
            Kind::Object(members) => {
                let members = members.iter().map(|(key, value)| (self.term(key, scope), self.term(value, scope)));
                Term::Object(Box::new(Members::new(members.collect())))
            }
            _ => self.comprehension(term, scope),
        }
    }

    pub(super) fn terms(&mut self, terms: &[tree::Term], scope: &mut Scope) -> Box<[Term]> {
        terms.iter().map(|term| self.term(term, scope)).collect()
    }

    fn reference(&mut self, parts: &[tree::Term], scope: &mut Scope) -> Term {
        let (head, rest) = self.head(parts, scope);
        let keys = self.terms(rest, scope);
        match (&head, keys.is_empty()) {
            (Head::Input, true) => Term::Input,
            _ => Term::Reference(Box::new(Reference { head, keys })),
        }
    }

    /// Where a reference begins, and what is left of its parts.
    pub(super) fn head<'p>(&mut self, parts: &'p [tree::Term], scope: &mut Scope) -> (Head, &'p [tree::Term]) {
        let Some((first, rest)) = parts.split_first() else { return (Head::Data, &[]) };
        match first.as_var().map(|name| name.as_str()) {
            Some("input") => (Head::Input, rest),
            Some("data") => self.data_head(rest),
            _ => (Head::Term(self.term(first, scope)), rest),
        }
    }

    fn data_head<'p>(&self, rest: &'p [tree::Term]) -> (Head, &'p [tree::Term]) {
        let mut node = self.node(NodeId::ROOT);
        for (index, part) in rest.iter().enumerate() {
            let Some(key) = constant(part) else { return (Head::Data, rest) };
            node = node.and_then(|node| node.children.get(&key)).and_then(|id| self.node(*id));
            match node.map(|node| node.group) {
                None => return (Head::Base, rest),
                Some(Some(group)) => return (Head::Group(group), rest.get(index.saturating_add(1)..).unwrap_or_default()),
                Some(None) => {}
            }
        }
        (Head::Data, rest)
    }

    /// What a value must be: variables that are not bound are bound by it.
    pub(super) fn pattern(&mut self, term: &tree::Term, scope: &mut Scope) -> Pattern {
        if !unbound(term, scope) {
            return Pattern::Equal(self.term(term, scope));
        }
        match &term.kind {
            Kind::Var(name) => {
                let slot = scope.slot(name);
                scope.bind(slot);
                Pattern::Bind(slot)
            }
            Kind::Array(items) => Pattern::Array(items.iter().map(|item| self.pattern(item, scope)).collect()),
            Kind::Set(_) => never(term, scope),
            Kind::Object(members) if members.iter().any(|(key, _)| unbound(key, scope)) => never(term, scope),
            Kind::Object(members) => {
                let members = members.iter().map(|(key, value)| (self.term(key, scope), self.pattern(value, scope)));
                Pattern::Object(members.collect())
            }
            _ => {
                self.unsafe_term(term.span);
                Pattern::Any
            }
        }
    }

    pub(super) fn elements(&mut self, parts: &[tree::Term], scope: &mut Scope) -> Box<[Element]> {
        let mut elements = Vec::with_capacity(parts.len());
        for part in parts {
            elements.push(match unbound(part, scope) {
                true => Element::Each(self.pattern(part, scope)),
                false => Element::Key(self.term(part, scope)),
            });
        }
        elements.into()
    }

    pub(super) fn unsafe_term(&mut self, span: Span) {
        self.error(span, "variables are bound by nothing here");
    }
}

/// What a value never is: the variables are bound for whatever comes behind, which is not reached.
fn never(term: &tree::Term, scope: &mut Scope) -> Pattern {
    match &term.kind {
        Kind::Var(name) if unbound(term, scope) => {
            let slot = scope.slot(name);
            scope.bind(slot);
        }
        Kind::Ref(items) | Kind::Array(items) | Kind::Set(items) => items.iter().for_each(|item| drop(never(item, scope))),
        Kind::Object(members) => members.iter().for_each(|(key, value)| {
            never(key, scope);
            never(value, scope);
        }),
        _ => {}
    }
    Pattern::Never
}

/// Whether a term has variables that are not bound yet, those of comprehensions aside.
pub(super) fn unbound(term: &tree::Term, scope: &Scope) -> bool {
    match &term.kind {
        Kind::Var(name) => !matches!(name.as_str(), "input" | "data") && !scope.is_bound(name),
        Kind::Ref(parts) => parts.iter().any(|part| unbound(part, scope)),
        Kind::Array(items) | Kind::Set(items) => items.iter().any(|item| unbound(item, scope)),
        Kind::Object(members) => members.iter().any(|(key, value)| unbound(key, scope) || unbound(value, scope)),
        _ => false,
    }
}
