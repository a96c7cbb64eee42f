//! What terms and patterns depend on.

use super::walk::Walk;
use crate::depend::flow::grown;
use crate::ir::{Comprehension, Pattern, Reference, Term};

impl Walk<'_> {
    pub(super) fn pattern(&mut self, pattern: &Pattern) {
        self.size = self.size.saturating_add(1);
        match pattern {
            Pattern::Any | Pattern::Never | Pattern::Bind(_) => {}
            Pattern::Equal(term) => self.term(term),
            Pattern::Array(items) => grown(|| items.iter().for_each(|item| self.pattern(item))),
            Pattern::Object(members) => grown(|| {
                for (key, member) in members {
                    self.term(key);
                    self.pattern(member);
                }
            }),
        }
    }

    pub(super) fn terms(&mut self, terms: &[Term]) {
        terms.iter().for_each(|term| self.term(term));
    }

    pub(super) fn term(&mut self, term: &Term) {
        self.size = self.size.saturating_add(1);
        match term {
            Term::Constant(_) | Term::Slot(_) => {}
            Term::Input => self.mark.input = true,
            Term::Reference(reference) => grown(|| self.reference(reference)),
            Term::Array(items) | Term::Set(items) => grown(|| self.terms(items)),
            Term::Object(members) => grown(|| {
                for (key, value) in members.iter() {
                    self.term(key);
                    self.term(value);
                }
            }),
            Term::Comprehension(comprehension) => self.comprehension(comprehension),
        }
    }

    fn reference(&mut self, reference: &Reference) {
        let keys = reference.keys.iter().map_while(|key| match key {
            Term::Constant(key) => Some(key),
            _ => None,
        });
        self.head(&reference.head, keys);
        self.terms(&reference.keys);
    }

    pub(super) fn comprehension(&mut self, comprehension: &Comprehension) {
        match comprehension {
            Comprehension::Array(body, value) | Comprehension::Set(body, value) => {
                self.block(body);
                self.term(value);
            }
            Comprehension::Indexed(indexed) => self.comprehension(&indexed.plain),
            Comprehension::Object(body, key, value, _) => {
                self.block(body);
                self.term(key);
                self.term(value);
            }
        }
    }
}
