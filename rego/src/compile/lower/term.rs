//! Terms, patterns and references.

use super::Lower;
use super::scope::Scope;
use crate::compile::constants::value as constant;
use crate::compile::vars::{is_generated, is_wildcard};
use crate::error::{Code, Error};
use crate::ir::{Element, Head, Members, NodeId, Pattern, Reference, Term};
use crate::syntax::span::Span;
use crate::syntax::steps;
use crate::syntax::tree::{self, Kind, Var};
use crate::value::Value;

impl Lower<'_> {
    /// A term whose variables are all bound.
    pub(super) fn term(&mut self, term: &tree::Term, scope: &mut Scope) -> Term {
        steps::one();
        match &term.kind {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => {
                constant(term).map_or_else(|| self.left_over(term), Term::Constant)
            }
            Kind::Var(name) => match name.as_str() {
                "input" => Term::Input,
                "data" => Term::Reference(Box::new(Reference { head: Head::Data, keys: Box::default() })),
                _ => {
                    if !scope.is_bound(name) {
                        self.unsafe_term(term.span, Some(name));
                    }
                    Term::Slot(scope.slot(name))
                }
            },
            Kind::Ref(parts) => self.reference(parts, scope),
            Kind::Array(items) => collection(self.terms(items, scope), Value::array, Term::Array),
            Kind::Set(items) => collection(self.terms(items, scope), Value::set, Term::Set),
            Kind::Object(members) => {
                object(members.iter().map(|(key, value)| (self.term(key, scope), self.term(value, scope))).collect())
            }
            _ => self.comprehension(term, scope),
        }
    }

    /// An error about a term that no stage of the compiler leaves to evaluation.
    pub(super) fn left_over(&mut self, term: &tree::Term) -> Term {
        self.error(term.span, "a term that the compiler has left as it was");
        Term::Constant(Value::Null)
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
            // Safety is found before references inside of references are put in front: nothing lies below what is bound nowhere then (opa
            // `v1/topdown/eval.go`, `evalTerm`).
            Some(_) if unbound(first, scope) => (Head::Term(Term::Constant(Value::Null)), rest),
            _ => (Head::Term(self.term(first, scope)), rest),
        }
    }

    pub(super) fn data_head<'p>(&self, rest: &'p [tree::Term]) -> (Head, &'p [tree::Term]) {
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

    /// What a value must be: variables that are not bound are bound by it. From the inside out: what binds nothing is a term.
    pub(super) fn pattern(&mut self, term: &tree::Term, scope: &mut Scope) -> Pattern {
        match &term.kind {
            Kind::Array(items) => {
                let items: Box<[_]> = items.iter().map(|item| self.pattern(item, scope)).collect();
                if !items.iter().all(is_equal) {
                    return Pattern::Array(items);
                }
                Pattern::Equal(collection(items.into_iter().filter_map(equal).collect(), Value::array, Term::Array))
            }
            Kind::Object(members) if members.iter().any(|(key, _)| unbound(key, scope)) => never(term, scope),
            Kind::Object(members) => {
                let members = members.iter().map(|(key, value)| (self.term(key, scope), self.pattern(value, scope)));
                let members: Box<[_]> = members.collect();
                if !members.iter().all(|(_, value)| is_equal(value)) {
                    return Pattern::Object(members);
                }
                Pattern::Equal(object(members.into_iter().filter_map(|(key, value)| Some((key, equal(value)?))).collect()))
            }
            _ if !unbound(term, scope) => Pattern::Equal(self.term(term, scope)),
            Kind::Var(name) => {
                let slot = scope.slot(name);
                scope.bind(slot);
                Pattern::Bind(slot)
            }
            Kind::Set(_) => never(term, scope),
            _ => {
                self.unsafe_term(term.span, unbound_var(term, scope));
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

    /// An error about a variable that nothing binds where it is needed, though OPA takes it for safe: in OPA's words, where the compiler gave it no
    /// other name.
    pub(super) fn unsafe_term(&mut self, span: Span, var: Option<&Var>) {
        let message = match var {
            Some(var) if is_wildcard(var) => "var _ is unsafe".to_owned(),
            Some(var) if !is_generated(var) => format!("var {var} is unsafe"),
            _ => "expression is unsafe".to_owned(),
        };
        self.errors.push(Error::new(Code::UnsafeVar, span, message));
    }
}

/// A collection, which is a constant when all that it holds is.
fn collection(parts: Box<[Term]>, value: fn(Vec<Value>) -> Value, term: fn(Box<[Term]>) -> Term) -> Term {
    if !parts.iter().all(is_constant) {
        return term(parts);
    }
    Term::Constant(value(parts.into_iter().filter_map(constant_of).collect()))
}

fn object(members: Box<[(Term, Term)]>) -> Term {
    if !members.iter().all(|(key, value)| is_constant(key) && is_constant(value)) {
        return Term::Object(Box::new(Members::new(members)));
    }
    let members = members.into_iter().filter_map(|(key, value)| Some((constant_of(key)?, constant_of(value)?)));
    Term::Constant(Value::object(members))
}

fn is_constant(term: &Term) -> bool {
    matches!(term, Term::Constant(_))
}

fn constant_of(term: Term) -> Option<Value> {
    if let Term::Constant(value) = term { Some(value) } else { None }
}

fn is_equal(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::Equal(_))
}

fn equal(pattern: Pattern) -> Option<Term> {
    if let Pattern::Equal(term) = pattern { Some(term) } else { None }
}

/// What a value never is: the variables are bound for whatever comes behind, which is not reached.
pub(super) fn never(term: &tree::Term, scope: &mut Scope) -> Pattern {
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
    unbound_var(term, scope).is_some()
}

/// The first of them.
pub(super) fn unbound_var<'t>(term: &'t tree::Term, scope: &Scope) -> Option<&'t Var> {
    steps::one();
    let unbound = |part: &'t tree::Term| unbound_var(part, scope);
    match &term.kind {
        Kind::Var(name) => (!matches!(name.as_str(), "input" | "data") && !scope.is_bound(name)).then_some(name),
        Kind::Ref(parts) => parts.iter().find_map(unbound),
        Kind::Array(items) | Kind::Set(items) => items.iter().find_map(unbound),
        Kind::Object(members) => members.iter().find_map(|(key, value)| unbound(key).or_else(|| unbound(value))),
        _ => None,
    }
}
