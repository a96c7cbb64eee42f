//! References to what cannot be there (`v1/ast/check.go`, `refChecker`).

use super::super::terms::is_comprehension;
use super::super::vars::{DATA, INPUT};
use super::checker::Checker;
use super::compatible::unifies;
use super::env::Source;
use super::infer::select_constant;
use super::lattice::{Type, any};
use super::ref_errors::{Reason, members};
use super::select::{is_empty_collection, keys, values};
use super::tree::{Key, Place};
use crate::error::Error;
use crate::syntax::tree::{Expr, ExprKind, Kind, Term};
use crate::syntax::visit::{Node, walk};

impl<'t> Checker<'_, 't> {
    /// The errors of all references in an expression, those in closures left out.
    pub(super) fn check_refs(&mut self, expr: &'t Expr) -> Vec<Error> {
        let mut errors = Vec::new();
        self.refs_of(Node::Expr(expr), &mut errors);
        errors
    }

    fn refs_of(&mut self, node: Node<'t>, errors: &mut Vec<Error>) {
        walk(node, &mut |node| match node {
            Node::Term(term) if is_comprehension(term) => true,
            Node::Term(Term { kind: Kind::Ref(parts), .. }) => self.check_one(parts, errors),
            Node::Expr(Expr { kind: ExprKind::Call(parts), .. }) => {
                parts.iter().skip(1).for_each(|part| self.refs_of(Node::Term(part), errors));
                true
            }
            Node::Expr(Expr { kind: ExprKind::Term(term), .. }) => {
                self.refs_of(Node::Term(term), errors);
                true
            }
            Node::Expr(Expr { kind: ExprKind::Not(not), .. }) => {
                self.refs_of(Node::Body(&not.body), errors);
                true
            }
            _ => false,
        });
    }

    /// Says whether what is below is left out.
    fn check_one(&mut self, parts: &'t [Term], errors: &mut Vec<Error>) -> bool {
        if let Some(of @ Type::Function(_)) = self.type_of_ref(parts) {
            errors.push(self.unsupported(parts, parts.len().saturating_sub(1), Some(of)));
            return true;
        }
        errors.extend(self.check_ref(parts).err());
        false
    }

    fn check_ref(&mut self, parts: &'t [Term]) -> Result<(), Error> {
        let Some(first) = parts.first() else { return Ok(()) };
        let sources = first.as_var().map(|name| self.scopes.sources(name)).unwrap_or_default();
        for source in sources {
            let start = match &source {
                Source::Var(Some(of)) => return self.check_leaf(Some(of.clone()), parts, 1),
                // Nothing below it is known: the parts are looked at as those of an object with any key.
                Source::Var(None) => None,
                tree => tree.first(self.env, first),
            };
            if let Some(found) = start.and_then(|place| self.descend(&source, place, parts)) {
                return found;
            }
        }
        let known = first.as_var().is_some_and(|name| *name == DATA || *name == INPUT);
        self.check_leaf(Some(any()), parts, usize::from(known))
    }

    /// Goes down a tree; `None` when it ends before the reference does.
    fn descend(&mut self, source: &Source, mut place: Place, parts: &'t [Term]) -> Option<Result<(), Error>> {
        for (at, part) in parts.iter().enumerate().skip(1) {
            if let Some(value) = source.tree(self.env)?.value(place) {
                return Some(self.check_leaf(Some(value.clone()), parts, at));
            }
            if let Err(error) = self.check_step(source, place, parts, at) {
                return Some(Err(error));
            }
            place = source.tree(self.env)?.child(place, &Key::of(part))?;
        }
        Some(Ok(()))
    }

    fn check_step(&mut self, source: &Source, place: Place, parts: &'t [Term], at: usize) -> Result<(), Error> {
        let (Some(part), Some(tree)) = (parts.get(at), source.tree(self.env)) else { return Ok(()) };
        let one_of = || tree.keys(place).into_iter().map(Key::shown).collect();
        if at <= 2 && part.as_var().is_none() && part.as_str().is_none() {
            let one_of = one_of();
            let have = self.type_of(part);
            return Err(self.invalid(parts, at, Reason { have, want: Some(Type::String), one_of }));
        }
        let Some(name) = part.as_var() else { return Ok(()) };
        let wanted = tree.extent(place).as_ref().and_then(keys);
        match self.type_of_var(name) {
            Some(known) if !unifies(wanted.as_ref(), Some(&known)) => {
                let one_of = one_of();
                Err(self.invalid(parts, at, Reason { have: Some(known), want: wanted, one_of }))
            }
            Some(_) => Ok(()),
            None => {
                self.scopes.put(name, wanted);
                Ok(())
            }
        }
    }

    /// The parts from an index on, below a type.
    fn check_leaf(&mut self, of: Option<Type>, parts: &'t [Term], from: usize) -> Result<(), Error> {
        let mut of = of;
        for (at, part) in parts.iter().enumerate().skip(from) {
            if of.as_ref().is_some_and(is_empty_collection) {
                return Err(self.invalid(parts, at, Reason { have: None, want: None, one_of: Vec::new() }));
            }
            let Some(wanted) = of.as_ref().and_then(keys) else {
                return Err(self.unsupported(parts, at.saturating_sub(1), of));
            };
            let Some(current) = of else { return Ok(()) };
            if let Err(have) = self.check_part(part, &current, &wanted) {
                let composite = matches!(part.kind, Kind::Array(_) | Kind::Object(_) | Kind::Set(_));
                let one_of = if composite { Vec::new() } else { members(&current) };
                return Err(self.invalid(parts, at, Reason { have, want: Some(wanted), one_of }));
            }
            of = match &part.kind {
                Kind::Var(_) | Kind::Ref(_) | Kind::Array(_) | Kind::Object(_) | Kind::Set(_) => values(&current),
                _ => select_constant(&current, part),
            };
        }
        Ok(())
    }

    /// Whether a part fits; if not, what it is.
    fn check_part(&mut self, part: &'t Term, of: &Type, wanted: &Type) -> Result<(), Option<Type>> {
        match &part.kind {
            Kind::Var(name) => match self.type_of_var(name) {
                Some(known) if !unifies(Some(&known), Some(wanted)) => Err(Some(known)),
                Some(_) => Ok(()),
                None => {
                    self.scopes.put(name, Some(wanted.clone()));
                    Ok(())
                }
            },
            Kind::Ref(inner) => match self.type_of_ref(inner) {
                Some(known) if !unifies(Some(&known), Some(wanted)) => Err(Some(known)),
                _ => Ok(()),
            },
            Kind::Array(_) | Kind::Object(_) | Kind::Set(_) => {
                if self.unify_term(part, Some(wanted), false) {
                    return Ok(());
                }
                Err(self.type_of(part))
            }
            _ => select_constant(of, part).map(drop).ok_or(None),
        }
    }
}
