//! What is to move: one move for each object whose row asks for a patch that moves it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plimsoll_contract::annotations::APPLIED;
use plimsoll_contract::moves::Cause;
use plimsoll_contract::placement::Placement;

use super::super::row::Key;
use super::id::Id;
use super::record::{MOST_CAUSES, MoveRecord, ShownRecord};

/// Moves that people are shown of each cause,
const EXAMPLES: usize = 50;
/// … and of all.
const ALL_EXAMPLES: usize = 400;
/// … with at most so many clusters on each side.
const NAMES: usize = 5;

/// One move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) object: Id,
    /// Where it goes, with what: another one is another move.
    pub(super) movement: Id,
    pub(super) namespace: Arc<str>,
    pub(super) cause: Cause,
    pub(super) is_urgent: bool,
    /// The API server refused it: it will not happen soon.
    pub(super) is_refused: bool,
    /// The clusters that it comes to or leaves, where these have a limit.
    pub(super) touched: Vec<Arc<str>>,
    from: Vec<String>,
    to: Arc<Vec<String>>,
}

impl Wanted {
    /// Returns the move that a row asks for; `None` if its patch moves nothing. `namespace` is the row's.
    pub(super) fn of(object: Id, row: &Placement, namespace: Arc<str>) -> Option<Self> {
        let moves = row.moves.as_deref()?;
        let gvr = row.gvr.to_string();
        let keys = row.patch.iter().filter(|(key, _)| *key != APPLIED);
        let words =
            keys.flat_map(|(key, value)| [key.as_str(), value.as_ref().map_or("-", |_| "+"), value.as_deref().unwrap_or("")]);
        let movement = Id::of([gvr.as_str(), &row.namespace, &row.name, &row.uid].into_iter().chain(words));
        Some(Self {
            object,
            movement,
            namespace,
            cause: moves.cause.clone(),
            is_urgent: moves.urgent,
            is_refused: false,
            touched: Vec::new(),
            from: moves.from.clone(),
            to: Arc::clone(&row.clusters),
        })
    }
}

impl Wanted {
    /// Returns the clusters that it comes to, or leaves.
    pub(super) fn touches(&self) -> impl Iterator<Item = &String> {
        let (from, to): (BTreeSet<&String>, BTreeSet<&String>) = (self.from.iter().collect(), self.to.iter().collect());
        let touched: Vec<&String> = from.symmetric_difference(&to).copied().collect();
        touched.into_iter()
    }

    /// Whether it is the same move, from the same place.
    pub(super) fn is(&self, other: &Self) -> bool {
        (&self.movement, self.is_urgent, &self.from) == (&other.movement, other.is_urgent, &other.from)
    }
}

/// Moves by cause, as they are shown since a trip of this second, with the ids of each; those of most causes first, at most so many.
pub(super) fn shown<'w>(
    moves: impl Iterator<Item = (&'w Key, &'w Wanted)>,
    since: u64,
    most: usize,
) -> Vec<(Id, Vec<Id>, ShownRecord)> {
    let mut causes: BTreeMap<String, Vec<(&Key, &Wanted)>> = BTreeMap::new();
    for (key, wanted) in moves {
        causes.entry(wanted.cause.to_string()).or_default().push((key, wanted));
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, moves)| Reverse(moves.len()));
    let examples = (ALL_EXAMPLES / causes.len().clamp(1, MOST_CAUSES)).min(EXAMPLES);
    let mut left = most;
    let mut shown = Vec::new();
    for (cause, moves) in causes.into_iter().take(MOST_CAUSES) {
        let moves = moves.get(..left).unwrap_or(&moves);
        left -= moves.len();
        if !moves.is_empty() {
            shown.push(of_cause((cause, since), moves, examples));
        }
    }
    shown
}

fn of_cause((cause, since): (String, u64), moves: &[(&Key, &Wanted)], examples: usize) -> (Id, Vec<Id>, ShownRecord) {
    let mut ids: Vec<Id> = moves.iter().map(|(_, wanted)| wanted.movement).collect();
    ids.sort_unstable();
    let texts: Vec<String> = ids.iter().map(|id| id.text()).collect();
    let name = Id::of([since.to_string().as_str(), &cause].into_iter().chain(texts.iter().map(String::as_str)));
    let examples = moves.iter().take(examples).map(|(key, wanted)| example(key, wanted)).collect();
    let record = ShownRecord { id: name.text(), cause, moves: ids.len(), ids: texts.concat(), examples };
    (name, ids, record)
}

fn example(key: &Key, wanted: &Wanted) -> MoveRecord {
    let slash = if key.namespace.is_empty() { "" } else { "/" };
    let object = format!("{} {}{slash}{}", key.gvr.resource, key.namespace, key.name);
    MoveRecord { object, from: clipped(&wanted.from), to: clipped(&wanted.to) }
}

fn clipped(names: &[String]) -> Vec<String> {
    let more = names.len().saturating_sub(NAMES);
    let more = (more > 0).then(|| format!("and {more} more"));
    names.iter().take(NAMES).cloned().chain(more).collect()
}
