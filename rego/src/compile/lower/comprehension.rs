//! Comprehensions.

use super::Lower;
use super::scope::Scope;
use super::told::tells_values;
use crate::ir::{Comprehension, IndexedComprehension, Term};
use crate::syntax::tree::{self, Kind};

/// A comprehension is lowered twice where it is looked up, and so are those inside of it: only so many levels are.
const LEVELS: u32 = 3;

impl Lower<'_> {
    pub(super) fn comprehension(&mut self, term: &tree::Term, scope: &mut Scope) -> Term {
        let keys = self.comprehensions.get(term).filter(|keys| keys.iter().all(|key| scope.is_bound(key)));
        let (keys, deep) = (keys.map(<[_]>::to_vec), self.indexed >= LEVELS);
        self.indexed = self.indexed.saturating_add(u32::from(keys.is_some() && !deep));
        let mark = scope.mark();
        let plain = self.collected(term, scope).map(|(plain, _)| plain);
        scope.reset(mark);
        let comprehension = match (plain, keys) {
            (Some(plain), Some(_)) if deep => as_looked_up(plain),
            (Some(plain), Some(keys)) => {
                let comprehension = self.indexed(plain, term, &keys, scope);
                self.indexed = self.indexed.saturating_sub(1);
                comprehension
            }
            (Some(plain), None) => plain,
            (None, _) => {
                return self.left_over(term);
            }
        };
        Term::Comprehension(Box::new(comprehension))
    }

    /// A comprehension, and how many errors there were once its body was lowered.
    fn collected(&mut self, term: &tree::Term, scope: &mut Scope) -> Option<(Comprehension, usize)> {
        Some(match &term.kind {
            Kind::ArrayCompr(inner) => {
                let (body, errors) = (self.body(&inner.body, scope), self.errors.len());
                (Comprehension::Array(body, self.term(&inner.term, scope)), errors)
            }
            Kind::SetCompr(inner) => {
                let (body, errors) = (self.body(&inner.body, scope), self.errors.len());
                (Comprehension::Set(body, self.term(&inner.term, scope)), errors)
            }
            Kind::ObjectCompr(inner) => {
                let (body, errors) = (self.body(&inner.body, scope), self.errors.len());
                let (key, value) = (self.term(&inner.key, scope), self.term(&inner.value, scope));
                (Comprehension::Object(body, key, value, inner.key.span), errors)
            }
            _ => return None,
        })
    }

    /// A comprehension that is looked up by variables that are bound outside, if its body is in an order in which they need not be.
    fn indexed(&mut self, plain: Comprehension, term: &tree::Term, keys: &[tree::Var], scope: &mut Scope) -> Comprehension {
        let mut inside = Scope::default();
        let before = self.errors.len();
        let whole = self.collected(term, &mut inside);
        let after = self.errors.len();
        self.errors.truncate(before);
        let slots: Box<[_]> = keys.iter().map(|key| (scope.slot(key), inside.slot(key))).collect();
        match whole {
            Some((whole, errors)) if errors == before => Comprehension::Indexed(Box::new(IndexedComprehension {
                complete: body(term).is_some_and(|body| tells_values(body, keys)),
                plain,
                whole: Some(whole).filter(|_| after == before),
                slots: inside.len(),
                keys: slots,
            })),
            _ => as_looked_up(plain),
        }
    }
}

/// Returns a comprehension that is computed where it stands as if it was looked up: of several values of a key, the last one stays.
fn as_looked_up(plain: Comprehension) -> Comprehension {
    if !matches!(plain, Comprehension::Object(..)) {
        return plain;
    }
    Comprehension::Indexed(Box::new(IndexedComprehension { complete: false, plain, whole: None, slots: 0, keys: Box::default() }))
}

fn body(term: &tree::Term) -> Option<&tree::Body> {
    match &term.kind {
        Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => Some(&inner.body),
        Kind::ObjectCompr(inner) => Some(&inner.body),
        _ => None,
    }
}
