//! Whether what the engine says may be acted upon now. Pure.

use std::time::Duration;

use plimsoll_contract::kind::Gvr;
use plimsoll_contract::status::Status;

/// What the gate looks at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sight<'a> {
    /// This replica may write.
    pub leading: bool,
    /// The epoch of the rows, while their stream lives.
    pub feed: Option<&'a str>,
    /// The position in the stream up to which rows are known.
    pub reached: u64,
    /// The epoch of the engine's latest answer.
    pub latest: Option<&'a str>,
    /// The engine's status; `None` while it does not answer.
    pub status: Option<&'a Status>,
    /// Time since the sidecar started.
    pub now: Duration,
}

/// Why what the engine says may not be acted upon.
#[derive(Clone, Copy, Debug, thiserror::Error)]
enum Unfit<'a> {
    /// The stream of rows is broken off.
    #[error("the placements are out of sight")]
    NoFeed,
    /// There is no status.
    #[error("the engine does not answer")]
    NoStatus,
    /// Rows, status and latest answer have several epochs.
    #[error("the placements are of another engine process")]
    OtherProcess,
    /// The engine says that it is not ready, and why.
    #[error("the engine is not ready: {}", .0.join("; "))]
    NotReady(&'a [String]),
    /// The engine says what of its state is stale.
    #[error("{}", .0.join("; "))]
    Stale(&'a [String]),
    /// A required kind is older than the engine's limit, or was never proved current.
    #[error("{kind} of source `{name}` has not been proved current for {limit} s")]
    Unproved {
        /// The kind.
        kind: &'a Gvr,
        /// Name of the source that it comes from.
        name: &'a str,
        /// The engine's limit, in seconds.
        limit: f64,
    },
}

/// Opens when all is well and every row has been decided since: rows of a time when the engine could not see the fleet, or was not
/// asked, say where objects belonged then.
#[derive(Debug, Default)]
pub struct Gate {
    opens: Opens,
}

/// What an open gate waits for.
#[derive(Debug, Default, PartialEq, Eq)]
enum Opens {
    /// All must be well first.
    #[default]
    NotYet,
    /// All is well since this time, when the engine was at this revision.
    Decided(u64, Duration),
    /// The rows are decided, up to this position of the stream; all is well since this time.
    Read(u64, Duration),
    /// Nothing: what is decided later is told soon.
    Now,
}

impl Gate {
    /// Returns why nothing may be written; `None`: write.
    pub fn closed(&mut self, sight: &Sight<'_>) -> Option<String> {
        let status = match well(sight) {
            Ok(status) => status,
            Err(reason) => {
                self.opens = Opens::NotYet;
                return Some(reason.to_string());
            }
        };
        self.look(status, sight);
        match self.opens {
            Opens::Now => (!sight.leading).then(|| "this replica does not hold the Lease".into()),
            Opens::Decided(revision, _) => Some(format!("the placements of revision {revision} are not all decided yet")),
            Opens::NotYet | Opens::Read(..) => Some("the placements that were decided are not all read yet".into()),
        }
    }

    /// All is well. Where the fleet changes faster than it is decided, rows are decided in their turn: for longer than state may be old
    /// nobody waits for all of them.
    fn look(&mut self, status: &Status, sight: &Sight<'_>) {
        let waits_too_long = |since: Duration| sight.now.saturating_sub(since).as_secs_f64() > status.stale_after_seconds;
        if self.opens == Opens::NotYet {
            self.opens = Opens::Decided(status.revision, sight.now);
        }
        if let Opens::Decided(revision, since) = self.opens {
            match status.decided {
                None => self.opens = Opens::Now,
                Some(decided) if decided.revision >= revision => self.opens = Opens::Read(decided.position, since),
                Some(_) if waits_too_long(since) => self.opens = Opens::Now,
                Some(_) => {}
            }
        }
        if let Opens::Read(position, since) = self.opens
            && (sight.reached >= position || waits_too_long(since))
        {
            self.opens = Opens::Now;
        }
    }
}

/// Returns the engine's status. Fails when rows, status and latest answer are not those of one engine process, or it is not ready, or its
/// state is stale.
fn well<'a>(sight: &Sight<'a>) -> Result<&'a Status, Unfit<'a>> {
    let feed = sight.feed.ok_or(Unfit::NoFeed)?;
    let status = sight.status.ok_or(Unfit::NoStatus)?;
    if status.epoch != feed || sight.latest.is_some_and(|latest| latest != feed) {
        return Err(Unfit::OtherProcess);
    }
    if !status.ready {
        return Err(Unfit::NotReady(&status.not_ready));
    }
    stale(status).map_or(Ok(status), Err)
}

/// Returns why the engine's state is stale, if it is: nothing is moved then, whatever admission does. The engine says so itself; the
/// ages of required kinds are compared here too, for its status may be older than the limit.
fn stale(status: &Status) -> Option<Unfit<'_>> {
    let limit = status.stale_after_seconds;
    let said = (!status.stale.is_empty()).then_some(Unfit::Stale(&status.stale));
    said.or_else(|| {
        status.sources.iter().filter(|(_, source)| source.declared && source.required).find_map(|(name, source)| {
            let required = source.kinds.iter().filter(|kind| kind.required);
            let kind = required.filter(|kind| kind.age_seconds.is_none_or(|age| age > limit)).map(|kind| &kind.gvr).next()?;
            Some(Unfit::Unproved { kind, name, limit })
        })
    })
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::kind::Gvr;
    use plimsoll_contract::status::{Decided, KindStatus, OnStale, SourceStatus};
    use plimsoll_contract::still::Still;

    use super::*;

    fn status(ready: bool, age: Option<f64>) -> Status {
        let kind = KindStatus {
            gvr: Gvr::try_from("v1/pods".to_owned()).unwrap(),
            required: true,
            loaded: true,
            objects: 1,
            age_seconds: age,
        };
        let source = SourceStatus { declared: true, required: true, kinds: vec![kind], ..SourceStatus::default() };
        Status {
            epoch: "e1".into(),
            revision: 1,
            version: String::new(),
            ready,
            not_ready: vec!["source `fed` is not loaded".into()],
            armed: true,
            placement_path: String::new(),
            reads: None,
            digest: String::new(),
            policies: Default::default(),
            sources: [("fed".to_owned(), source)].into(),
            stale_after_seconds: 60.0,
            on_stale: OnStale::Deny,
            stale: vec![],
            decided: None,
            still: Still::default(),
            notes: vec![],
        }
    }

    fn closed(leading: bool, feed: Option<&str>, latest: Option<&str>, status: Option<&Status>) -> Option<String> {
        Gate::default().closed(&Sight { leading, feed, latest, status, ..Sight::default() })
    }

    #[test]
    fn rows_of_a_time_when_nothing_was_seen_are_decided_again_before_any_is_written() {
        let (mut gate, mut now) = (Gate::default(), 0);
        let mut closed = |leading, reached, status: &Status| {
            now += 1;
            let now = Duration::from_secs(now);
            gate.closed(&Sight { leading, feed: Some("e1"), reached, latest: None, status: Some(status), now })
        };
        let well = |revision, decided, position| {
            let decided = Some(Decided { revision: decided, position });
            Status { revision, decided, ..status(true, Some(3.0)) }
        };
        let waits = |reason: Option<String>, what: &str| reason.is_some_and(|reason| reason.contains(what));
        assert!(waits(closed(true, 40, &status(true, Some(61.0))), "proved current"));
        assert!(waits(closed(true, 40, &well(7, 4, 40)), "revision 7"), "seen again, and not decided yet");
        assert!(waits(closed(true, 40, &well(9, 6, 41)), "revision 7"), "the revision is that of the first look");
        assert!(waits(closed(true, 40, &well(9, 7, 42)), "not all read"));
        assert!(waits(closed(true, 41, &well(12, 9, 60)), "not all read"));
        assert_eq!(closed(true, 42, &well(12, 9, 60)), None, "up to where they were decided first");
        assert_eq!(closed(true, 42, &well(30, 20, 90)), None, "what comes now is told as it is decided");
        assert!(waits(closed(false, 42, &well(30, 20, 90)), "Lease"));
        assert_eq!(closed(true, 42, &well(31, 20, 90)), None, "whoever leads, the engine was well all the time");
        assert!(waits(closed(true, 90, &status(false, Some(3.0))), "not loaded"));
        assert!(waits(closed(true, 90, &well(32, 31, 90)), "revision 32"));
        for second in 33..92 {
            assert!(waits(closed(true, 90, &well(second, 31, 90)), "revision 32"), "{second}");
        }
        (0..3).for_each(|_| drop(closed(true, 90, &well(99, 31, 90))));
        assert_eq!(closed(true, 90, &well(99, 31, 90)), None, "a fleet that is never all decided must not stop repairs for ever");
    }

    #[test]
    fn t10_nothing_is_written_unless_everything_is_of_one_fresh_and_ready_engine() {
        let fresh = status(true, Some(3.0));
        assert_eq!(closed(true, Some("e1"), Some("e1"), Some(&fresh)), None);
        let cases = [
            ("not the leader", closed(false, Some("e1"), Some("e1"), Some(&fresh)), "does not hold"),
            ("no stream", closed(true, None, Some("e1"), Some(&fresh)), "out of sight"),
            ("no status", closed(true, Some("e1"), Some("e1"), None), "does not answer"),
            ("old stream", closed(true, Some("e0"), Some("e1"), Some(&fresh)), "another engine"),
            ("newer answer", closed(true, Some("e1"), Some("e2"), Some(&fresh)), "another engine"),
            ("not ready", closed(true, Some("e1"), Some("e1"), Some(&status(false, Some(3.0)))), "not loaded"),
            ("stale", closed(true, Some("e1"), Some("e1"), Some(&status(true, Some(61.0)))), "v1/pods"),
            ("never proved", closed(true, Some("e1"), Some("e1"), Some(&status(true, None))), "v1/pods"),
        ];
        for (name, closed, expected) in cases {
            assert!(closed.unwrap_or_default().contains(expected), "{name}");
        }
    }

    #[test]
    fn what_is_stale_is_the_engines_word_whatever_admission_does() {
        for on_stale in [OnStale::Deny, OnStale::Warn, OnStale::Ignore] {
            let open = |status: &Status| closed(true, Some("e1"), Some("e1"), Some(status)).is_none();
            let fresh = Status { on_stale, stale_after_seconds: 90.0, ..status(true, Some(75.0)) };
            assert!(open(&fresh), "the engine's own limit counts");
            assert!(!open(&Status { stale: vec!["v1/pods of source `fed`".into()], ..fresh.clone() }), "{on_stale:?}");
            assert!(!open(&Status { stale_after_seconds: 0.5, ..fresh.clone() }), "{on_stale:?}");
            let mut optional = Status { stale_after_seconds: 60.0, ..fresh };
            optional.sources.values_mut().for_each(|source| source.required = false);
            assert!(open(&optional), "no decision depends on it, or the engine would say so");
        }
    }
}
