//! The brake between the queue and the API server: it sees each row, permits each patch, and what it knows goes to its record and back.

use std::time::Duration;

use plimsoll_contract::kind::Gvr;
use plimsoll_contract::moves::Cause;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::engine::placements::FeedEvent;
use crate::metrics::Metrics;
use crate::plan::brake::kept::{DesiredRecord, ObservedRecord};
use crate::plan::brake::{Brake, Pass, Permit, Report, Rules, Scope};
use crate::plan::note::{Note, Reason, Subject};
use crate::plan::row::{Key, Patch};
use crate::results::MoveEnd;

mod cause;

pub(super) use cause::ReportedCause;

/// Between two looks at all that is wanted, whatever happens.
const OFTEN: Duration = Duration::from_secs(1);

/// The ways to the keeper of the record, and what the brake goes by.
pub struct Line {
    /// What may move.
    pub rules: Rules,
    /// The name of this replica.
    pub me: String,
    /// The Lease that it renews: `NAMESPACE/NAME`; empty if there is none.
    pub lease: String,
    /// Namespace and name of the record; nothing if it is kept here alone.
    pub place: Option<(String, String)>,
    /// What is read and written of the record.
    pub observed: watch::Receiver<Option<ObservedRecord>>,
    /// What is to be written.
    pub desired: watch::Sender<DesiredRecord>,
    /// When this process started: time since 1970.
    pub started: Duration,
}

/// The brake, at work.
pub(super) struct Braking {
    brake: Brake,
    line: Line,
    clock: Instant,
    is_leading: bool,
    /// The last look at all that is wanted.
    looked: Option<Instant>,
    said: Report,
}

impl Braking {
    pub(super) fn new(line: Line) -> Self {
        let brake = Brake::new(line.rules.clone(), &line.me).under(&line.lease);
        Self { brake, line, clock: Instant::now(), is_leading: false, looked: None, said: Report::default() }
    }

    fn now(&self) -> Duration {
        self.line.started + self.clock.elapsed()
    }

    pub(super) fn observe(&mut self, event: &FeedEvent) {
        let now = self.now();
        match event {
            FeedEvent::Listed(list) => self.brake.observe_all(&list.items, now),
            FeedEvent::Changed(row) => self.brake.observe(row, now),
            FeedEvent::Removed(key) => self.brake.forget(key, now),
            FeedEvent::Reached(_) | FeedEvent::Lost => (),
        }
    }

    /// Whether the patch of an object may be sent; what is to be said of it then.
    pub(super) fn permit(&mut self, key: &Key) -> Permit {
        let now = self.now();
        self.brake.permit(key, now)
    }

    /// A patch is sent: counts it, and returns what is to be said beside it.
    pub(super) fn goes(&self, key: &Key, patch: &Patch, pass: Pass, metrics: &Metrics) -> Option<Note> {
        let end = match pass {
            Pass::Still => return None,
            Pass::First => MoveEnd::First,
            Pass::Urgent => MoveEnd::Urgent,
            Pass::Released => MoveEnd::Released,
            Pass::Counted => MoveEnd::Counted,
        };
        let cause = self.brake.cause(key)?;
        metrics.moved(cause.sort(), end);
        let says = |cause: &Cause| format!("policy calls this move urgent: it went past the brake ({cause})");
        (pass == Pass::Urgent).then(|| Note::new(patch.subject.clone(), Reason::BrakePassed, says(cause)))
    }

    pub(super) fn refused(&mut self, key: &Key) {
        self.brake.refused(key);
    }

    /// Takes and gives what there is to know; returns the patches that may be asked for again. `is_open`: rows are acted upon.
    pub(super) fn look(&mut self, is_leading: bool, is_open: bool) -> Vec<Key> {
        let now = self.now();
        let has_changed = std::mem::replace(&mut self.is_leading, is_leading) != is_leading;
        match (has_changed, is_leading) {
            (true, true) => self.brake.lead(),
            (true, false) => self.brake.leave(),
            (false, _) => (),
        }
        let observed = unseen(&mut self.line.observed);
        let is_new = observed.is_some();
        if let Some(observed) = observed.filter(|_| is_leading) {
            self.brake.observe_record(observed, now);
        }
        let is_late = self.looked.is_none_or(|looked| looked.elapsed() >= OFTEN);
        if is_late || is_new || has_changed {
            self.looked = None;
            self.brake.settle(is_open, now);
        }
        if let Some(desired) = self.brake.desired(now).filter(|_| is_leading) {
            self.line.desired.send_replace(desired);
        }
        self.brake.freed()
    }

    /// Waits for another observation of the record, or for the next look.
    pub(super) async fn changed(&mut self) {
        let looked = self.looked.unwrap_or_else(Instant::now);
        tokio::select! {
            changed = self.line.observed.changed() => match changed {
                Ok(()) => self.line.observed.mark_changed(),
                Err(_) => sleep_until(looked + OFTEN).await,
            },
            () = sleep_until(looked + OFTEN) => {}
        }
    }

    /// What is so, on the gauges; and, if it has changed, as a note. At most once a second, unless something was observed.
    pub(super) fn show(&mut self, metrics: &Metrics) -> Option<Note> {
        if self.looked.is_some() {
            return None;
        }
        self.looked = Some(Instant::now());
        let report = if self.is_leading { self.brake.report(self.now()) } else { Report::default() };
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        metrics.brake_on.set(i64::from(!report.tripped.is_empty()));
        metrics.brake_held.set(number(report.held));
        metrics.brake_moved.set(number(report.moved));
        metrics.brake_limit.set(number(report.limit));
        metrics.brake_paused.set(number(report.paused.len()));
        metrics.brake_failed.set(i64::from(report.failed.is_some()));
        let note = self.is_leading.then(|| self.note(&report)).flatten();
        if self.is_leading {
            self.said = report;
        }
        note
    }

    /// Whether the brake is on where it was said to be, if anywhere.
    fn is_known(&self, report: &Report) -> bool {
        !report.tripped.is_empty() && report.tripped.iter().all(|scope| self.said.tripped.contains(scope))
    }

    fn note(&self, report: &Report) -> Option<Note> {
        let (namespace, name) = self.line.place.as_ref()?;
        let of = |report: &'_ Report| (report.tripped.clone(), report.held > 0, report.unknown.clone(), report.paused.clone());
        let is_same = |said: &Report| of(said) == of(report);
        let subject = || Subject {
            gvr: Gvr { group: String::new(), version: "v1".into(), resource: "configmaps".into() },
            kind: "ConfigMap".into(),
            namespace: namespace.clone(),
            name: name.clone(),
            uid: String::new(),
            resource_version: String::new(),
        };
        let was_on = !(self.said.tripped.is_empty() && self.said.paused.is_empty());
        let (reason, message) = match () {
            () if is_same(&self.said) => return None,
            // What stood still was released, or is not wanted any more: the brake goes off by itself.
            () if report.held == 0 && self.is_known(report) && report.paused.is_empty() && report.unknown.is_empty() => {
                return None;
            }
            () if !(report.tripped.is_empty() && report.paused.is_empty()) => (Reason::BrakeOn, standing(report)),
            () if !report.unknown.is_empty() => (Reason::BrakeOn, format!("nothing stands still{}", misread(report))),
            () if was_on => (Reason::BrakeOff, "nothing stands still any more".to_owned()),
            () => return None,
        };
        Some(Note::new(subject(), reason, message))
    }
}

/// Returns what was sent since the last call. Asked of the value that is taken: what comes between two questions would be taken for
/// seen, and nobody sends it again.
fn unseen<T: Clone>(observed: &mut watch::Receiver<Option<T>>) -> Option<T> {
    let observed = observed.borrow_and_update();
    if observed.has_changed() { observed.clone() } else { None }
}

fn standing(report: &Report) -> String {
    let mut parts = Vec::new();
    let scopes: Vec<String> = report.tripped.iter().map(Scope::text).collect();
    let (held, scopes) = (report.held, scopes.join(", "));
    if !report.tripped.is_empty() && held == 0 {
        parts.push(format!(
            "more objects moved than may in {scopes}: updates keep their placement, and what is to move stands still"
        ));
    } else if !report.tripped.is_empty() {
        parts.push(format!(
            "{held} moves stand still in {scopes}: see them with `plimsoll brake`, let them go with `plimsoll brake release`"
        ));
    }
    if !report.paused.is_empty() {
        parts.push(format!("paused: {}; go on with `plimsoll brake resume`", report.paused));
    }
    format!("{}{}", parts.join("; "), misread(report))
}

/// What people asked for that means nothing.
fn misread(report: &Report) -> String {
    report.unknown.iter().map(|said| format!("; {said}")).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const DEADLINE: Duration = Duration::from_secs(30);

    /// Each number is sent when the one before has been seen: one that is lost stops everything.
    #[test]
    fn nothing_observed_is_lost_whenever_it_comes() {
        const NUMBERS: u32 = 100_000;
        let (sender, mut receiver) = watch::channel(None);
        let (seen, sees) = std::sync::mpsc::channel();
        let sending = std::thread::spawn(move || {
            for number in 0..NUMBERS {
                sender.send_replace(Some(number));
                if sees.recv_timeout(DEADLINE) != Ok(number) {
                    return;
                }
            }
        });
        let started = Instant::now();
        let mut last = None;
        while last != Some(NUMBERS - 1) {
            assert!(started.elapsed() < 2 * DEADLINE, "after {last:?} none came");
            if let Some(number) = unseen(&mut receiver) {
                last = Some(number);
                seen.send(number).unwrap();
            }
        }
        sending.join().unwrap();
    }
}
