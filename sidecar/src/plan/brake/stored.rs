//! From the brake to its record and back, and what people release in it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::still::{Scopes, resource};

use super::id::{self, Id};
use super::kept::{DesiredRecord, ObservedRecord, Requests};
use super::passes::{LONGEST_TEXT, MOST_TEXTS, Passes};
use super::record::{MOST_CAUSES, MOST_MOVED, MOST_SHOWN, Record, UpgradeRecord, seconds};
use super::tally::Moved;
use super::{Access, Brake, Changes, Permit, QUIET, Scope, Trip, wanted};

/// What nobody waits for is written down this often.
const OFTEN: Duration = Duration::from_secs(5);
/// Complaints that are written down.
const MOST_UNKNOWN: usize = 20;
/// Trips that are written down one by one.
const MOST_TRIPS: usize = 1_000;
/// Names under which moves were shown that are still known.
const KNOWN: usize = 4 * MOST_CAUSES;

/// What was read or written of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It is there: as this replica wrote it, or as it found it.
    Read {
        /// The record; one that says nothing if it is new.
        record: Box<Record>,
        /// What people ask for.
        requests: Requests,
    },
    /// It cannot be read or written.
    Failed(String),
}

/// What there is to say of the brake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Scopes that stand still.
    pub tripped: Vec<Scope>,
    /// Moves that stand still.
    pub held: usize,
    /// Objects that moved within the window.
    pub moved: usize,
    /// So many may, in the fleet.
    pub limit: usize,
    /// Why nobody can read or write the record.
    pub failed: Option<String>,
    /// What somebody asked for that means nothing, and why.
    pub unknown: BTreeSet<String>,
    /// What somebody paused.
    pub paused: Scopes,
}

impl Brake {
    /// This replica leads: nothing moves before the record has been read from now on.
    pub fn lead(&mut self) {
        self.changes.reads = true;
        self.changes.since = self.changes.number + 1;
    }

    /// Takes what was read or written of the record.
    pub fn observe_record(&mut self, observed: ObservedRecord, now: Duration) {
        if self.changes.since == 0 || observed.answers < self.changes.since {
            return;
        }
        self.changes.answered = observed.answers;
        // Read beside a record that cannot be.
        self.pause(&observed.pause);
        self.stored(observed.stored, now);
        if std::mem::replace(&mut self.changes.turn, observed.turn) != observed.turn {
            // Somebody else wrote: what is to stand there is written again, if it does not.
            (self.changes.must, self.changes.last) = (true, None);
        }
    }

    pub(super) fn stored(&mut self, stored: Stored, now: Duration) {
        match stored {
            Stored::Failed(reason) => {
                if std::mem::replace(&mut self.access, Access::Failed(reason)) == Access::Unread {
                    self.parked.free_all();
                }
            }
            Stored::Read { record, requests } => {
                let is_ours = self.is_known && record.holder == self.me;
                if is_ours {
                    self.reopen();
                    self.saved(&record);
                } else {
                    self.adopt(&record, now);
                }
                // What was asked to be written was not, or not yet.
                self.changes.must |= self.changes.wanted.as_ref().is_some_and(|wanted| *wanted != *record);
                self.changes.last = Some(*record);
                self.release(&requests.release, now);
                self.pause(&requests.pause);
            }
        }
    }

    /// This replica does not lead any more: what it knows of the record is not true for long.
    pub fn leave(&mut self) {
        (self.access, self.is_known) = (Access::Unread, false);
        self.tally.clear();
        self.clusters.clear();
        self.judged = None;
        self.trips.clear();
        self.passes = Passes::default();
        self.shown.clear();
        self.spent.clear();
        self.expected.clear();
        // The numbers go on.
        self.changes = Changes { number: self.changes.number, ..Changes::default() };
        self.parked.free_all();
    }

    /// Lets go where nothing has stood still for a while. `is_open`: rows can be believed.
    pub fn settle(&mut self, is_open: bool, now: Duration) {
        if self.access != Access::Open {
            return;
        }
        self.expire(now);
        self.expected.retain(|_, since| now < *since + self.rules.window);
        let texts = self.passes.live_texts(now);
        if std::mem::replace(&mut self.texts, texts) != texts {
            self.count_again(now);
        }
        // A table that is not whole yet makes a small fleet.
        if is_open {
            self.judge(now);
        }
        let scopes: Vec<Scope> = self.trips.keys().cloned().collect();
        let quiet = if is_open { self.quiet(now) } else { BTreeSet::new() };
        for scope in scopes {
            let is_quiet = quiet.contains(&scope);
            let Some(trip) = self.trips.get_mut(&scope) else { continue };
            trip.quiet = is_quiet.then(|| trip.quiet.unwrap_or(now));
            if trip.quiet.is_some_and(|since| now >= since + QUIET) {
                tracing::info!(scope = scope.text(), "the brake lets go: nothing stands still any more");
                self.trips.remove(&scope);
                self.changes.must = true;
                self.parked.free_all();
                self.forget_shown(now);
            }
        }
    }

    /// With the last trip ends what was released in it: the same moves are another question the next time.
    fn forget_shown(&mut self, now: Duration) {
        if self.trips.is_empty() {
            self.shown.clear();
            self.spent.extend(self.passes.end());
            self.spent.drain(..self.spent.len().saturating_sub(MOST_CAUSES));
            self.count_again(now);
        }
    }

    /// Returns what is to be written down or read now, if that was not asked for before.
    pub fn desired(&mut self, now: Duration) -> Option<DesiredRecord> {
        let record = self.record(now);
        let reads = std::mem::take(&mut self.changes.reads);
        if record.is_none() && !reads {
            return None;
        }
        self.changes.number += 1;
        Some(DesiredRecord { record, after: self.changes.turn, number: self.changes.number })
    }

    pub(super) fn record(&mut self, now: Duration) -> Option<Record> {
        let may = self.changes.may && self.changes.asked.is_none_or(|asked| now >= asked + OFTEN);
        // What the API server does not take is not asked of it for ever: it may take the next.
        let is_known = self.is_known && self.access != Access::Unread;
        if !is_known || !(self.changes.must || may) || self.is_awaited(now) {
            return None;
        }
        (self.changes.must, self.changes.may, self.changes.asked) = (false, false, Some(now));
        let record = self.written(now);
        self.changes.wanted = Some(record.clone());
        if self.changes.last.as_ref() == Some(&record) {
            // It stands there: nobody has to wait for it.
            if self.access == Access::Open {
                self.saved(&record);
            }
            return None;
        }
        Some(record)
    }

    /// A desired record is under way: what there is to write when it is answered is said once then, and not after each row.
    fn is_awaited(&self, now: Duration) -> bool {
        self.changes.answered < self.changes.number && self.changes.asked.is_some_and(|asked| now < asked + OFTEN)
    }

    /// Returns what there is to say.
    pub fn report(&self, now: Duration) -> Report {
        Report {
            tripped: self.trips.keys().cloned().collect(),
            held: if self.trips.is_empty() { 0 } else { self.standing(now).count() },
            moved: self.tally.count_certain(),
            limit: self.limit(self.fleet.count()),
            failed: match &self.access {
                Access::Failed(reason) => Some(reason.clone()),
                Access::Unread | Access::Open => None,
            },
            unknown: self.misread(),
            paused: self.paused.clone(),
        }
    }

    fn written(&mut self, now: Duration) -> Record {
        self.upgraded.take_if(|upgraded| seconds(now) >= upgraded.at + seconds(self.rules.window));
        let (holder, lease) = (self.me.clone(), self.lease.clone());
        let (version, upgraded) = (self.version.clone(), self.upgraded.clone());
        let mut record = Record { holder, lease, version, upgraded, ..Record::default() };
        let mut moved: BTreeMap<u64, Vec<Id>> = BTreeMap::new();
        // More than may move have moved, then, and the brake is on.
        for (at, object) in self.tally.log().skip(self.tally.count_moved().saturating_sub(MOST_MOVED + 1)) {
            moved.entry(seconds(at)).or_default().push(object);
        }
        record.moved = moved.into_iter().map(|(at, ids)| (at, id::write(ids))).collect();
        record.clusters = self.clusters.write();
        record.unknown = self.misread().into_iter().take(MOST_UNKNOWN).collect();
        record.trips = self.trips.iter().take(MOST_TRIPS).map(|(scope, trip)| scope.record(trip)).collect();
        if let Some((_, first)) = self.trips.first_key_value().filter(|_| self.trips.len() > MOST_TRIPS) {
            // More than fit into an object are written down as all of the fleet.
            record.trips = vec![Scope::Fleet.record(first)];
        }
        record.spent = id::write(self.spent.iter().copied());
        let left: HashSet<Id> = self.wanted.values().map(|wanted| wanted.movement).collect();
        let released = self.passes.write(&mut record, &left);
        // Another trip is another question, though the same moves stand still.
        let since = self.trips.values().map(|trip| seconds(trip.since)).min().unwrap_or_default();
        let shown = if self.trips.is_empty() {
            Vec::new()
        } else {
            wanted::shown(self.standing(now), since, MOST_SHOWN.saturating_sub(released))
        };
        for (name, ids, shown) in shown {
            self.show(name, ids);
            record.shown.push(shown);
        }
        record
    }

    fn show(&mut self, name: Id, ids: Vec<Id>) {
        if !self.shown.iter().any(|(known, _)| *known == name) {
            self.shown.push_back((name, ids));
            while self.shown.len() > KNOWN {
                self.shown.pop_front();
            }
        }
    }

    /// The record is as this replica wanted it: what it announces may be done.
    fn saved(&mut self, record: &Record) {
        for (at, ids) in &record.moved {
            for object in id::read(ids).unwrap_or_default() {
                self.tally.saved(object, *at);
            }
        }
        self.parked.free_waiting();
    }

    /// The record was out of reach, and is as this replica left it.
    fn reopen(&mut self) {
        if self.access != Access::Open {
            self.access = Access::Open;
            self.parked.free_all();
        }
    }

    /// Takes over the record of another replica, or of an earlier time.
    /// What this one knows of its term is not forgotten for it: a copy that somebody put back is old.
    fn adopt(&mut self, record: &Record, now: Duration) {
        for (at, ids) in &record.moved {
            let at = Duration::from_secs(*at).min(now);
            for object in id::read(ids).unwrap_or_default() {
                let namespace = self.fleet.namespace_of(object).unwrap_or_default();
                let is_newer = self.tally.when(object).is_some_and(|known| known.at >= at);
                if !is_newer {
                    self.tally.moved(object, &namespace, Moved { at, is_saved: false, is_certain: true, is_seen: true });
                }
            }
        }
        self.clusters.read(&record.clusters, |object| self.tally.when(object).is_some());
        if !self.is_known {
            self.spent = id::read(&record.spent).unwrap_or_default().into_iter().take(MOST_CAUSES).collect();
        }
        for trip in &record.trips {
            self.trips.entry(Scope::of(trip)).or_insert_with(|| Trip::of(trip));
        }
        if !self.is_known {
            self.passes = Passes::of(record);
        }
        for shown in &record.shown {
            if let (Some(name), Some(ids)) = (id::read(&shown.id).and_then(|mut ids| ids.pop()), id::read(&shown.ids)) {
                self.show(name, ids);
            }
        }
        (self.access, self.is_known) = (Access::Open, true);
        self.upgraded = self.upgrade(record, now);
        let mut wanted = std::mem::take(&mut self.wanted);
        wanted.values_mut().for_each(|wanted| self.blame(wanted, now));
        self.wanted = wanted;
        self.count_again(now);
        self.changes.must = true;
    }

    /// Whether the record is of another version of Plimsoll, or knows one.
    fn upgrade(&self, record: &Record, now: Duration) -> Option<UpgradeRecord> {
        let is_other = !record.version.is_empty() && record.version != self.version;
        let other = || UpgradeRecord { from: record.version.clone(), to: self.version.clone(), at: seconds(now) };
        if is_other { Some(other()) } else { record.upgraded.clone() }
    }

    /// Takes what people ask for: names that were shown, or texts of causes.
    fn release(&mut self, request: &str, now: Duration) {
        let mut is_new = false;
        let (mut texts, mut unknown) = (BTreeSet::new(), BTreeSet::new());
        for line in request.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let words = line.split(',').map(str::trim).filter(|word| !word.is_empty());
            let names: Option<Vec<Id>> = words.map(|name| id::read(name)?.pop()).collect();
            let Some(names) = names else {
                texts.insert(line);
                continue;
            };
            for name in names {
                match self.shown.iter().find(|(known, _)| *known == name) {
                    Some((_, ids)) => is_new |= self.passes.release(name, ids.iter().copied(), now),
                    None if self.passes.knows(name) || self.spent.contains(&name) => {}
                    None => drop(
                        unknown.insert(format!("`{}` is nothing that was shown, or has changed since: look again", name.text())),
                    ),
                }
            }
        }
        if texts.len() > MOST_TEXTS || texts.iter().any(|text| text.len() > LONGEST_TEXT) {
            unknown.insert(format!("of texts of causes, {MOST_TEXTS} of {LONGEST_TEXT} bytes are read"));
        }
        is_new |= self.passes.release_texts(texts);
        self.unknown = unknown;
        if is_new {
            tracing::info!(request, "released: what was shown may move");
            self.count_again(now);
            self.changes.must = true;
        }
    }

    /// What people asked for that means nothing, and why.
    fn misread(&self) -> BTreeSet<String> {
        let known: BTreeSet<String> = self.kinds.iter().map(resource).collect();
        let kinds = self.paused.kinds.iter().filter(|kind| !known.contains(*kind));
        let kinds = kinds.map(|kind| format!("`kind/{kind}` pauses nothing: no object of such a kind is placed"));
        let namespaces = self.paused.namespaces.iter().filter(|name| self.fleet.count_in(name) == 0);
        let namespaces = namespaces.map(|name| format!("`namespace/{name}` pauses nothing now: no object is placed there"));
        self.unknown.iter().cloned().chain(kinds).chain(namespaces).collect()
    }

    /// Takes what people ask to stay where it is.
    fn pause(&mut self, request: &str) {
        let (paused, others) = Scopes::read(request);
        self.unknown.extend(others.iter().map(ToString::to_string));
        if paused != self.paused {
            tracing::info!(%paused, "paused: what is placed there stays as it is");
            self.paused = paused;
            self.changes.must = true;
            self.parked.free_all();
        }
    }

    /// Other moves count than before.
    fn count_again(&mut self, now: Duration) {
        let counted = |wanted: &wanted::Wanted| !wanted.is_refused && self.excuse(wanted, now).is_none();
        let count = |wanted: &wanted::Wanted| {
            (wanted.object, Arc::clone(&wanted.namespace), counted(wanted).then(|| wanted.touched.clone()))
        };
        let counts: Vec<_> = self.wanted.values().map(count).collect();
        counts.into_iter().for_each(|(object, namespace, touched)| self.count(object, &namespace, touched));
        self.parked.free_all();
    }
}

impl Permit {
    /// Returns whether the patch may be written now.
    pub fn is_go(self) -> bool {
        matches!(self, Self::Go(_))
    }
}
