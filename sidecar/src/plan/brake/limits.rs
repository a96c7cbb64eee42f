//! How many may move, of what, and where more are about to: trips.

use std::collections::BTreeSet;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::Duration;

use super::id::Id;
use super::record::{MOST_MOVED, TripRecord, seconds};
use super::wanted::Wanted;
use super::{Access, Brake, Key, LAG, Pass, Scope, Trip, WHOLE};

impl Brake {
    /// Returns how many of `count` objects may move within the window.
    pub(super) fn limit(&self, count: usize) -> usize {
        self.of(self.rules.share, count)
    }

    fn of(&self, share: u32, count: usize) -> usize {
        let share = usize::try_from(share).unwrap_or(usize::MAX).saturating_mul(count) / WHOLE;
        share.max(self.rules.floor).min(MOST_MOVED)
    }

    /// Trips in each scope where more objects moved or are to move than may.
    pub(super) fn judge(&mut self, now: Duration) {
        if self.access != Access::Open {
            return;
        }
        // It is asked before each patch.
        let known = (self.tally.generation(), self.fleet.generation());
        if self.judged.replace(known) == Some(known) {
            return;
        }
        let over: Vec<(Scope, usize, usize)> = self.counts().filter(|(_, moves, limit)| moves > limit).collect();
        for (scope, moves, limit) in over {
            let text = scope.text();
            if let Entry::Vacant(free) = self.trips.entry(scope) {
                tracing::warn!(scope = text, moves, limit, "the brake is on: nothing moves until it is released");
                free.insert(Trip { since: now, moves, limit, quiet: None });
                self.changes.must = true;
            }
        }
    }

    /// Returns, for each scope, the number of objects that moved or are to move, and the number that may.
    fn counts(&self) -> impl Iterator<Item = (Scope, usize, usize)> {
        let is_shared = self.rules.has_share();
        let fleet = is_shared.then(|| (Scope::Fleet, self.tally.count(), self.limit(self.fleet.count())));
        let namespaces = self.tally.counts().filter(move |(namespace, _)| is_shared && !namespace.is_empty());
        let namespaces = namespaces.map(|(namespace, moves)| {
            (Scope::Namespace(Arc::clone(namespace)), moves, self.limit(self.fleet.count_in(namespace)))
        });
        let too_many = self.clusters.are_too_many().then_some((Scope::Fleet, self.tally.count(), 0));
        let share = self.rules.per_cluster.unwrap_or_default();
        let clusters = self.clusters.counts().map(move |(cluster, moves)| {
            let limit = self.of(share, self.fleet.count_on(cluster));
            (Scope::Cluster(Arc::clone(cluster)), moves, limit)
        });
        fleet.into_iter().chain(namespaces).chain(too_many).chain(clusters)
    }

    /// A move is wanted, and counts; or it is not, or does not.
    pub(super) fn count(&mut self, object: Id, namespace: &Arc<str>, touched: Option<Vec<Arc<str>>>) {
        if self.tally.want(object, namespace, touched.is_some()) {
            self.clusters.forget(object);
        }
        if self.rules.per_cluster.is_some() {
            self.clusters.want(object, touched.into_iter().flatten());
        }
    }

    /// A move of an object counts on these clusters.
    pub(super) fn touch(&mut self, object: Id, touched: impl IntoIterator<Item = Arc<str>>) {
        if self.rules.per_cluster.is_some() {
            self.clusters.moved(object, touched);
        }
    }

    /// Forgets what moved before the window.
    pub(super) fn expire(&mut self, now: Duration) {
        let expired = self.tally.expire(now.saturating_sub(self.rules.window + LAG));
        expired.into_iter().for_each(|object| self.clusters.forget(object));
    }

    /// Whether the brake is on where a move belongs.
    pub(super) fn is_stopped(&self, wanted: &Wanted) -> bool {
        !self.trips.is_empty() && wanted.scopes().any(|scope| self.trips.contains_key(&scope))
    }

    /// Moves that were not let go, where the brake is on.
    pub(super) fn standing(&self, now: Duration) -> impl Iterator<Item = (&Key, &Wanted)> {
        self.wanted.iter().filter(move |(_, wanted)| self.is_stopped(wanted) && self.excuse(wanted, now).is_none())
    }

    /// A move that stands still, or that was released and is still to be made.
    fn is_left(&self, wanted: &Wanted, now: Duration) -> bool {
        !wanted.is_refused && matches!(self.excuse(wanted, now), None | Some(Pass::Released))
    }

    /// Returns where the brake is on though nothing stands still, nothing is still to be made, and no more moved than may.
    pub(super) fn quiet(&self, now: Duration) -> BTreeSet<Scope> {
        let mut quiet: BTreeSet<Scope> = self.trips.keys().cloned().collect();
        for wanted in self.wanted.values().filter(|wanted| self.is_left(wanted, now)) {
            if quiet.is_empty() {
                break;
            }
            wanted.scopes().for_each(|scope| drop(quiet.take(&scope)));
        }
        for (scope, ..) in self.counts().filter(|(_, moves, limit)| moves > limit) {
            quiet.remove(&scope);
        }
        quiet
    }
}

impl Wanted {
    /// Where it counts.
    fn scopes(&self) -> impl Iterator<Item = Scope> {
        let clusters = self.touched.iter().map(|cluster| Scope::Cluster(Arc::clone(cluster)));
        [Scope::Fleet, Scope::Namespace(Arc::clone(&self.namespace))].into_iter().chain(clusters)
    }
}

impl Scope {
    /// Returns it for people: `the fleet`, `namespace shop`, `cluster c1`.
    pub fn text(&self) -> String {
        match self {
            Self::Fleet => "the fleet".to_owned(),
            Self::Namespace(name) => format!("namespace {name}"),
            Self::Cluster(name) => format!("cluster {name}"),
        }
    }

    /// Returns that of a trip.
    pub fn of(trip: &TripRecord) -> Self {
        match (&trip.namespace, &trip.cluster) {
            (Some(name), _) => Self::Namespace(name.as_str().into()),
            (None, Some(name)) => Self::Cluster(name.as_str().into()),
            (None, None) => Self::Fleet,
        }
    }

    pub(super) fn record(&self, trip: &Trip) -> TripRecord {
        let (namespace, cluster) = match self {
            Self::Fleet => (None, None),
            Self::Namespace(name) => (Some(name.to_string()), None),
            Self::Cluster(name) => (None, Some(name.to_string())),
        };
        TripRecord { namespace, cluster, since: seconds(trip.since), moves: trip.moves, limit: trip.limit }
    }
}

impl Trip {
    pub(super) fn of(trip: &TripRecord) -> Self {
        Self { since: Duration::from_secs(trip.since), moves: trip.moves, limit: trip.limit, quiet: None }
    }
}
