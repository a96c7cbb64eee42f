//! Nothing moves a fleet by accident: at most a share of its objects moves within a window, whatever moves them; what is more stands
//! still until a person has seen and released it. Pure; the time is passed in.
//!
//! ```text
//!  row ──► fleet: where each object stands ──► tally: moved within the window, or to move ──► trips
//!      └─► wanted: what is to move, and why ──┘                                                 │
//!                          passes: what was released ──► permit: go, wait, held ◄──────────────┘
//! ```
//!
//! Distinct objects are counted, all causes together, in the fleet and in each namespace. What is about to move counts before it does, so
//! that a change that is too large stops whole, and not when the share is used up. A move is announced in the record, by the object's id,
//! before it is made: whoever leads next knows all that can have moved. Where nobody can read or write the record, nothing moves.

mod fleet;
pub mod id;
mod passes;
pub mod record;
mod stored;
mod tally;
mod wanted;

#[cfg(test)]
mod tests;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::moves::Cause;
use plimsoll_contract::placement::Placement;

use super::row::{Key, plan};
use fleet::{Fleet, object};
use id::Id;
use passes::Passes;
use record::{MOST_MOVED, Record};
pub use stored::{Report, Stored};
use tally::{Moved, Tally};
use wanted::Wanted;

/// An announced move may be made for this long; the window is longer by it.
const LAG: Duration = Duration::from_secs(30);
/// The brake lets go by itself when nothing has stood still for this long.
const QUIET: Duration = Duration::from_secs(30);
/// Hundredths of a percent in one.
const WHOLE: usize = 10_000;
/// So many moves are announced together.
const CHUNK: usize = 64;

/// What may move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Of the objects of the fleet, and of each namespace: hundredths of a percent.
    pub share: u32,
    /// So many may always move, however few there are.
    pub floor: usize,
    /// Within this time.
    pub window: Duration,
    /// What was never placed is placed without being counted.
    pub first: bool,
    /// What policy calls urgent does not stand still.
    pub urgent: bool,
}

/// What is counted together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// All objects.
    Fleet,
    /// Those of one namespace.
    Namespace(Arc<str>),
}

/// Whether a patch may be written now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permit {
    /// It may.
    Go(Pass),
    /// When it has been announced.
    Wait,
    /// When somebody releases it, or the brake lets go.
    Held,
}

/// Why it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// It moves nothing.
    Still,
    /// Its object was never placed.
    First,
    /// Policy calls it urgent: it goes past the brake.
    Urgent,
    /// Somebody released it.
    Released,
    /// There is room for it, and it was announced.
    Counted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Trip {
    since: Duration,
    moves: usize,
    limit: usize,
    /// Nothing has stood still since.
    quiet: Option<Duration>,
}

/// The way to the record.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Access {
    /// It has not been read since this replica leads.
    Unread,
    /// It cannot be read or written.
    Failed(String),
    /// It is as this replica knows it.
    Open,
}

/// The brake. Times are those since 1970, of a clock that does not run backwards in this process.
#[derive(Clone, Debug)]
pub struct Brake {
    rules: Rules,
    me: String,
    fleet: Fleet,
    tally: Tally,
    wanted: BTreeMap<Key, Wanted>,
    passes: Passes,
    trips: BTreeMap<Scope, Trip>,
    access: Access,
    /// The record was read since this replica leads, and nobody else wrote it since.
    is_known: bool,
    /// What people may have seen: the names under which moves were shown.
    shown: VecDeque<(Id, Vec<Id>)>,
    /// Released and urgent moves that the mirror has not shown yet: they are not counted again when it does.
    expected: HashMap<Id, Duration>,
    parked: Parked,
    changes: Changes,
    /// Names that somebody released and that nobody was shown.
    unknown: BTreeSet<String>,
}

/// Patches that were asked for and may not be written yet.
#[derive(Clone, Debug, Default)]
struct Parked {
    waiting: BTreeSet<Key>,
    held: BTreeSet<Key>,
    free: Vec<Key>,
}

/// What has to be written down.
#[derive(Clone, Debug, Default)]
struct Changes {
    /// Somebody waits for it.
    must: bool,
    /// It can wait a moment.
    may: bool,
    asked: Option<Duration>,
    /// What was to be written last.
    wanted: Option<Record>,
    /// What is written, as far as it is known.
    last: Option<Record>,
}

// === What is observed ===

impl Brake {
    /// A brake that lets nothing move until its record is read. `me` is the name of this replica.
    pub fn new(rules: Rules, me: &str) -> Self {
        Self {
            rules,
            me: me.to_owned(),
            fleet: Fleet::default(),
            tally: Tally::default(),
            wanted: BTreeMap::new(),
            passes: Passes::default(),
            trips: BTreeMap::new(),
            access: Access::Unread,
            is_known: false,
            shown: VecDeque::new(),
            expected: HashMap::new(),
            parked: Parked::default(),
            changes: Changes::default(),
            unknown: BTreeSet::new(),
        }
    }

    /// A row is new or changed.
    pub fn observe(&mut self, row: &Placement, now: Duration) {
        let key = Key::of(row);
        let object = object(&key);
        if let Some(moved) = self.fleet.observe(object, row) {
            self.saw(&moved, now);
        }
        self.tally.file(object, &self.fleet.namespace(&row.namespace));
        let asks = plan(row).patch.is_some();
        let wanted = asks.then(|| Wanted::of(object, row, self.fleet.namespace(&row.namespace))).flatten();
        self.want(key, wanted, now);
    }

    /// An object is gone.
    pub fn forget(&mut self, key: &Key, now: Duration) {
        self.fleet.forget(object(key));
        self.want(key.clone(), None, now);
    }

    /// The whole table.
    pub fn observe_all(&mut self, rows: &[Placement], now: Duration) {
        let keys: HashSet<Key> = rows.iter().map(Key::of).collect();
        let gone: Vec<Key> = self.wanted.keys().filter(|key| !keys.contains(*key)).cloned().collect();
        gone.iter().for_each(|key| self.forget(key, now));
        self.fleet.keep(&keys.iter().map(object).collect());
        rows.iter().for_each(|row| self.observe(row, now));
    }

    /// The API server does not take a move: others are not to stand still for it.
    pub fn refused(&mut self, key: &Key) {
        let Some(wanted) = self.wanted.get_mut(key) else { return };
        wanted.is_refused = true;
        let (object, namespace) = (wanted.object, Arc::clone(&wanted.namespace));
        self.tally.want(object, &namespace, false);
        self.tally.failed(object);
    }

    /// An object stands elsewhere: moved at admission, by us, or by somebody else.
    fn saw(&mut self, moved: &fleet::Moved, now: Duration) {
        let is_ours = self.expected.remove(&moved.object).is_some();
        if self.access != Access::Open || is_ours || (moved.is_first && self.rules.first) {
            return;
        }
        let is_saved = self.tally.when(moved.object).is_some_and(|known| known.is_saved && now < known.at + LAG);
        if !is_saved {
            self.tally.moved(moved.object, &moved.namespace, Moved { at: now, is_saved: false, is_certain: true, is_seen: true });
            self.changes.may = true;
        }
    }

    fn want(&mut self, key: Key, wanted: Option<Wanted>, now: Duration) {
        let before = self.wanted.get(&key);
        let is_same = |before: &Wanted, now: &Wanted| before.movement == now.movement && before.is_urgent == now.is_urgent;
        match (before, wanted) {
            (None, None) => return,
            (Some(before), Some(now)) if is_same(before, &now) => return,
            (before, None) => {
                let gone = before.map(|before| (before.object, Arc::clone(&before.namespace)));
                self.wanted.remove(&key);
                gone.into_iter().for_each(|(object, namespace)| self.tally.want(object, &namespace, false));
            }
            (_, Some(wanted)) => {
                let counts = self.excuse(&wanted, now).is_none();
                self.tally.want(wanted.object, &wanted.namespace, counts);
                self.wanted.insert(key.clone(), wanted);
            }
        }
        self.parked.forget(&key);
        self.changes.may |= !self.trips.is_empty();
    }
}

// === What may move ===

impl Brake {
    /// Whether the patch of an object may be written.
    pub fn permit(&mut self, key: &Key, now: Duration) -> Permit {
        self.tally.expire(now.saturating_sub(self.rules.window + LAG));
        let Some(wanted) = self.wanted.get(key) else { return Permit::Go(Pass::Still) };
        // All may move: there is no brake, and nothing to wait for.
        if usize::try_from(self.rules.share).is_ok_and(|share| share >= WHOLE) {
            return Permit::Go(Pass::Counted);
        }
        let (object, namespace) = (wanted.object, Arc::clone(&wanted.namespace));
        if let Some(pass) = self.excuse(wanted, now).filter(|_| self.access == Access::Open) {
            self.excused(key, pass, now);
            return Permit::Go(pass);
        }
        self.judge(now);
        let is_tripped = [Scope::Fleet, Scope::Namespace(namespace)].iter().any(|scope| self.trips.contains_key(scope));
        if self.access != Access::Open || is_tripped {
            self.parked.held.insert(key.clone());
            return Permit::Held;
        }
        match self.tally.when(object) {
            Some(moved) if moved.is_saved && now < moved.at + LAG / 2 => {
                self.tally.certain(object);
                Permit::Go(Pass::Counted)
            }
            Some(moved) if !moved.is_saved && now < moved.at + LAG / 2 => self.wait(key),
            _ => {
                self.announce(key, now);
                self.wait(key)
            }
        }
    }

    /// Returns what moves an object, if it is to move.
    pub fn cause(&self, key: &Key) -> Option<&Cause> {
        self.wanted.get(key).map(|wanted| &wanted.cause)
    }

    /// Returns the patches that may be asked for again.
    pub fn freed(&mut self) -> Vec<Key> {
        std::mem::take(&mut self.parked.free)
    }

    fn wait(&mut self, key: &Key) -> Permit {
        self.changes.must = true;
        self.parked.waiting.insert(key.clone());
        Permit::Wait
    }

    /// Why a move is not counted, if it is not.
    fn excuse(&self, wanted: &Wanted, now: Duration) -> Option<Pass> {
        match wanted.cause {
            Cause::First if self.rules.first => Some(Pass::First),
            _ if wanted.is_urgent && self.rules.urgent => Some(Pass::Urgent),
            _ if self.passes.let_go(wanted.movement, &wanted.cause, now) => Some(Pass::Released),
            _ => None,
        }
    }

    /// A move is made that nobody counts.
    fn excused(&mut self, key: &Key, pass: Pass, now: Duration) {
        let Some(wanted) = self.wanted.get(key) else { return };
        self.expected.retain(|_, since| now < *since + self.rules.window);
        self.expected.insert(wanted.object, now);
        match pass {
            Pass::Released => self.changes.must |= self.passes.used(&wanted.cause, now + self.rules.window),
            // It does not stand still, but others do when many have moved so.
            Pass::Urgent => {
                let moved = Moved { at: now, is_saved: false, is_certain: true, is_seen: true };
                self.tally.moved(wanted.object, &Arc::clone(&wanted.namespace), moved);
                self.changes.may = true;
            }
            Pass::Still | Pass::First | Pass::Counted => (),
        }
    }

    /// Announces a move, and some that will be next.
    fn announce(&mut self, key: &Key, now: Duration) {
        let is_due = |wanted: &&Wanted| !wanted.is_refused && self.excuse(wanted, now).is_none();
        let is_old = |wanted: &&Wanted| self.tally.when(wanted.object).is_none_or(|moved| now >= moved.at + LAG / 2);
        let next = self.wanted.range(key.clone()..).map(|(_, wanted)| wanted).filter(is_due).filter(is_old).take(CHUNK);
        let first = self.wanted.get(key).into_iter();
        let next: Vec<(Id, Arc<str>)> = first.chain(next).map(|wanted| (wanted.object, Arc::clone(&wanted.namespace))).collect();
        for (object, namespace) in next {
            let before = self.tally.when(object);
            let (is_certain, is_seen) = before.map_or((false, false), |moved| (moved.is_certain, moved.is_seen));
            self.tally.moved(object, &namespace, Moved { at: now, is_saved: false, is_certain, is_seen });
        }
        self.changes.must = true;
    }

    /// How many may move of so many.
    fn limit(&self, count: usize) -> usize {
        let share = usize::try_from(self.rules.share).unwrap_or(usize::MAX).saturating_mul(count) / WHOLE;
        share.max(self.rules.floor).min(MOST_MOVED)
    }

    /// Trips where more moved or are to move than may.
    fn judge(&mut self, now: Duration) {
        if self.access != Access::Open {
            return;
        }
        let fleet = (Scope::Fleet, self.tally.count(), self.limit(self.fleet.count()));
        let namespaces = self.tally.counts().filter(|(namespace, _)| !namespace.is_empty());
        let namespaces = namespaces.map(|(namespace, moves)| {
            (Scope::Namespace(Arc::clone(namespace)), moves, self.limit(self.fleet.count_in(namespace)))
        });
        let over: Vec<_> = std::iter::once(fleet).chain(namespaces).filter(|(_, moves, limit)| moves > limit).collect();
        for (scope, moves, limit) in over {
            let text = scope.text();
            if let Entry::Vacant(free) = self.trips.entry(scope) {
                tracing::warn!(scope = text, moves, limit, "the brake is on: nothing moves until it is released");
                free.insert(Trip { since: now, moves, limit, quiet: None });
                self.changes.must = true;
            }
        }
    }
}

impl Scope {
    /// Returns it for people: `the fleet`, `namespace shop`.
    pub fn text(&self) -> String {
        match self {
            Self::Fleet => "the fleet".to_owned(),
            Self::Namespace(name) => format!("namespace {name}"),
        }
    }
}

impl Parked {
    fn forget(&mut self, key: &Key) {
        self.waiting.remove(key);
        self.held.remove(key);
    }

    /// All may be asked for again.
    fn free_all(&mut self) {
        self.free.extend(std::mem::take(&mut self.waiting));
        self.free.extend(std::mem::take(&mut self.held));
    }

    fn free_waiting(&mut self) {
        self.free.extend(std::mem::take(&mut self.waiting));
    }
}
