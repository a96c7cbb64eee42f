//! Types flow into variables (`v1/ast/check.go`, `unify1`, `unify2`).

use super::super::constants::is_constant;
use super::checker::Checker;
use super::compatible::unifies;
use super::infer::select_constant;
use super::join::or;
use super::lattice::{Type, any, is_nil};
use crate::syntax::order::compare;
use crate::syntax::tree::{Kind, Term, Var};

impl<'t> Checker<'_, 't> {
    /// Whether both sides of an equality may be equal; variables get the type of the other side.
    pub(super) fn unify_both(&mut self, a: &'t Term, of_a: Option<&Type>, b: &'t Term, of_b: Option<&Type>) -> bool {
        match (is_nil(of_a), is_nil(of_b)) {
            (true, false) => return self.unify_term(a, of_b, false),
            (false, true) => return self.unify_term(b, of_a, false),
            (false, false) => return unifies(of_a, of_b),
            (true, true) => {}
        }
        match (&a.kind, &b.kind) {
            (Kind::Array(x), Kind::Array(y)) => return x.len() == y.len() && self.unify_pairs(x.iter().zip(y)),
            (Kind::Object(x), Kind::Object(y)) => return self.unify_members(x, y),
            (Kind::Array(_) | Kind::Object(_), Kind::Var(_)) => return self.unify_open(a, b),
            (Kind::Var(_), Kind::Var(_) | Kind::Array(_) | Kind::Object(_)) => {
                let (first, second) = if b.as_var().is_some() { (a, b) } else { (b, a) };
                return self.unify_open(first, second);
            }
            (Kind::Array(_) | Kind::Object(_), _) => return false,
            _ => {}
        }
        match (a.as_var(), b.as_var()) {
            (Some(_), _) if of_a.is_none() && of_b.is_some() => self.unify_term(a, of_b, false),
            (_, Some(_)) if of_b.is_none() && of_a.is_some() => self.unify_term(b, of_a, false),
            _ => false,
        }
    }

    /// A pattern of which something is unknown, and a variable: what is unknown may be anything.
    fn unify_open(&mut self, pattern: &'t Term, var: &'t Term) -> bool {
        if !self.unify_term(pattern, Some(&any()), false) {
            return false;
        }
        let of = self.type_of(pattern);
        self.unify_term(var, of.as_ref(), false)
    }

    fn unify_pairs(&mut self, pairs: impl Iterator<Item = (&'t Term, &'t Term)>) -> bool {
        for (a, b) in pairs {
            let (of_a, of_b) = (self.type_of(a), self.type_of(b));
            if !self.unify_both(a, of_a.as_ref(), b, of_b.as_ref()) {
                return false;
            }
        }
        true
    }

    fn unify_members(&mut self, x: &'t [(Term, Term)], y: &'t [(Term, Term)]) -> bool {
        let same_keys = x.len() == y.len() && x.iter().zip(y).all(|((a, _), (b, _))| compare(a, b).is_eq());
        same_keys && self.unify_pairs(x.iter().zip(y).map(|((_, a), (_, b))| (a, b)))
    }

    /// Whether a term may be of a type; its variables get their part of it. In a union the parts add up.
    pub(super) fn unify_term(&mut self, term: &'t Term, of: Option<&Type>, union: bool) -> bool {
        match &term.kind {
            Kind::Var(name) => self.unify_var(name, of, union),
            Kind::Array(_) | Kind::Object(_) | Kind::Set(_) => self.unify_collection(term, of, union),
            _ => unifies(self.type_of(term).as_ref(), of),
        }
    }

    fn unify_var(&mut self, name: &Var, of: Option<&Type>, union: bool) -> bool {
        let known = self.type_of_var(name);
        if union {
            self.scopes.put(name, or(known, of.cloned()));
            return true;
        }
        if known.is_some() {
            return unifies(known.as_ref(), of);
        }
        self.scopes.put(name, of.cloned());
        true
    }

    fn unify_collection(&mut self, term: &'t Term, of: Option<&Type>, union: bool) -> bool {
        let Some(of) = of else { return false };
        match (&term.kind, of) {
            (_, Type::Any(alternatives)) if alternatives.0.is_empty() => {
                self.unify_parts(term);
                true
            }
            // Each alternative is tried: all of them say something of the variables.
            (_, Type::Any(alternatives)) => {
                let mut fits = false;
                for one in &alternatives.0 {
                    fits |= self.unify_term(term, Some(one), true);
                }
                fits
            }
            (Kind::Array(items), Type::Array(array)) => {
                let fits = items.len() == array.fixed.len() || array.dynamic.is_some();
                let part = |at: usize| array.fixed.get(at).unwrap_or(&array.dynamic).clone();
                fits && items.iter().enumerate().all(|(at, item)| self.unify_term(item, part(at).as_ref(), union))
            }
            (Kind::Object(members), Type::Object(_)) => self.unify_object(members, of, union),
            (Kind::Set(members), Type::Set(inner)) => {
                members.iter().all(|member| self.unify_term(member, inner.0.as_ref(), union))
            }
            _ => false,
        }
    }

    /// All parts may be anything.
    fn unify_parts(&mut self, term: &'t Term) {
        let mut any_part = |part: &'t Term| {
            self.unify_term(part, Some(&any()), true);
        };
        match &term.kind {
            Kind::Array(parts) | Kind::Set(parts) => parts.iter().for_each(any_part),
            Kind::Object(members) => members.iter().for_each(|(key, value)| {
                any_part(key);
                any_part(value);
            }),
            _ => {}
        }
    }

    fn unify_object(&mut self, members: &'t [(Term, Term)], of: &Type, union: bool) -> bool {
        let Type::Object(object) = of else { return false };
        let open = object.dynamic.as_ref().is_some_and(|dynamic| dynamic.value.is_some());
        if members.len() != object.fixed.len() && !open {
            return false;
        }
        for (key, value) in members {
            if !is_constant(key) {
                self.unify_term(value, Some(&any()), union);
                continue;
            }
            let Some(child) = select_constant(of, key) else { return false };
            if !self.unify_term(value, Some(&child), union) {
                return false;
            }
        }
        true
    }
}
