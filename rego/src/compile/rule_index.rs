//! Builds rule indices (opa `v1/ast/index.go`, `baseDocEqIndex.Build`; the stage `BuildRuleIndices`).
//!
//! What each definition requires of references is read off its body. References that some definition compares with a value become
//! levels of a trie; of the others it is only asked whether they have a value.
//!
//! OPA's index loses answers in places: of `input.user in ["admin", input.owner]` it knows the constant member alone, and passes
//! over the rule for all other users. What it does here is what it does there.

mod affix;
mod agreement;
mod constraint;
mod equality;
mod expr;
mod glob;
mod membership;
mod order;
mod ordered;
mod path;
mod references;
mod resolve;
mod skip;
mod trie;

use agreement::Agreements;
use constraint::{Alternatives, Constraint, Stats};
use expr::Collector;
use foldhash::HashMap;
use references::{Located, References};
use trie::Trie;

use crate::ir::{Entry, ReferenceNumber, RuleIndex};
use crate::syntax::tree::Rule;
use crate::value::Value;

/// Whether there are rules at a path below `data`, above it or below it.
pub type IsVirtual<'v> = &'v dyn Fn(&[Value]) -> bool;

/// One definition, and what was read off it.
struct Definition<'r> {
    rule: &'r Rule,
    place: (usize, usize),
    paths: Alternatives,
    memberships: Vec<(Located, Located)>,
}

/// The index of rules, each with the number of its module among the sorted ones. Defaults are not looked up: they must not be among
/// the rules.
pub fn build<'r>(rules: impl IntoIterator<Item = (usize, &'r Rule)>, is_virtual: IsVirtual<'_>) -> RuleIndex {
    let (mut references, mut stats) = (References::default(), Stats::default());
    let mut definitions = Vec::new();
    for (number, (module, rule)) in rules.into_iter().enumerate() {
        for (branch, rule) in rule.chain().enumerate() {
            let args = rule.head.args.as_deref().unwrap_or_default();
            let collector = Collector { references: &mut references, is_virtual, args, module };
            let indices = collector.rule(rule);
            stats.merge(&indices.stats);
            definitions.push(Definition {
                rule,
                place: (number, branch),
                paths: indices.paths(),
                memberships: indices.memberships,
            });
        }
    }
    finish(&definitions, references, &stats)
}

fn finish(definitions: &[Definition<'_>], mut references: References, stats: &Stats) -> RuleIndex {
    let sorted = order::sorted(&references, stats);
    let (levels, unvalued) = order::partition(&sorted, definitions.iter().flat_map(|definition| &definition.paths));
    let depth: HashMap<ReferenceNumber, usize> = levels.iter().enumerate().map(|(depth, level)| (*level, depth)).collect();
    let mut agreements = Agreements::default();
    let mut trie = Trie::default();
    let mut entries = Vec::with_capacity(definitions.len());
    for (number, definition) in definitions.iter().enumerate() {
        for path in &definition.paths {
            trie.insert(path::Path::new(path, &depth), number);
        }
        entries.push(Entry {
            rule: definition.place.0,
            branch: definition.place.1,
            next_rule: 0,
            agreement: agreements.of(&definition.rule.head),
            required: required(&definition.paths, &unvalued),
            memberships: Box::default(),
        });
    }
    let early_exit = agreement::all(&entries);
    let complete = entries.iter().zip(definitions).filter(|(_, definition)| agreement::is_complete(&definition.rule.head));
    let early_exit_of_all = agreement::all(complete.map(|(entry, _)| entry));
    if !early_exit {
        add_memberships(&mut entries, definitions, &mut references);
    }
    number_next(&mut entries);
    let (nodes, arrays) = trie.finish();
    let free = |entry: &Entry| entry.required.is_empty() && entry.memberships.is_empty();
    let trivial = nodes.iter().all(|node| node.levels.is_empty()) && entries.iter().all(free);
    RuleIndex { entries, references: references.into_list(), nodes, arrays, early_exit, early_exit_of_all, trivial }
}

/// Not where the first candidate that holds is enough: looking into collections costs as much as evaluating would
/// (`consultsCollections`).
fn add_memberships(entries: &mut [Entry], definitions: &[Definition<'_>], references: &mut References) {
    for (entry, definition) in entries.iter_mut().zip(definitions) {
        let pairs = definition.memberships.iter().cloned();
        entry.memberships = pairs.map(|(key, collection)| (references.intern(key), references.intern(collection))).collect();
    }
}

/// References that are no levels, and that every path to a definition reads (`require`).
fn required(paths: &[Vec<Constraint>], unvalued: &[ReferenceNumber]) -> Box<[ReferenceNumber]> {
    if unvalued.is_empty() {
        return Box::default();
    }
    let mut read: HashMap<ReferenceNumber, usize> = HashMap::default();
    for path in paths {
        let mut here: Vec<_> = path.iter().map(|constraint| constraint.reference).collect();
        here.sort_unstable();
        here.dedup();
        for reference in here {
            let count = read.entry(reference).or_default();
            *count = count.saturating_add(1);
        }
    }
    unvalued.iter().copied().filter(|reference| read.get(reference) == Some(&paths.len())).collect()
}

fn number_next(entries: &mut [Entry]) {
    let mut next = entries.len();
    for (number, entry) in entries.iter_mut().enumerate().rev() {
        entry.next_rule = next;
        if entry.branch == 0 {
            next = number;
        }
    }
}
