//! Comprehensions.

use super::Lower;
use super::scope::Scope;
use crate::ir::{Comprehension, IndexedComprehension, Term};
use crate::syntax::tree::{self, Kind};
use crate::value::Value;

impl Lower<'_> {
    pub(super) fn comprehension(&mut self, term: &tree::Term, scope: &mut Scope) -> Term {
        let mark = scope.mark();
        let plain = self.collected(term, scope);
        scope.reset(mark);
        match plain {
            Some(plain) => Term::Comprehension(Box::new(self.indexed(plain, term, scope))),
            None => {
                self.error(term.span, "a term that the compiler has left as it was");
                Term::Constant(Value::Null)
            }
        }
    }

    fn collected(&mut self, term: &tree::Term, scope: &mut Scope) -> Option<Comprehension> {
        Some(match &term.kind {
            Kind::ArrayCompr(inner) => Comprehension::Array(self.body(&inner.body, scope), self.term(&inner.term, scope)),
            Kind::SetCompr(inner) => Comprehension::Set(self.body(&inner.body, scope), self.term(&inner.term, scope)),
            Kind::ObjectCompr(inner) => {
                let body = self.body(&inner.body, scope);
                Comprehension::Object(body, self.term(&inner.key, scope), self.term(&inner.value, scope), term.span)
            }
            _ => return None,
        })
    }

    /// A comprehension that is looked up, if it can be: beside variables that are bound here, and in an order of its body in which
    /// they need not be.
    fn indexed(&mut self, plain: Comprehension, term: &tree::Term, scope: &mut Scope) -> Comprehension {
        let Some(keys) = self.comprehensions.get(term).map(<[_]>::to_vec) else { return plain };
        if !keys.iter().all(|key| scope.is_bound(key)) {
            return plain;
        }
        let mut inside = Scope::default();
        let errors = self.errors.len();
        let whole = self.collected(term, &mut inside);
        let sound = self.errors.len() == errors && inside.is_sound() && keys.iter().all(|key| inside.is_bound(key));
        self.errors.truncate(errors);
        match whole.filter(|_| sound) {
            Some(whole) => {
                let keys = keys.iter().map(|key| (scope.slot(key), inside.slot(key))).collect();
                Comprehension::Indexed(Box::new(IndexedComprehension { plain, whole, slots: inside.len(), keys }))
            }
            None => plain,
        }
    }
}
