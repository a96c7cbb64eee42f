//! Documents that are made of single members.

use super::place::Root;
use super::uses::{self, At, Use, Uses};
use super::{Search, Way};
use crate::ir::{Comprehension, Definition, Group, GroupId, GroupKind, Iterate, Op, Pattern, Rule, Slot, Step, Term};

/// A document that is made of single members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// Its keys, or its members, are the keys of those that they are made of.
    Keyed,
    /// A set or an object.
    Loose,
    /// Collections somewhere inside of another value.
    Inside(Inside),
}

/// What is known of all collections inside of a value that are made of single members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inside {
    /// Two members never make equal parts of one.
    keyed: bool,
    /// There are arrays among them: what members make stands in the order of their keys.
    ordered: bool,
}

/// Solutions that come from one member each.
struct Solutions {
    /// They come from members; else from none.
    touching: bool,
    /// The variable that is the member's key.
    key: Option<Slot>,
    /// They come in the order of the members' keys, those of each together.
    in_order: bool,
}

impl Made {
    /// Whether two members never make equal parts of it.
    pub(super) fn is_keyed(self) -> bool {
        matches!(self, Self::Keyed | Self::Inside(Inside { keyed: true, .. }))
    }

    /// Whether the order of the members shows.
    pub(super) fn is_ordered(self) -> bool {
        matches!(self, Self::Inside(Inside { ordered: true, .. }))
    }
}

impl Inside {
    /// Nothing.
    const NONE: Self = Self { keyed: true, ordered: false };

    fn and(self, other: Self) -> Self {
        Self { keyed: self.keyed && other.keyed, ordered: self.ordered || other.ordered }
    }
}

impl Solutions {
    /// Whether those of different members have different values of a term; those of none are the same in any case.
    fn are_keyed_by(&self, term: Option<&Term>) -> bool {
        !self.touching || (self.key.is_some() && self.key == term.and_then(slot))
    }
}

impl<'p> Search<'p> {
    /// Returns how a group's document is made of single members; `None` if it is not.
    pub(super) fn made(&mut self, group: &'p Group) -> Option<Made> {
        if group.default.is_some() || group.rules.iter().any(|rule| !rule.otherwise.is_empty() || !rule.args.is_empty()) {
            return None;
        }
        match group.kind {
            GroupKind::Set | GroupKind::Object => self.partial(group),
            GroupKind::Complete => self.complete(group),
            GroupKind::Function(_) => None,
        }
    }

    /// A set or an object: all of its rules add to it.
    fn partial(&mut self, group: &'p Group) -> Option<Made> {
        let mut made = Made::Keyed;
        for rule in &group.rules {
            let is_flat = if group.kind == GroupKind::Set { rule.multi && rule.keys == 0 } else { !rule.multi && rule.keys == 1 };
            let definition = whole(rule).filter(|_| is_flat)?;
            let terms: Vec<&Term> = definition.path.iter().chain([&definition.value]).collect();
            let solutions = self.solutions(&definition.body, &terms)?;
            if !solutions.are_keyed_by(terms.first().copied()) {
                made = Made::Loose;
            }
        }
        Some(made)
    }

    /// One value in which there are comprehensions.
    fn complete(&mut self, group: &'p Group) -> Option<Made> {
        let [rule] = &*group.rules else { return None };
        let definition = whole(rule).filter(|_| !rule.multi && rule.keys == 0)?;
        let (mut composed, mut inside) = (Vec::new(), Inside::NONE);
        for step in &definition.body {
            match &step.op {
                Op::Match(Pattern::Bind(slot), term) => {
                    inside = inside.and(self.composed(term, &composed)?);
                    composed.push(*slot);
                }
                _ => self.is_apart(&uses::of_step(step), &composed)?,
            }
        }
        Some(Made::Inside(inside.and(self.composed(&definition.value, &composed)?)))
    }

    /// Returns the comprehensions of which a term's value is made, equal values of equal ones; `None` if it is made of something else. What
    /// is bound to `composed` is not looked at but shown.
    fn composed(&mut self, term: &'p Term, composed: &[Slot]) -> Option<Inside> {
        match term {
            Term::Slot(_) => Some(Inside::NONE),
            Term::Array(items) => {
                items.iter().try_fold(Inside::NONE, |inside, item| Some(inside.and(self.composed(item, composed)?)))
            }
            Term::Object(members) => members.iter().try_fold(Inside::NONE, |inside, (key, value)| {
                self.is_apart(&uses::of_term(key), composed)?;
                Some(inside.and(self.composed(value, composed)?))
            }),
            Term::Comprehension(comprehension) => {
                let uses = uses::of_term(term);
                match self.is_apart(&uses, composed) {
                    Some(()) => Some(Inside::NONE),
                    None => self.collected(comprehension, &uses, composed),
                }
            }
            _ => self.is_apart(&uses::of_term(term), composed).map(|()| Inside::NONE),
        }
    }

    fn collected(&mut self, comprehension: &'p Comprehension, uses: &Uses<'p>, composed: &[Slot]) -> Option<Inside> {
        if uses.slots.iter().any(|slot| composed.contains(slot)) {
            return None;
        }
        let (body, terms, ordered) = match plain(comprehension) {
            Comprehension::Array(body, value) => (body, vec![value], true),
            Comprehension::Set(body, value) => (body, vec![value], false),
            Comprehension::Object(body, key, value, _) => (body, vec![key, value], false),
            Comprehension::Indexed(_) => return None,
        };
        let solutions = self.solutions(body, &terms)?;
        // An array shows how often something was found: what members have in common in a set is found once.
        if ordered && !solutions.in_order {
            return None;
        }
        Some(Inside { keyed: ordered || solutions.are_keyed_by(terms.first().copied()), ordered })
    }

    /// Whether nothing depends on the collection there.
    fn is_apart(&mut self, uses: &Uses<'p>, composed: &[Slot]) -> Option<()> {
        let is_shown = uses.slots.iter().any(|slot| composed.contains(slot));
        (!is_shown && !uses.references.iter().any(|one| self.is_touching(one))).then_some(())
    }

    /// Returns how a body's solutions, of which terms are made, come from single members; `None` if one may come from several.
    fn solutions(&mut self, body: &'p [Step], terms: &[&'p Term]) -> Option<Solutions> {
        let mut found = Solutions { touching: false, key: None, in_order: true };
        let mut is_first = true;
        for step in body {
            let uses = uses::of_step(step).references;
            match (&step.op, uses.split_first()) {
                (Op::Iterate(iterate), Some((first, rest))) if self.goes_through(first) => {
                    if found.touching || rest.iter().any(|one| self.is_touching(one)) {
                        return None;
                    }
                    // What is gone through before is gone through for each member, or they for each of it.
                    let in_order = is_first && self.is_keyed(&self.place(first).root);
                    found = Solutions { touching: true, key: self.key(first, iterate), in_order };
                }
                _ => self.are_lookups(&uses, &found)?,
            }
            is_first &= matches!(step.op, Op::Test(_) | Op::Match(..) | Op::Not(_) | Op::Every(_));
        }
        terms.iter().try_for_each(|term| self.are_lookups(&uses::of_term(term).references, &found))?;
        Some(found)
    }

    /// Whether a reference goes through the members, or through what is made of single ones.
    fn goes_through(&mut self, one: &Use<'p>) -> bool {
        let place = self.place(one);
        let is_made = match place.root {
            Root::Collection => true,
            Root::Group(id) => match self.way(id) {
                Way::Made(Made::Keyed) => true,
                // In an object, what is at a key may speak against what another member has there, which no part shows.
                Way::Made(Made::Loose) => self.is_set(id),
                Way::Made(Made::Inside(_)) | Way::Apart | Way::Other => false,
            },
            Root::Apart | Root::Several { .. } => false,
        };
        is_made && !one.replaced && matches!(one.elements.get(place.passed), Some(At::Each(_)))
    }

    /// The variable that is bound to the keys of the members that a reference goes through.
    fn key(&mut self, one: &Use<'p>, iterate: &Iterate) -> Option<Slot> {
        let place = self.place(one);
        if !self.is_keyed(&place.root) {
            return None;
        }
        let is_set = matches!(place.root, Root::Group(id) if self.is_set(id));
        match (one.elements.get(place.passed..)?, &iterate.output) {
            // The members of a set are their own keys.
            ([_], Some(Pattern::Bind(slot))) if is_set => Some(*slot),
            ([At::Each(Pattern::Bind(slot)), ..], _) => Some(*slot),
            _ => None,
        }
    }

    fn is_set(&self, id: GroupId) -> bool {
        self.policy.group(id).is_some_and(|group| group.kind == GroupKind::Set)
    }

    /// Whether what lies at a member's key is that member, or made of it.
    fn is_keyed(&mut self, root: &Root) -> bool {
        match root {
            Root::Collection => true,
            Root::Group(id) => self.way(*id) == Way::Made(Made::Keyed),
            Root::Apart | Root::Several { .. } => false,
        }
    }

    /// Whether references see nothing of the collection but the member that is gone through.
    fn are_lookups(&mut self, uses: &[Use<'p>], solutions: &Solutions) -> Option<()> {
        uses.iter().all(|one| !self.is_touching(one) || self.is_lookup(one, solutions)).then_some(())
    }

    fn is_lookup(&mut self, one: &Use<'p>, solutions: &Solutions) -> bool {
        let place = self.place(one);
        let at = match one.elements.get(place.passed) {
            Some(At::Key(term)) => slot(term),
            _ => None,
        };
        !one.replaced && at.is_some() && at == solutions.key && self.is_keyed(&place.root)
    }
}

/// A rule as it is where no key is known.
fn whole(rule: &Rule) -> Option<&Definition> {
    rule.definitions.first()
}

fn slot(term: &Term) -> Option<Slot> {
    match term {
        Term::Slot(slot) => Some(*slot),
        _ => None,
    }
}

fn plain(comprehension: &Comprehension) -> &Comprehension {
    match comprehension {
        Comprehension::Indexed(indexed) => &indexed.plain,
        plain => plain,
    }
}
