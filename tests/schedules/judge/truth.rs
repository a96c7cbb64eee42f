//! Readiness and gauges, as they are read: nobody says for longer than it takes to notice that all is well when it is not.

use std::collections::BTreeMap;
use std::time::Instant;

use super::super::history::Past;
use super::super::policy::Value;
use super::super::samples::Sample;
use super::super::stage::NAMES;
use super::{DETECTION, Violations};

/// Since when it is said that all is well while an object is wrong, without a word to the contrary in between.
#[derive(Debug, Default)]
pub(in super::super) struct Truth {
    said: BTreeMap<String, Instant>,
    found: BTreeMap<String, String>,
}

impl Truth {
    /// Judges what was asked from `began` on.
    pub(in super::super) fn hear(&mut self, past: &Past, began: Instant, samples: &[Sample; 2]) {
        for (number, sample) in samples.iter().enumerate() {
            self.readiness(NAMES[number], began, sample);
        }
        let leader = samples.iter().position(|sample| sample.leads() && sample.says_all_is_done());
        let wrong = if leader.is_some() { wrong(past) } else { Vec::new() };
        self.said.retain(|uid, _| wrong.contains(&uid));
        for uid in wrong {
            self.said.entry(uid.clone()).or_insert(began);
        }
        let Some(number) = leader else { return };
        for (uid, since) in &self.said {
            let time = began.saturating_duration_since(*since);
            if time > DETECTION && !could_be_right(past, uid, began) {
                let name = past.objects.get(uid).and_then(|all| all.last()).map_or("", |last| &last.name);
                let (time, gauges, pod) = (time.as_secs_f64(), samples[number].gauges, NAMES[number]);
                let text = format!(
                    "gauges: {name} is wrong, and for {time:.1} s whoever leads, now {pod}, has said that all is well: {gauges:?}"
                );
                self.found.entry(format!("gauges {uid}")).or_insert(text);
            }
        }
    }

    /// Everything that was not so, each once.
    pub(in super::super) fn found(&self) -> Violations {
        self.found.values().cloned().collect()
    }

    fn readiness(&mut self, name: &str, began: Instant, sample: &Sample) {
        let Some(blind) = sample.blind_since.map(|since| began.saturating_duration_since(since)) else { return };
        if blind <= DETECTION {
            return;
        }
        for (who, ready) in [("engine", &sample.engine_ready), ("sidecar", &sample.sidecar_ready)] {
            if let Some((true, text)) = ready {
                let what = format!(
                    "readiness: the {who} of {name} is ready, {:.1} s after it saw anything: {text}",
                    blind.as_secs_f64()
                );
                self.found.entry(format!("readiness {who} {name} {:?}", sample.blind_since)).or_insert(what);
            }
        }
    }
}

/// Objects that are not as policy says on the latest fleet.
fn wrong(past: &Past) -> Vec<&String> {
    let Some(fleet) = past.fleets.last().map(|state| &state.fleet) else { return Vec::new() };
    let is_wrong = |asks: bool, value: &Value| !past.policies_now().any(|policy| policy.value(fleet, asks) == *value);
    past.alive().filter(|(_, last)| is_wrong(last.asks, &last.value)).map(|(uid, _)| uid).collect()
}

/// Whether an object is as it was to be at some time within the time to notice.
fn could_be_right(past: &Past, uid: &str, now: Instant) -> bool {
    let Some(from) = now.checked_sub(DETECTION) else { return true };
    let Some(last) = past.objects.get(uid).and_then(|all| all.last()) else { return true };
    let policies = past.policies_between(from, now);
    let is_right = |policy: &super::super::policy::Policy| {
        past.fleets_since(from).iter().any(|state| policy.value(&state.fleet, last.asks) == last.value)
    };
    last.gone || policies.iter().any(is_right)
}
