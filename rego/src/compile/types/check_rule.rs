//! Checks rules, and says of which types they are (`v1/ast/check.go`, `checkRule`).

use super::super::terms::ground_prefix;
use super::checker::{Checker, Shared};
use super::lattice::{Dynamic, Type, any};
use super::{Compiler, TypeEnv};
use crate::error::Error;
use crate::syntax::tree::{Kind, Rule, Term};
use crate::syntax::visit::{Node, walk_terms};

/// What a rule adds.
pub(super) enum Outcome<'t> {
    /// A type at its path.
    Type(&'t [Term], Type),
    /// Something is wrong with it: it may be anything, so that nobody else is blamed.
    Errors(Vec<Error>),
    /// Nothing.
    Unknown,
}

/// Checks a rule against what is known of all others.
pub(super) fn check<'t>(compiler: &'t Compiler, env: &TypeEnv, shared: &mut Shared, rule: &'t Rule) -> Outcome<'t> {
    let mut checker = Checker::new(compiler, env, shared, &rule.body);
    checker.scopes.push();
    let errors = checker.check_body(&rule.body);
    if !errors.is_empty() {
        return Outcome::Errors(errors);
    }
    let path = &rule.head.reference;
    match checker.type_of_rule(rule) {
        Some(of) if rule.head.is_function() => Outcome::Type(path, of),
        Some(of) => Outcome::Type(ground_prefix(path), of),
        None => Outcome::Unknown,
    }
}

impl<'t> Checker<'_, 't> {
    fn type_of_rule(&mut self, rule: &'t Rule) -> Option<Type> {
        let args = rule.head.args.as_deref().unwrap_or_default();
        if !args.is_empty() {
            return Some(self.type_of_function(args, rule.head.value.as_ref()));
        }
        let of = match (&rule.head.value, &rule.head.key) {
            (Some(value), _) => self.type_of(value),
            (None, Some(key)) => Some(Type::set(Some(self.type_of(key)?))),
            (None, None) => None,
        };
        let path = &rule.head.reference;
        let suffix = path.get(ground_prefix(path).len()..).unwrap_or_default();
        self.nested(suffix, of?)
    }

    fn type_of_function(&mut self, args: &'t [Term], value: Option<&'t Term>) -> Type {
        for arg in args {
            walk_terms(Node::Term(arg), |term| {
                // Nothing is said of an argument that the body does not use.
                if let Kind::Var(name) = &term.kind
                    && self.type_of_var(name).is_none()
                {
                    self.scopes.put(name, Some(any()));
                }
                false
            });
        }
        let args = self.types_of(args);
        Type::function(args, value.and_then(|value| self.type_of(value)))
    }

    /// An object for each part of a path (`nestedObject`).
    fn nested(&mut self, path: &'t [Term], of: Type) -> Option<Type> {
        path.iter().rev().try_fold(of, |value, part| {
            let key = self.type_of(part)?;
            Some(Type::object(Vec::new(), Some(Dynamic { key: Some(key), value: Some(value) })))
        })
    }
}
