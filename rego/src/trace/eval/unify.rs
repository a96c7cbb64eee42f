//! Unification (opa `v1/topdown/eval.go`, `biunify` and what it calls).

use super::bindings::{Bound, Class, Item};
use super::{Next, Query, Run, Traced};
use crate::syntax::tree::{Kind, Term};
use crate::value::Value;

impl<'a> Traced<'a> {
    /// Goes on for each way in which two terms are equal.
    pub(super) fn unify(&mut self, query: Query<'a>, a: Bound<'a>, b: Bound<'a>, next: Next<'_, 'a>) -> Run {
        use Class::{Array, Comprehension, Object, Ref, Set, Var};
        let (a, b) = (self.apply(a), self.apply(b));
        self.event_unify(query, &a, &b);
        if let (Item::Value(x), Item::Value(y)) = (&a.item, &b.item)
            && !self.hears_unify
        {
            return if x.equal_within(y, &mut self.context.account)? { next(self) } else { Ok(()) };
        }
        match (a.class(), b.class()) {
            (Var | Ref | Comprehension | Set, _) | (_, Var | Ref) => self.unify_values(query, a, b, next),
            (class @ (Array | Object), Comprehension) => match (class, &b.item) {
                // One of another kind is not evaluated, so that it does not fail either.
                (Array, Item::Tree(Term { kind: Kind::ArrayCompr(_), .. }))
                | (Object, Item::Tree(Term { kind: Kind::ObjectCompr(_), .. })) => self.unify_values(query, a, b, next),
                _ => Ok(()),
            },
            (Array, Array) => {
                let (a, b) = (a.items(), b.items());
                if a.len() == b.len() { self.unify_each(query, &a, &b, next) } else { Ok(()) }
            }
            (Object, Object) => self.unify_objects(query, &a, &b, next),
            (x, y) if x == y => self.unify_values(query, a, b, next),
            _ => Ok(()),
        }
    }

    /// Unifies item by item.
    pub(super) fn unify_each(&mut self, query: Query<'a>, a: &[Bound<'a>], b: &[Bound<'a>], next: Next<'_, 'a>) -> Run {
        match (a, b) {
            ([x], [y]) => {
                let (x, y) = (x.clone(), y.clone());
                self.deeper(|eval| eval.unify(query, x, y, next))
            }
            ([x, a @ ..], [y, b @ ..]) => {
                let (x, y) = (x.clone(), y.clone());
                self.deeper(|eval| eval.unify(query, x, y, &mut |eval| eval.unify_each(query, a, b, next)))
            }
            ([], []) => self.deeper(|eval| next(eval)),
            _ => Ok(()),
        }
    }

    fn unify_objects(&mut self, query: Query<'a>, a: &Bound<'a>, b: &Bound<'a>, next: Next<'_, 'a>) -> Run {
        let (Some(a), Some(b)) = (self.members(a), self.members(b)) else { return Ok(()) };
        if a.len() != b.len() {
            return Ok(());
        }
        let (keys, values): (Vec<_>, Vec<_>) = a.into_iter().unzip();
        // A key that is missing ends it, but only once those before it are unified.
        let find = |key: &Value| b.binary_search_by(|(other, _)| other.cmp(key)).ok().and_then(|at| b.get(at));
        let others: Vec<_> = keys.iter().map_while(|key| find(key).map(|(_, value)| value.clone())).collect();
        match values.get(..others.len()) {
            Some(values) if others.len() < keys.len() => self.unify_each(query, values, &others, &mut |_| Ok(())),
            _ => self.unify_each(query, &values, &others, next),
        }
    }

    /// The members of an object, by their keys, which must have values.
    pub(super) fn members(&self, object: &Bound<'a>) -> Option<Vec<(Value, Bound<'a>)>> {
        match &object.item {
            Item::Value(value) => {
                Some(value.as_object()?.iter().map(|(key, value)| (key.clone(), Bound::value(value.clone()))).collect())
            }
            Item::Tree(Term { kind: Kind::Object(members), .. }) => {
                let members = members
                    .iter()
                    .map(|(key, value)| Some((self.plug_tree(key, object.frame)?, Bound::tree(value, object.frame))));
                let mut members = members.collect::<Option<Vec<_>>>()?;
                members.sort_by(|(a, _), (b, _)| a.cmp(b));
                Some(members)
            }
            Item::Tree(_) => None,
        }
    }

    fn unify_values(&mut self, query: Query<'a>, a: Bound<'a>, b: Bound<'a>, next: Next<'_, 'a>) -> Run {
        let parts = |bound: &Bound<'a>| if let Item::Tree(term) = bound.item { term.as_ref_parts() } else { None };
        if let Some(parts) = parts(&a) {
            return self.reference(query, (parts, a.frame), b, next);
        }
        if let Some(parts) = parts(&b) {
            return self.reference(query, (parts, b.frame), a, next);
        }
        for (one, other) in [(&a, &b), (&b, &a)] {
            if let (Class::Comprehension, Item::Tree(term)) = (one.class(), &one.item) {
                return self.comprehension(query, term, other.clone(), next);
            }
        }
        match (a.as_var(), b.as_var()) {
            (Some(x), Some(y)) if a.frame == b.frame && x == y => next(self),
            (Some(_), _) => self.binding(&a, b, next),
            (None, Some(_)) => self.binding(&b, a, next),
            (None, None) => match (self.plug(&a), self.plug(&b)) {
                (Some(x), Some(y)) if x.equal_within(&y, &mut self.context.account)? => next(self),
                _ => Ok(()),
            },
        }
    }
}
