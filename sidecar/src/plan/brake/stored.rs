//! From the brake to its record and back, and what people release in it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::id::{self, Id};
use super::passes::Passes;
use super::record::{MOST_CAUSES, Record, TripRecord, seconds};
use super::tally::Moved;
use super::{Access, Brake, LAG, Pass, Permit, QUIET, Scope, Trip, wanted};

/// What nobody waits for is written down this often.
const OFTEN: Duration = Duration::from_secs(5);
/// Names under which moves were shown that are still known.
const KNOWN: usize = 4 * MOST_CAUSES;

/// What was read or written of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It is there: as this replica wrote it, or as it found it.
    Read {
        /// The record; one that says nothing if it is new.
        record: Record,
        /// What people ask to be released, one wish a line: names that were shown, separated by commas, or the text of a cause.
        release: String,
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
    /// Names that somebody released and that nobody was shown.
    pub unknown: BTreeSet<String>,
}

impl Brake {
    /// Takes what was read or written of the record.
    pub fn stored(&mut self, stored: Stored, now: Duration) {
        match stored {
            Stored::Failed(reason) => self.access = Access::Failed(reason),
            Stored::Read { record, release } => {
                let is_ours = self.is_known && record.holder == self.me;
                if is_ours {
                    self.reopen();
                    self.saved(&record);
                } else {
                    self.adopt(&record, now);
                }
                // What was asked to be written was not, or not yet.
                self.changes.must |= self.changes.wanted.as_ref().is_some_and(|wanted| *wanted != record);
                self.changes.last = Some(record);
                self.release(&release, now);
            }
        }
    }

    /// This replica does not lead any more: what it knows of the record is not true for long.
    pub fn leave(&mut self) {
        (self.access, self.is_known) = (Access::Unread, false);
        self.tally.clear();
        self.trips.clear();
        self.passes = Passes::default();
        self.changes = Default::default();
        self.parked.free_all();
    }

    /// Lets go where nothing has stood still for a while. `is_open`: rows can be believed.
    pub fn settle(&mut self, is_open: bool, now: Duration) {
        if self.access != Access::Open {
            return;
        }
        self.tally.expire(now.saturating_sub(self.rules.window + LAG));
        // A table that is not whole yet makes a small fleet.
        if is_open {
            self.judge(now);
        }
        let scopes: Vec<Scope> = self.trips.keys().cloned().collect();
        for scope in scopes {
            let is_quiet = is_open && self.is_quiet(&scope, now);
            let Some(trip) = self.trips.get_mut(&scope) else { continue };
            trip.quiet = is_quiet.then(|| trip.quiet.unwrap_or(now));
            if trip.quiet.is_some_and(|since| now >= since + QUIET) {
                tracing::info!(scope = scope.text(), "the brake lets go: nothing stands still any more");
                self.trips.remove(&scope);
                self.changes.must = true;
                self.parked.free_all();
                self.forget_shown();
            }
        }
    }

    /// With the last trip ends what was released in it: the same moves are another question the next time.
    fn forget_shown(&mut self) {
        if self.trips.is_empty() {
            self.shown.clear();
            self.passes.end();
        }
    }

    /// The record was read anew: what is to stand there is written again, if it does not.
    pub fn again(&mut self) {
        (self.changes.must, self.changes.last) = (true, None);
    }

    /// Returns what is to be written down now, if it is not what was written last.
    pub fn record(&mut self, now: Duration) -> Option<Record> {
        let may = self.changes.may && self.changes.asked.is_none_or(|asked| now >= asked + OFTEN);
        if self.access != Access::Open || !(self.changes.must || may) {
            return None;
        }
        (self.changes.must, self.changes.may, self.changes.asked) = (false, false, Some(now));
        let record = self.written(now);
        self.changes.wanted = Some(record.clone());
        (self.changes.last.as_ref() != Some(&record)).then_some(record)
    }

    /// Returns what there is to say.
    pub fn report(&self, now: Duration) -> Report {
        Report {
            tripped: self.trips.keys().cloned().collect(),
            held: if self.trips.is_empty() { 0 } else { self.standing(now).count() },
            moved: self.tally.count_moved(),
            limit: self.limit(self.fleet.count()),
            failed: match &self.access {
                Access::Failed(reason) => Some(reason.clone()),
                Access::Unread | Access::Open => None,
            },
            unknown: self.unknown.clone(),
        }
    }

    /// Moves that were not let go, where the brake is on.
    fn standing(&self, now: Duration) -> impl Iterator<Item = (&super::Key, &wanted::Wanted)> {
        let is_on = |namespace: &Arc<str>| {
            self.trips.contains_key(&Scope::Fleet) || self.trips.contains_key(&Scope::Namespace(Arc::clone(namespace)))
        };
        self.wanted.iter().filter(move |(_, wanted)| is_on(&wanted.namespace) && self.excuse(wanted, now).is_none())
    }

    /// A move that stands still, or that was released and is still to be made.
    fn is_left(&self, wanted: &wanted::Wanted, now: Duration) -> bool {
        !wanted.is_refused && matches!(self.excuse(wanted, now), None | Some(Pass::Released))
    }

    fn is_quiet(&self, scope: &Scope, now: Duration) -> bool {
        let (standing, moves, limit) = match scope {
            Scope::Fleet => {
                (self.standing(now).any(|(_, wanted)| !wanted.is_refused), self.tally.count(), self.limit(self.fleet.count()))
            }
            Scope::Namespace(name) => {
                let standing = self.wanted.values().any(|wanted| wanted.namespace == *name && self.is_left(wanted, now));
                let moves = self.tally.counts().find(|(namespace, _)| *namespace == name).map_or(0, |(_, moves)| moves);
                (standing, moves, self.limit(self.fleet.count_in(name)))
            }
        };
        !standing && moves <= limit
    }

    fn written(&mut self, now: Duration) -> Record {
        let mut record = Record { holder: self.me.clone(), ..Record::default() };
        let mut moved: BTreeMap<u64, Vec<Id>> = BTreeMap::new();
        for (at, object) in self.tally.log() {
            moved.entry(seconds(at)).or_default().push(object);
        }
        record.moved = moved.into_iter().map(|(at, ids)| (at, id::write(ids))).collect();
        let trip = |(scope, trip): (&Scope, &Trip)| TripRecord {
            namespace: match scope {
                Scope::Fleet => None,
                Scope::Namespace(name) => Some(name.to_string()),
            },
            since: seconds(trip.since),
            moves: trip.moves,
            limit: trip.limit,
        };
        record.trips = self.trips.iter().map(trip).collect();
        self.passes.write(&mut record);
        // Another trip is another question, though the same moves stand still.
        let since = self.trips.values().map(|trip| seconds(trip.since)).min().unwrap_or_default();
        let shown = if self.trips.is_empty() { Vec::new() } else { wanted::shown(self.standing(now), since) };
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
        let trip = |trip: &TripRecord| {
            let scope = trip.namespace.as_deref().map_or(Scope::Fleet, |name| Scope::Namespace(name.into()));
            (scope, Trip { since: Duration::from_secs(trip.since), moves: trip.moves, limit: trip.limit, quiet: None })
        };
        let trips: Vec<(Scope, Trip)> = record.trips.iter().map(trip).collect();
        for (scope, trip) in trips {
            self.trips.entry(scope).or_insert(trip);
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
        self.count_again(now);
        self.changes.must = true;
    }

    /// Takes what people ask for: names that were shown, or texts of causes.
    fn release(&mut self, wish: &str, now: Duration) {
        let mut is_news = false;
        let (mut texts, mut unknown) = (BTreeSet::new(), BTreeSet::new());
        for line in wish.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let names: Option<Vec<Id>> = line.split(',').map(|name| id::read(name.trim())?.pop()).collect();
            let Some(names) = names else {
                texts.insert(line);
                continue;
            };
            for name in names {
                match self.shown.iter().find(|(known, _)| *known == name) {
                    _ if self.passes.knows(name) => {}
                    Some((_, ids)) => is_news |= self.passes.release(name, ids.iter().copied(), now),
                    None => drop(unknown.insert(name.text())),
                }
            }
        }
        is_news |= self.passes.release_texts(texts);
        self.unknown = unknown;
        if is_news {
            tracing::info!(wish, "released: what was shown may move");
            self.count_again(now);
            self.changes.must = true;
        }
    }

    /// Other moves count than before.
    fn count_again(&mut self, now: Duration) {
        let counted = |wanted: &wanted::Wanted| !wanted.is_refused && self.excuse(wanted, now).is_none();
        let counts: Vec<(Id, Arc<str>, bool)> =
            self.wanted.values().map(|wanted| (wanted.object, Arc::clone(&wanted.namespace), counted(wanted))).collect();
        counts.iter().for_each(|(object, namespace, counts)| self.tally.want(*object, namespace, *counts));
        self.parked.free_all();
    }
}

impl Permit {
    /// Returns whether the patch may be written now.
    pub fn is_go(self) -> bool {
        matches!(self, Self::Go(_))
    }
}
