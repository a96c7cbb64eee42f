//! What the brake is shown: rows, objects that are gone, and what the API server does not take.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::moves::Cause;
use plimsoll_contract::placement::Placement;

use super::fleet::{self, object};
use super::record::{UpgradeRecord, seconds};
use super::tally::Moved;
use super::wanted::Wanted;
use super::{Access, Brake, Key, LAG, plan};

impl Brake {
    /// A row is new or changed.
    pub fn observe(&mut self, row: &Placement, now: Duration) {
        let key = Key::of(row);
        if !self.kinds.contains(&key.gvr) {
            self.kinds.insert(key.gvr.clone());
        }
        let object = object(&key);
        if let Some(moved) = self.fleet.observe(object, row) {
            self.saw(&moved, now);
        }
        self.tally.file(object, &self.fleet.namespace(&row.namespace));
        let asks = plan(row).patch.is_some();
        let mut wanted = asks.then(|| Wanted::of(object, row, self.fleet.namespace(&row.namespace))).flatten();
        if let Some(wanted) = &mut wanted {
            self.blame(wanted, now);
            if self.rules.per_cluster.is_some() {
                wanted.touched = wanted.touches().map(|name| self.fleet.cluster(name)).collect();
            }
        }
        self.want(key, wanted, now);
    }

    /// An object is gone.
    pub fn forget(&mut self, key: &Key, now: Duration) {
        self.fleet.forget(object(key));
        self.parked.forget(key);
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
        self.count(object, &namespace, None);
        self.expected.remove(&object);
        if self.tally.failed(object) {
            self.clusters.forget(object);
        }
    }

    /// Sets the cause of a move whose cause is unknown to the upgrade of plimsoll, if another version decides since less than a window.
    pub(super) fn blame(&self, wanted: &mut Wanted, now: Duration) {
        let is_fresh = |upgraded: &&UpgradeRecord| seconds(now) < upgraded.at + seconds(self.rules.window);
        if let (Cause::Unknown, Some(UpgradeRecord { from, to, .. })) = (&wanted.cause, self.upgraded.as_ref().filter(is_fresh)) {
            wanted.cause = Cause::Version { from: from.clone(), to: to.clone() };
        }
    }

    /// An object stands elsewhere: moved at admission, by us, or by somebody else.
    fn saw(&mut self, moved: &fleet::Moved, now: Duration) {
        let is_ours = self.expected.remove(&moved.object).is_some_and(|since| now < since + self.rules.window);
        if self.access != Access::Open || is_ours || (moved.is_first && self.rules.first) {
            return;
        }
        let is_saved = self.tally.when(moved.object).is_some_and(|known| known.is_saved && now < known.at + LAG);
        if is_saved {
            self.tally.seen(moved.object);
        } else {
            self.tally.moved(moved.object, &moved.namespace, Moved { at: now, is_saved: false, is_certain: true, is_seen: true });
            self.touch(moved.object, moved.touched.iter().cloned());
            self.changes.may = true;
        }
    }

    fn want(&mut self, key: Key, wanted: Option<Wanted>, now: Duration) {
        let before = self.wanted.get(&key);
        match (before, wanted) {
            (None, None) => return,
            (Some(before), Some(now)) if before.is(&now) => return,
            (before, None) => {
                let gone = before.map(|before| (before.object, Arc::clone(&before.namespace)));
                self.wanted.remove(&key);
                gone.into_iter().for_each(|(object, namespace)| self.count(object, &namespace, None));
            }
            (_, Some(wanted)) => {
                let counts = self.excuse(&wanted, now).is_none();
                self.count(wanted.object, &wanted.namespace, counts.then(|| wanted.touched.clone()));
                self.wanted.insert(key.clone(), wanted);
            }
        }
        self.parked.forget(&key);
        self.changes.may |= !self.trips.is_empty();
    }
}
