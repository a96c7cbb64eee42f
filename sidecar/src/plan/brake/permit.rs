//! Whether a patch may be written now: it moves nothing, it was released, or there is room for it and it was announced.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::moves::Cause;

use super::tally::Moved;
use super::wanted::Wanted;
use super::{Access, Brake, CHUNK, Key, LAG, Pass, Permit};

impl Brake {
    /// Whether the patch of an object may be written.
    pub fn permit(&mut self, key: &Key, now: Duration) -> Permit {
        // What is paused is known from then on, whatever becomes of the record.
        if self.access == Access::Unread || self.paused.cover(&key.gvr, &key.namespace) {
            self.parked.held.insert(key.clone());
            return Permit::Held;
        }
        self.expire(now);
        let Some(wanted) = self.wanted.get(key) else { return Permit::Go(Pass::Still) };
        if self.rules.is_no_brake() {
            return Permit::Go(Pass::Counted);
        }
        let object = wanted.object;
        if let Some(pass) = self.excuse(wanted, now).filter(|_| self.access == Access::Open) {
            self.excused(key, pass, now);
            return Permit::Go(pass);
        }
        self.judge(now);
        let is_tripped = self.wanted.get(key).is_some_and(|wanted| self.is_stopped(wanted));
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
    pub(super) fn excuse(&self, wanted: &Wanted, now: Duration) -> Option<Pass> {
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
        self.expected.insert(wanted.object, now);
        match pass {
            Pass::Released => self.changes.must |= self.passes.used(&wanted.cause, now + self.rules.window),
            // It does not stand still, but others do when many have moved so.
            Pass::Urgent => {
                let moved = Moved { at: now, is_saved: false, is_certain: true, is_seen: true };
                let (object, touched) = (wanted.object, wanted.touched.clone());
                self.tally.moved(object, &Arc::clone(&wanted.namespace), moved);
                self.touch(object, touched);
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
        let announced = |wanted: &Wanted| (wanted.object, Arc::clone(&wanted.namespace), wanted.touched.clone());
        let next: Vec<_> = first.chain(next).map(announced).collect();
        for (object, namespace, touched) in next {
            let before = self.tally.when(object);
            let (is_certain, is_seen) = before.map_or((false, false), |moved| (moved.is_certain, moved.is_seen));
            self.tally.moved(object, &namespace, Moved { at: now, is_saved: false, is_certain, is_seen });
            self.touch(object, touched);
        }
        self.changes.must = true;
    }
}
