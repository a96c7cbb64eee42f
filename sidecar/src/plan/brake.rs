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

mod clusters;
mod fleet;
mod heaviest;
pub mod id;
pub mod kept;
mod limits;
mod observe;
mod passes;
mod permit;
pub mod record;
mod stored;
mod tally;
mod wanted;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::kind::Gvr;
use plimsoll_contract::still::{Scopes, Still};

use super::row::{Key, plan};
use clusters::Clusters;
use fleet::Fleet;
use id::Id;
use passes::Passes;
use record::{Record, UpgradeRecord};
pub use stored::{Report, Stored};
use tally::Tally;
use wanted::Wanted;

/// An announced move may be made for this long; the window is longer by it.
const LAG: Duration = Duration::from_secs(30);
/// The brake lets go by itself when nothing has stood still for this long.
const QUIET: Duration = Duration::from_secs(30);
/// Hundredths of a percent in one.
const WHOLE: usize = 10_000;
/// So many moves are announced together.
const CHUNK: usize = 64;

/// How many objects may move, and which moves are not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Of the objects of the fleet, and of each namespace: hundredths of a percent.
    pub share: u32,
    /// Of the objects on each cluster, if that has a limit of its own.
    pub per_cluster: Option<u32>,
    /// So many may always move, however few there are.
    pub floor: usize,
    /// Within this time.
    pub window: Duration,
    /// What was never placed is placed without being counted.
    pub first: bool,
    /// What policy calls urgent does not stand still.
    pub urgent: bool,
}

/// A set of objects whose moves have a limit in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// All objects.
    Fleet,
    /// Those of one namespace.
    Namespace(Arc<str>),
    /// Those that come to a cluster, or leave it.
    Cluster(Arc<str>),
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
    /// See [`record::Record::lease`].
    lease: String,
    /// Of Plimsoll.
    version: String,
    /// Another version led before, a short while ago.
    upgraded: Option<UpgradeRecord>,
    fleet: Fleet,
    tally: Tally,
    clusters: Clusters,
    wanted: BTreeMap<Key, Wanted>,
    passes: Passes,
    trips: BTreeMap<Scope, Trip>,
    /// What was counted when trips were last looked for.
    judged: Option<(u64, u64)>,
    access: Access,
    /// The record was read since this replica leads, and nobody else wrote it since.
    is_known: bool,
    /// What people may have seen: the names under which moves were shown.
    shown: VecDeque<(Id, Vec<Id>)>,
    /// Released and urgent moves that the mirror has not shown yet: they are not counted again when it does.
    expected: HashMap<Id, Duration>,
    parked: Parked,
    changes: Changes,
    /// What somebody asked for that means nothing, and why.
    unknown: BTreeSet<String>,
    /// Names that were released in trips that are over; nobody complains where they still stand.
    spent: VecDeque<Id>,
    /// What somebody paused.
    paused: Scopes,
    /// Kinds of which there ever was a row.
    kinds: HashSet<Gvr>,
    /// Causes that are let go by their text.
    texts: usize,
}

/// Patches that were asked for and may not be written yet.
#[derive(Clone, Debug, Default)]
struct Parked {
    waiting: BTreeSet<Key>,
    held: BTreeSet<Key>,
    free: Vec<Key>,
}

/// Changes of the record that are not written yet.
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
    /// The record is to be read.
    reads: bool,
    /// Number of the last desired record.
    number: u64,
    /// Number of the last one that was answered.
    answered: u64,
    /// Number of the first one since this replica leads: what was read before says nothing.
    since: u64,
    /// The last turn of the record that was taken into account.
    turn: u64,
}

impl Rules {
    /// All may move: there is no brake, and nothing to wait for.
    fn is_no_brake(&self) -> bool {
        !self.has_share() && self.per_cluster.is_none()
    }

    /// Not all of the fleet, or of a namespace, may move.
    fn has_share(&self) -> bool {
        usize::try_from(self.share).is_ok_and(|share| share < WHOLE)
    }

    /// Returns what stands still while nobody can read the record.
    pub fn unread(&self) -> Still {
        Still { braked: Scopes { fleet: !self.is_no_brake(), ..Scopes::default() }, ..Still::default() }
    }
}

impl Brake {
    /// A brake that lets nothing move until its record is read. `me` is the name of this replica.
    pub fn new(rules: Rules, me: &str) -> Self {
        let fleet = Fleet::new(rules.per_cluster.is_some());
        Self {
            rules,
            me: me.to_owned(),
            lease: String::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            upgraded: None,
            fleet,
            tally: Tally::default(),
            clusters: Clusters::default(),
            wanted: BTreeMap::new(),
            passes: Passes::default(),
            trips: BTreeMap::new(),
            judged: None,
            access: Access::Unread,
            is_known: false,
            shown: VecDeque::new(),
            expected: HashMap::new(),
            parked: Parked::default(),
            changes: Changes::default(),
            unknown: BTreeSet::new(),
            spent: VecDeque::new(),
            paused: Scopes::default(),
            kinds: HashSet::new(),
            texts: 0,
        }
    }

    /// The same, of a replica that renews this Lease: `NAMESPACE/NAME`, which the record names.
    pub fn under(self, lease: &str) -> Self {
        Self { lease: lease.to_owned(), ..self }
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
