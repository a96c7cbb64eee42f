//! The type of a term (`v1/ast/env.go`, `GetByValue`, `GetByRef`).

use super::super::constants;
use super::super::vars::{DATA, INPUT};
use super::checker::Checker;
use super::env::Source;
use super::join::or_all;
use super::lattice::{Dynamic, Type, any};
use super::select::{select, values};
use super::tree::{Key, Tree};
use crate::syntax::steps;
use crate::syntax::tree::{Body, Kind, Term, Var};

/// What a look at a path says.
enum Found {
    Type(Option<Type>),
    /// It may be further outside.
    Elsewhere,
}

impl<'t> Checker<'_, 't> {
    /// The type of a term; `None` when it is not known.
    pub(super) fn type_of(&mut self, term: &'t Term) -> Option<Type> {
        steps::one();
        match &term.kind {
            Kind::Null => Some(Type::Null),
            Kind::Bool(_) => Some(Type::Boolean),
            Kind::Number(_) => Some(Type::Number),
            Kind::String(_) | Kind::Template(_) => Some(Type::String),
            Kind::Var(name) => self.type_of_var(name),
            Kind::Ref(parts) => self.type_of_ref(parts),
            Kind::Array(items) => Some(Type::array(items.iter().map(|item| self.type_of(item)).collect(), None)),
            Kind::Object(members) => Some(self.type_of_object(members)),
            Kind::Set(members) => {
                let members: Vec<_> = members.iter().map(|member| self.type_of(member)).collect();
                Some(Type::set(or_all(members)))
            }
            Kind::ArrayCompr(inner) => {
                let of = self.in_closure(&inner.body, [Some(&inner.term), None])?;
                Some(Type::array(Vec::new(), of.into_iter().next().flatten()))
            }
            Kind::SetCompr(inner) => {
                let of = self.in_closure(&inner.body, [Some(&inner.term), None])?;
                Some(Type::set(of.into_iter().next().flatten()))
            }
            Kind::ObjectCompr(inner) => {
                let [key, value] = self.in_closure(&inner.body, [Some(&inner.key), Some(&inner.value)])?;
                Some(Type::object(Vec::new(), Some(Dynamic { key, value })))
            }
            Kind::Call(_) => None,
        }
    }

    /// The types of the terms in front of a body; `None` when something is wrong in there.
    fn in_closure(&mut self, body: &'t Body, heads: [Option<&'t Term>; 2]) -> Option<[Option<Type>; 2]> {
        self.closure(body, heads).ok()
    }

    fn type_of_object(&mut self, members: &'t [(Term, Term)]) -> Type {
        let mut fixed = Vec::new();
        let mut dynamic = None;
        for (key, value) in members {
            let of = self.type_of(value);
            match constants::value(key) {
                Some(key) => fixed.push((key, of)),
                None => dynamic = Some(Dynamic { key: self.type_of(key), value: of }),
            }
        }
        Type::object(fixed, dynamic)
    }

    /// The type of a variable.
    pub(super) fn type_of_var(&self, var: &Var) -> Option<Type> {
        if let Some(of) = self.scopes.var(var) {
            return of;
        }
        let key = Key::Var(var.clone());
        let trees = [&self.env.rules, &self.env.builtins];
        let known = trees.into_iter().find_map(|tree| Some((tree, tree.child(Tree::ROOT, &key)?)));
        known.and_then(|(tree, place)| tree.value(place).cloned())
    }

    /// The type of what a reference leads to.
    pub(super) fn type_of_ref(&self, parts: &[Term]) -> Option<Type> {
        let (first, rest) = parts.split_first()?;
        let name = first.as_var()?;
        for source in self.scopes.sources(name) {
            match self.look(&source, first, rest) {
                Found::Type(of) => return of,
                Found::Elsewhere => {}
            }
        }
        (*name == DATA || *name == INPUT).then(any)
    }

    fn look(&self, source: &Source, first: &Term, rest: &[Term]) -> Found {
        if let Source::Var(of) = source {
            return match (of, rest.first()) {
                (Some(of), _) => Found::Type(select_ref(Some(of.clone()), rest)),
                (None, Some(part)) if constants::is_constant(part) => Found::Elsewhere,
                (None, _) => Found::Type(select_ref(Some(unknown_document()), rest)),
            };
        }
        let (Some(tree), Some(mut place)) = (source.tree(self.env), source.first(self.env, first)) else {
            return Found::Elsewhere;
        };
        let mut rest = rest;
        while let Some((part, below)) = rest.split_first() {
            let child = tree.child(place, &Key::of(part));
            if let Some(value) = tree.value(place) {
                let Some(child) = child else { return Found::Type(select_ref(Some(value.clone()), rest)) };
                place = child;
            } else if !constants::is_constant(part) {
                return Found::Type(select_ref(tree.extent(place), rest));
            } else {
                let Some(child) = child else { return Found::Elsewhere };
                place = child;
            }
            rest = below;
        }
        Found::Type(tree.extent(place))
    }
}

/// The type of a document of which nothing is known.
fn unknown_document() -> Type {
    Type::object(Vec::new(), Some(Dynamic { key: Some(Type::String), value: Some(any()) }))
}

/// The type of what parts of a reference lead to from a type (`selectRef`).
pub(super) fn select_ref(of: Option<Type>, parts: &[Term]) -> Option<Type> {
    parts.iter().try_fold(of?, |of, part| match &part.kind {
        Kind::Var(_) | Kind::Ref(_) | Kind::Array(_) | Kind::Object(_) | Kind::Set(_) => values(&of),
        _ => select_constant(&of, part),
    })
}

/// The type of what a constant part finds.
pub(super) fn select_constant(of: &Type, part: &Term) -> Option<Type> {
    select(of, &constants::value(part)?)
}
