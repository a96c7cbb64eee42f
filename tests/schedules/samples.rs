//! What the processes say of themselves, four times a second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::park_timeout;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::super::e2e::{sample, try_get_within};
use super::pair::{Blindness, Pair};

const PAUSE: Duration = Duration::from_millis(250);
const PATIENCE: Duration = Duration::from_secs(1);

/// Where to ask, and what is done to whom.
#[derive(Debug)]
pub(super) struct Facts(Mutex<[Fact; 2]>);

/// One pod's.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    engine: String,
    sidecar: Option<String>,
    /// What keeps news from its mirror.
    blindness: Option<Blindness>,
    /// Since when nothing new can have reached it.
    pub(super) blind_since: Option<Instant>,
}

/// What one pod says; `None` where there was no answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    pub(super) engine_ready: Option<(bool, String)>,
    pub(super) sidecar_ready: Option<(bool, String)>,
    pub(super) gauges: Option<Gauges>,
    /// As before and after asking: a change in between is no ground to judge.
    pub(super) blind_since: Option<Instant>,
}

/// Of the sidecar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gauges {
    pub(super) leading: f64,
    pub(super) pending: f64,
    pub(super) reverted: f64,
    pub(super) repairing: f64,
    pub(super) oldest_seconds: f64,
}

impl Facts {
    pub(super) fn of(pairs: &[Pair; 2]) -> Self {
        Self(Mutex::new([0, 1].map(|number| fact(&pairs[number], None))))
    }

    /// A pair has been changed.
    pub(super) fn note(&self, number: usize, pair: &Pair) {
        let mut facts = self.0.lock();
        facts[number] = fact(pair, Some(&facts[number]));
    }

    /// Asks both pods.
    pub(super) fn sample(&self) -> [Sample; 2] {
        [0, 1].map(|number| {
            let before = self.0.lock()[number].clone();
            let mut sample = ask(&before);
            let after = self.0.lock()[number].blind_since;
            sample.blind_since = before.blind_since.filter(|since| after == Some(*since));
            sample
        })
    }

    /// Samples until it is over.
    pub(super) fn watch(&self, over: &AtomicBool, mut with: impl FnMut(Instant, &[Sample; 2])) {
        while !over.load(Ordering::Acquire) {
            let began = Instant::now();
            let samples = self.sample();
            with(began, &samples);
            park_timeout(PAUSE.saturating_sub(began.elapsed()));
        }
    }
}

fn fact(pair: &Pair, before: Option<&Fact>) -> Fact {
    let (blindness, now) = (pair.blindness(), Instant::now());
    let before = before.map(|fact| (fact.blindness, fact.blind_since));
    let blind_since = blindness.map(|blindness| since(before, blindness, now));
    Fact { engine: pair.engine.diagnostic(""), sidecar: pair.sidecar_place(), blindness, blind_since }
}

/// Since when a mirror has been without news. A sidecar that comes back, or whose way opens, lists at once: while watches stall, what
/// was so at that moment does reach it.
fn since(before: Option<(Option<Blindness>, Option<Instant>)>, blindness: Blindness, now: Instant) -> Instant {
    match before {
        Some((Some(Blindness::Out), _)) if blindness == Blindness::Stalled => now,
        Some((Some(_), Some(since))) => since,
        _ => now,
    }
}

fn ask(fact: &Fact) -> Sample {
    let get = |place: &str, path: &str| -> Option<(u16, String)> { try_get_within(&format!("{place}{path}"), PATIENCE).ok() };
    let ready = |place: &str| get(place, "/health/ready").map(|(status, text)| (status == 200, text));
    let sidecar = fact.sidecar.as_deref();
    let gauges = sidecar.and_then(|place| get(place, "/metrics")).map(|(_, text)| gauges(&text));
    let (engine_ready, sidecar_ready) = (ready(&fact.engine), sidecar.and_then(ready));
    Sample { engine_ready, sidecar_ready, gauges, blind_since: None }
}

fn gauges(text: &str) -> Gauges {
    let gauge = |name: &str| sample(text, &format!("plimsoll_sidecar_{name}"), "");
    Gauges {
        leading: gauge("leading"),
        pending: gauge("pending"),
        reverted: gauge("reverted"),
        repairing: gauge("repairing"),
        oldest_seconds: gauge("oldest_seconds"),
    }
}

impl Sample {
    /// Whether both processes say that they are well and, of the sidecar, that all is written.
    pub(super) fn says_all_is_done(&self) -> bool {
        self.is_ready() && self.gauges.is_some_and(|gauges| gauges.pending + gauges.reverted == 0.0)
    }

    /// Whether both processes are ready.
    pub(super) fn is_ready(&self) -> bool {
        [&self.engine_ready, &self.sidecar_ready].into_iter().all(|ready| ready.as_ref().is_some_and(|(ready, _)| *ready))
    }

    /// Whether it holds the Lease, and writes what is pending.
    pub(super) fn leads(&self) -> bool {
        self.gauges.is_some_and(|gauges| gauges.leading > 0.0 && gauges.repairing > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_through_stalled_watches_is_news_and_no_other_fault_lets_any_through() {
        let (now, long_ago) = (Instant::now(), Instant::now() - Duration::from_secs(9));
        let (out, stalled) = (Blindness::Out, Blindness::Stalled);
        let cases = [
            ("nothing was the matter", None, out, now),
            ("still out", Some(out), out, long_ago),
            ("back, while watches stall", Some(out), stalled, now),
            ("still stalled", Some(stalled), stalled, long_ago),
            ("stalled, then out", Some(stalled), out, long_ago),
        ];
        for (name, before, blindness, expected) in cases {
            assert_eq!(since(Some((before, before.map(|_| long_ago))), blindness, now), expected, "{name}");
        }
        assert_eq!(since(None, stalled, now), now);
    }
}
