//! Sets of sets: what is in both, and what is in one and not in another.

use plimsoll_contract::why::{Alternative, Condition, Reached};
use plimsoll_rego::syntax::tree::Term;

use super::Explainer;
use super::bindings::called;
use super::member::{Found, Gives, Sought};

/// So many combinations of bodies are told at most.
const MOST: usize = 16;

impl<'p> Explainer<'p> {
    /// Finds the conditions under which a value is in a difference of sets; `None` for other calls.
    pub(super) fn of_sets(&mut self, term: &'p Term, parts: &'p [Term], sought: Sought<'_, 'p>) -> Option<Found> {
        let [_, left, right] = parts else { return None };
        match called(parts)?.as_str() {
            "minus" | "object.remove" => {
                let found = self.side(left, sought);
                Some(match self.has(right, sought) {
                    true => self.without(term, right, (found, sought)),
                    false => found,
                })
            }
            "and" | "object.filter" => {
                let (left, right) = (self.side(left, sought), self.side(right, sought));
                Some(both(left, right))
            }
            _ => None,
        }
    }

    /// Finds the conditions under which a value is in one operand; where none are found, that it is not there is one.
    fn side(&mut self, term: &'p Term, sought: Sought<'_, 'p>) -> Found {
        let found = self.member(term, sought);
        if !found.alternatives.is_empty() || self.has(term, sought) {
            return found;
        }
        let condition = self.written(term.span, Reached::Fails);
        let alternative = Alternative {
            rule: self.asker.policies.around(sought.frame.file, term.span),
            location: condition.location.clone(),
            title: None,
            labels: Default::default(),
            holds: false,
            conditions: vec![condition],
        };
        Found { alternatives: vec![alternative], ..found }
    }

    /// Whether a term of a body has a value.
    fn has(&mut self, term: &'p Term, sought: Sought<'_, 'p>) -> bool {
        self.values_of(sought.frame, term).iter().any(|found| super::rules::has(found, sought.value))
    }

    /// The bodies of one side, none of which lets a value in that the other side has.
    fn without(&mut self, term: &'p Term, right: &'p Term, (mut found, sought): (Found, Sought<'_, 'p>)) -> Found {
        let mut alternatives = self.proven(true, |explainer| explainer.member(right, sought)).alternatives;
        alternatives.retain(|alternative| alternative.holds);
        let text = format!("not in {}", self.asker.policies.term(right));
        let (location, empty) = (self.asker.policies.location(term.span), Default::default());
        let condition = Condition { text, location, result: Reached::Fails, together: false, found: empty, alternatives };
        for alternative in &mut found.alternatives {
            self.tell(std::slice::from_ref(&condition));
            alternative.holds = false;
            alternative.conditions.push(condition.clone());
        }
        Found { gives: Gives::No, ..found }
    }
}

/// Each body of one side with each of the other one; a side that is no body's has a say only where it has not the value.
fn both(left: Found, right: Found) -> Found {
    let aggregates = [left.aggregates, right.aggregates].concat();
    if left.alternatives.is_empty() || right.alternatives.is_empty() {
        let alternatives = [left.alternatives, right.alternatives].concat();
        return Found { alternatives, aggregates, gives: left.gives.min(right.gives) };
    }
    let pairs = left.alternatives.iter().flat_map(|one| right.alternatives.iter().map(move |other| (one, other)));
    let joined = pairs.take(MOST).map(|(one, other)| {
        // It is named after the one that keeps the value out.
        let named = if one.holds && !other.holds { other } else { one };
        let conditions = [one.conditions.clone(), other.conditions.clone()].concat();
        Alternative { holds: one.holds && other.holds, conditions, ..named.clone() }
    });
    Found { alternatives: joined.collect(), aggregates, gives: Gives::No }
}
