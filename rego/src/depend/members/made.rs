//! Documents that are made of single members.

use foldhash::HashSet;

use super::place::Root;
use super::uses::{self, At, Use, Uses};
use super::{Search, Way};
use crate::depend::flow::grown;
use crate::ir::{Comprehension, Definition, Group, GroupId, GroupKind, Op, Pattern, Rule, Slot, Step, Term};

/// A document that is made of single members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// A set or an object of members' keys alone, each of which is there, or has its value, for that member's sake alone. To go through it is
    /// to go through the members.
    PerMember,
    /// The same with keys that come from elsewhere, too.
    Keyed,
    /// A set or an object of anything. Who goes through it sees members together: of equal values one is there, and values at one key may
    /// speak against each other.
    Loose,
    /// Comprehensions inside of another value.
    Composed(Composed),
}

/// Properties that all comprehensions inside of one value share, where they are made of single members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Composed {
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
        matches!(self, Self::PerMember | Self::Keyed | Self::Composed(Composed { keyed: true, .. }))
    }

    /// Whether the order of the members shows.
    pub(super) fn is_ordered(self) -> bool {
        matches!(self, Self::Composed(Composed { ordered: true, .. }))
    }
}

impl Composed {
    /// Nothing.
    const NONE: Self = Self { keyed: true, ordered: false };

    fn and(self, other: Self) -> Self {
        Self { keyed: self.keyed && other.keyed, ordered: self.ordered || other.ordered }
    }
}

impl Solutions {
    /// Returns what a set or an object of them is, by the term that is its member or its key.
    fn made(&self, term: Option<&Term>) -> Made {
        match (self.touching, self.key) {
            // Those of no member are the same in any case.
            (false, _) => Made::Keyed,
            (true, Some(key)) if term.and_then(slot) == Some(key) => Made::PerMember,
            (true, _) => Made::Loose,
        }
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
        let mut all = Made::PerMember;
        for rule in &group.rules {
            let is_flat = if group.kind == GroupKind::Set { rule.multi && rule.keys == 0 } else { !rule.multi && rule.keys == 1 };
            let definition = whole(rule).filter(|_| is_flat)?;
            let terms: Vec<&Term> = definition.path.iter().chain([&definition.value]).collect();
            let solutions = self.solutions(&definition.body, &terms)?;
            all = match (all, solutions.made(terms.first().copied())) {
                (Made::PerMember, made) => made,
                (_, Made::Loose) => Made::Loose,
                (all, _) => all,
            };
        }
        Some(all)
    }

    /// One value in which there are comprehensions.
    fn complete(&mut self, group: &'p Group) -> Option<Made> {
        let [rule] = &*group.rules else { return None };
        let definition = whole(rule).filter(|_| !rule.multi && rule.keys == 0)?;
        let (mut shown, mut all) = (HashSet::default(), Composed::NONE);
        for step in &definition.body {
            match &step.op {
                Op::Match(Pattern::Bind(slot), term) if !self.is_independent(&uses::of_term(term), &shown) => {
                    all = all.and(self.composed(term, &shown)?);
                    shown.insert(*slot);
                }
                _ => self.is_independent(&uses::of_step(step), &shown).then_some(())?,
            }
        }
        Some(Made::Composed(all.and(self.composed(&definition.value, &shown)?)))
    }

    /// Returns the comprehensions of which a term's value is made, equal values of equal ones; `None` if it is made of something else. What
    /// the variables `shown` are bound to is shown there, and not looked at.
    fn composed(&mut self, term: &'p Term, shown: &HashSet<Slot>) -> Option<Composed> {
        match term {
            Term::Slot(_) => Some(Composed::NONE),
            Term::Array(items) => {
                grown(|| items.iter().try_fold(Composed::NONE, |all, item| Some(all.and(self.composed(item, shown)?))))
            }
            Term::Object(members) => grown(|| {
                members.iter().try_fold(Composed::NONE, |all, (key, value)| {
                    let is_known = self.is_independent(&uses::of_term(key), shown);
                    if is_known { Some(all.and(self.composed(value, shown)?)) } else { None }
                })
            }),
            term => {
                let uses = uses::of_term(term);
                match term {
                    _ if self.is_independent(&uses, shown) => Some(Composed::NONE),
                    Term::Comprehension(comprehension) => self.collected(comprehension, &uses, shown),
                    _ => None,
                }
            }
        }
    }

    fn collected(&mut self, comprehension: &'p Comprehension, uses: &Uses<'p>, shown: &HashSet<Slot>) -> Option<Composed> {
        if uses.slots.iter().any(|slot| shown.contains(slot)) {
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
        let keyed = ordered || solutions.made(terms.first().copied()).is_keyed();
        // Where a comprehension is looked up, the last of several values of a key stays: whose that is, no part shows.
        let last_stays = matches!((comprehension, terms.len()), (Comprehension::Indexed(_), 2));
        (keyed || !last_stays).then_some(Composed { keyed, ordered })
    }

    /// Whether nothing depends on the collection there.
    fn is_independent(&mut self, uses: &Uses<'p>, shown: &HashSet<Slot>) -> bool {
        !uses.slots.iter().any(|slot| shown.contains(slot)) && !uses.references.iter().any(|one| self.is_touching(one))
    }

    /// Returns how a body's solutions, of which terms are made, come from single members; `None` if one may come from several.
    fn solutions(&mut self, body: &'p [Step], terms: &[&'p Term]) -> Option<Solutions> {
        let mut found = Solutions { touching: false, key: None, in_order: true };
        let mut is_first = true;
        for step in body {
            match self.gone_through(step) {
                Some(key) => {
                    // What is gone through before is gone through for each member, or they for each of it.
                    let new = Solutions { touching: true, key, in_order: is_first };
                    found = if found.touching { None? } else { new };
                }
                None => self.are_lookups(&uses::of_step(step).references, &found)?,
            }
            is_first &= matches!(step.op, Op::Test(_) | Op::Match(..) | Op::Not(_) | Op::Every(_));
        }
        terms.iter().try_for_each(|term| self.are_lookups(&uses::of_term(term).references, &found))?;
        Some(found)
    }

    /// Whether an expression goes through the members; returns the variable that is bound to their keys, if there is one.
    fn gone_through(&mut self, step: &'p Step) -> Option<Option<Slot>> {
        let Op::Iterate(iterate) = &step.op else { return None };
        let (Some(own), inside) = uses::of_iterate(iterate) else { return None };
        let place = self.place(&own);
        if own.replaced || !self.is_per_member(&place.root) || inside.iter().any(|one| self.is_touching(one)) {
            return None;
        }
        let is_set = matches!(place.root, Root::Group(id) if self.is_set(id));
        match (own.elements.get(place.passed..)?, &iterate.output) {
            // The members of a set are their own keys.
            ([At::Each(_)], Some(Pattern::Bind(slot))) if is_set => Some(Some(*slot)),
            ([At::Each(Pattern::Bind(slot)), ..], _) => Some(Some(*slot)),
            ([At::Each(_), ..], _) => Some(None),
            _ => None,
        }
    }

    fn is_set(&self, id: GroupId) -> bool {
        self.policy.group(id).is_some_and(|group| group.kind == GroupKind::Set)
    }

    /// Whether there are members' keys alone, and what lies at each is that member, or made of it.
    fn is_per_member(&mut self, root: &Root) -> bool {
        match root {
            Root::Collection => true,
            Root::Group(id) => self.way(*id) == Way::Made(Made::PerMember),
            Root::Independent | Root::Several { .. } => false,
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
        !one.replaced && at.is_some() && at == solutions.key && self.is_per_member(&place.root)
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
