//! Which documents tell whether an answer may differ where members of one base document changed, and none came or went.
//!
//! `ready contains name if { some name, cluster in data.fleet; … }` is made of single members: what it is made of the changed ones alone,
//! before and after, is the same or is not, whatever the others are. So where what an answer is made of is all like that, nobody has to
//! look at the others.
//!
//! ```text
//!  entry ─► rules that look at the collection otherwise ─┬─► facts: of base documents alone, the same for all inputs
//!           (they see it through documents alone)        └─► made: of single members, for each input
//! ```
//!
//! A document is made of single members where each of its solutions comes from one of them, and depends on no other: its body goes through
//! the members once, themselves or by what has one entry for each of them, and looks at nothing else that depends on them but at the key
//! that it has come to. What goes through anything else that is made of members sees several of them together.

mod made;
mod place;
mod uses;

use std::collections::BTreeMap;

use foldhash::{HashMap, HashSet};

use super::flow::grown;
use super::mark::{Dependence, Marks};
use crate::ir::{GroupId, NodeId, Policy};
use crate::syntax::span::Span;
use crate::value::Value;
use made::Made;
use place::Root;
use uses::Use;

/// Documents that are to be compared, by their rules, and what of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// Made of base documents alone: their old and new values.
    pub facts: BTreeMap<GroupId, Watched>,
    /// Made of single members: what the changed members alone make, before and after.
    pub made: BTreeMap<GroupId, Watched>,
    /// The order of the members shows: more than one that changed cannot be told by what they make together.
    pub is_ordered: bool,
}

/// How a document is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Which part of the document is looked at.
    pub seen: Seen,
    /// Whether two members never make equal parts of it.
    pub is_keyed: bool,
}

/// The part of a document that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// The keys of an object, and which values are false; of a set the members.
    Keys,
    /// All of it.
    Whole,
}

/// How a rule's document depends on the collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Not at all.
    Independent,
    /// It is made of single members.
    Made(Made),
    /// In another way.
    Other,
}

/// Looks through the rules that a document is made of.
struct Search<'p> {
    policy: &'p Policy,
    marks: &'p Marks,
    /// Where the collection lies below `data`.
    collection: &'p [Value],
    /// `Way::Other` while one is being looked at.
    ways: HashMap<GroupId, Way>,
    /// Whether rules at and below nodes do.
    nodes: HashMap<NodeId, bool>,
    /// Rules that are looked into, and nodes all rules of which are seen.
    entered: HashSet<GroupId>,
    passed: HashSet<NodeId>,
    found: Members,
}

/// Returns the documents that the one at `path` sees the collection through. Fails with the place where it looks at it in another way.
pub(super) fn of(policy: &Policy, marks: &Marks, path: &[Value], collection: &[Value]) -> Result<Members, Span> {
    let (ways, nodes, entered, passed, found) = Default::default();
    let mut search = Search { policy, marks, collection, ways, nodes, entered, passed, found };
    let place = search.walk(path.iter().map(Some));
    search.see(place.root, Seen::Whole, Span::default())?;
    search.leave_out_what_follows();
    Ok(search.found)
}

impl<'p> Search<'p> {
    /// Watches what a reference at a place comes to.
    fn see(&mut self, root: Root, seen: Seen, at: Span) -> Result<(), Span> {
        match root {
            Root::Independent => Ok(()),
            // None came or went, and whoever compares asks for members that are not false.
            Root::Collection if seen == Seen::Keys => Ok(()),
            Root::Collection | Root::Several { collection: true, .. } => Err(at),
            Root::Group(id) => grown(|| self.watch(id, seen)),
            Root::Several { below, .. } => below.map_or(Ok(()), |node| grown(|| self.see_below(node))),
        }
    }

    /// All documents at and below a node.
    fn see_below(&mut self, id: NodeId) -> Result<(), Span> {
        let Some(node) = self.policy.node(id).filter(|_| self.passed.insert(id)) else { return Ok(()) };
        let document = node.group.filter(|group| self.is_document(*group));
        document.map_or(Ok(()), |group| self.watch(group, Seen::Whole))?;
        node.children.values().try_for_each(|child| grown(|| self.see_below(*child)))
    }

    fn watch(&mut self, id: GroupId, seen: Seen) -> Result<(), Span> {
        match self.way(id) {
            Way::Independent => Ok(()),
            Way::Made(_) | Way::Other if self.is_fact(id) => {
                watch(&mut self.found.facts, id, Watched { seen, is_keyed: true });
                Ok(())
            }
            Way::Made(made) => {
                // Where members share keys, what is at one may speak against what another one has there.
                self.found.is_ordered |= made.is_ordered();
                let seen = if made.is_keyed() { seen } else { Seen::Whole };
                watch(&mut self.found.made, id, Watched { seen, is_keyed: made.is_keyed() });
                Ok(())
            }
            Way::Other => self.look_into(id),
        }
    }

    /// Watches the documents that a rule refers to, instead of the rule's own. Fails with the place where it looks at several members together.
    fn look_into(&mut self, id: GroupId) -> Result<(), Span> {
        let Some(group) = self.policy.group(id).filter(|_| self.entered.insert(id)) else { return Ok(()) };
        uses::of_group(group).iter().try_for_each(|one| self.see_use(one))
    }

    fn see_use(&mut self, one: &Use<'p>) -> Result<(), Span> {
        let place = self.place(one);
        if one.replaced && self.touches(&place.root) {
            return Err(one.span);
        }
        let seen = place.seen(&one.elements, one.interest);
        self.see(place.root, seen, one.span)
    }

    /// Takes out documents that refer to nothing but others that are watched: where those are the same, they are, too.
    fn leave_out_what_follows(&mut self) {
        let made: Vec<GroupId> = self.found.made.keys().copied().collect();
        for id in made {
            let uses = self.policy.group(id).map(uses::of_group).unwrap_or_default();
            if uses.iter().all(|one| self.is_watched(one)) {
                self.found.made.remove(&id);
            }
        }
    }

    /// Whether all that is looked at there is watched.
    fn is_watched(&mut self, one: &Use<'p>) -> bool {
        let place = self.place(one);
        let seen = place.seen(&one.elements, one.interest);
        match place.root {
            root if !self.touches(&root) => true,
            Root::Collection => seen == Seen::Keys,
            Root::Group(id) => {
                let watched = self.found.made.get(&id).or_else(|| self.found.facts.get(&id));
                watched.is_some_and(|watched| watched.seen >= seen)
            }
            Root::Independent | Root::Several { .. } => false,
        }
    }

    /// Whether a document is made of base documents alone, so that it can be compared by itself.
    fn is_fact(&self, id: GroupId) -> bool {
        let mark = self.marks.group(id);
        mark.dependence() == Dependence::Data && mark.is_repeatable() && self.is_document(id)
    }

    fn is_document(&self, id: GroupId) -> bool {
        self.policy.group(id).is_some_and(|group| group.kind.is_document())
    }

    /// How a rule's document depends on the collection.
    fn way(&mut self, id: GroupId) -> Way {
        if let Some(way) = self.ways.get(&id) {
            return *way;
        }
        self.ways.insert(id, Way::Other);
        let way = grown(|| self.find_way(id));
        self.ways.insert(id, way);
        way
    }

    fn find_way(&mut self, id: GroupId) -> Way {
        let Some(group) = self.policy.group(id) else { return Way::Other };
        if !uses::of_group(group).iter().any(|one| self.is_touching(one)) {
            return Way::Independent;
        }
        self.made(group).map_or(Way::Other, Way::Made)
    }

    /// Whether the collection, or what is made of it, may be seen there.
    fn is_touching(&mut self, one: &Use<'p>) -> bool {
        let place = self.place(one);
        self.touches(&place.root)
    }

    fn touches(&mut self, root: &Root) -> bool {
        match root {
            Root::Independent => false,
            Root::Collection => true,
            Root::Group(id) => self.way(*id) != Way::Independent,
            Root::Several { below, collection } => *collection || below.is_some_and(|node| self.touches_below(node)),
        }
    }

    fn touches_below(&mut self, id: NodeId) -> bool {
        if let Some(known) = self.nodes.get(&id) {
            return *known;
        }
        let Some(node) = self.policy.node(id) else { return true };
        let touches = node.group.is_some_and(|group| self.way(group) != Way::Independent)
            || node.children.values().any(|child| grown(|| self.touches_below(*child)));
        self.nodes.insert(id, touches);
        touches
    }
}

/// Adds a document, or what else is looked at of one.
fn watch(documents: &mut BTreeMap<GroupId, Watched>, id: GroupId, watched: Watched) {
    documents.entry(id).and_modify(|before| before.seen = before.seen.max(watched.seen)).or_insert(watched);
}

#[cfg(test)]
mod tests;
