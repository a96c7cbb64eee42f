//! Between the brake and the object that holds its record: the record that is desired, and the one that is observed. Pure.
//!
//! The brake numbers the records that it desires, and each observation says which of them was at hand when the object was read: what was
//! read before this replica led says nothing, and a desired record that stands there already is answered like one that was written.

use plimsoll_contract::still::{Scope, Scopes, Still};

use super::Stored;
use super::record::Record;

/// A record to be written, or a request to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DesiredRecord {
    /// The record; nothing: the object is to be read.
    pub record: Option<Record>,
    /// The last observation that it takes into account: see [`ObservedRecord::turn`].
    pub after: u64,
    /// Counts desired records.
    pub number: u64,
}

/// What was read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedRecord {
    /// What there is.
    pub stored: Stored,
    /// Counts what was not this replica's own writing.
    pub turn: u64,
    /// The desired record that was at hand before the object was read.
    pub answers: u64,
    /// What is paused, as far as is known: also where the record beside it cannot be read.
    pub pause: String,
}

/// The record's object, as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Nothing: it is not there.
    pub version: Option<String>,
    /// Nothing: it has none.
    pub record: Option<Record>,
    /// What people ask for.
    pub requests: Requests,
}

/// What people ask for, in annotations of the record's object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// What may move, one request a line: names that were shown, separated by commas, or the text of a cause.
    pub release: String,
    /// What is to stay where it is: see [`Scopes::read`].
    pub pause: String,
}

/// What is known of the record's object.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    version: Option<String>,
    record: Option<Record>,
    /// It stands there, too.
    is_there: bool,
    requests: Requests,
    turn: u64,
}

impl Kept {
    /// Whether the object is as this replica left it, by its version.
    pub fn knows(&self, version: Option<&str>) -> bool {
        self.version.as_deref() == version && self.record.is_some()
    }

    /// Somebody else wrote it.
    pub fn found(&mut self, found: Found) {
        self.is_there = found.record.is_some();
        self.observe_requests(found.version.as_deref(), found.requests, self.is_there);
        // Somebody takes it away, and it is as it was: an accident must not let go what stands still.
        self.record = Some(found.record.or(self.record.take()).unwrap_or_default());
        self.version = found.version;
        self.turn += 1;
    }

    /// What people ask for was read; `is_whole`: a record beside it, too. Without one the object is gone, or made anew, and what was paused
    /// stays so until somebody ends that.
    pub fn observe_requests(&mut self, version: Option<&str>, requests: Requests, is_whole: bool) {
        let is_anew = version.is_none() || (!is_whole && self.record.is_some() && requests.pause.is_empty());
        let pause = if is_anew { std::mem::take(&mut self.requests.pause) } else { requests.pause };
        // A text is good once, as long as it stands there: while there is no object, nobody has taken it away.
        let release = if version.is_none() { std::mem::take(&mut self.requests.release) } else { requests.release };
        self.requests = Requests { pause, release };
    }

    /// Returns what is to be written: nothing that does not take into account what was found.
    pub fn due<'w>(&self, desired: &'w DesiredRecord) -> Option<&'w Record> {
        let is_there = |record: &&Record| self.is_there && self.record.as_ref() == Some(record);
        desired.record.as_ref().filter(|record| desired.after == self.turn && !is_there(record))
    }

    /// It was written.
    pub fn wrote(&mut self, version: Option<String>, record: &Record) {
        (self.version, self.record, self.is_there) = (version, Some(record.clone()), true);
    }

    /// There is no such object: what is desired is kept here alone.
    pub fn keep(&mut self, desired: &DesiredRecord) {
        self.record = desired.record.clone().or(self.record.take());
    }

    /// Returns what people ask for, as far as is known.
    pub fn requests(&self) -> &Requests {
        &self.requests
    }

    /// Returns what stands still by the record, and by what people ask, as the engine is told it.
    pub fn still(&self) -> Still {
        let mut braked = Scopes::default();
        // Whether an update moves its object to or from one cluster is known when it is decided, and not before.
        for trip in self.record.iter().flat_map(|record| &record.trips).filter(|trip| trip.cluster.is_none()) {
            braked.add(trip.namespace.clone().map_or(Scope::Fleet, Scope::Namespace));
        }
        Still { braked, paused: Scopes::read(&self.requests.pause).0 }.brief()
    }

    /// Returns what there is, with this desired record at hand.
    pub fn observed(&self, desired: &DesiredRecord) -> ObservedRecord {
        let record = self.record.clone().unwrap_or_default();
        ObservedRecord {
            stored: Stored::Read { record: record.into(), requests: self.requests.clone() },
            turn: self.turn,
            answers: desired.number,
            pause: self.requests.pause.clone(),
        }
    }

    /// Returns that it could not be read or written.
    pub fn failed(&self, reason: String, desired: &DesiredRecord) -> ObservedRecord {
        ObservedRecord {
            stored: Stored::Failed(reason),
            turn: self.turn,
            answers: desired.number,
            pause: self.requests.pause.clone(),
        }
    }
}
