//! Readiness and gauges, as they are read: nobody says for longer than it takes to notice that all is well when it is not.

use std::collections::BTreeMap;
use std::time::Instant;

use super::super::history::Past;
use super::super::policy::Value;
use super::super::samples::Sample;
use super::super::stage::NAMES;
use super::{DETECTION, Violations};

/// Since when objects have been wrong, without being right in between.
#[derive(Debug, Default)]
pub(in super::super) struct Truth {
    wrong: BTreeMap<String, Instant>,
    found: BTreeMap<String, String>,
}

impl Truth {
    /// Judges what was asked from `began` on.
    pub(in super::super) fn hear(&mut self, past: &Past, began: Instant, samples: &[Sample; 2]) {
        for (number, sample) in samples.iter().enumerate() {
            self.readiness(NAMES[number], began, sample);
        }
        self.look(past);
        let leader = samples.iter().position(|sample| sample.leads() && sample.says_all_is_done());
        let Some(number) = leader else { return };
        for (uid, since) in &self.wrong {
            let is_long = began.saturating_duration_since(*since) > DETECTION;
            if is_long && !could_be_right(past, uid, began) {
                let text = format!(
                    "gauges: {} leads, and says that it is ready and all is written, while {} has been wrong for {:.1} s: {:?}",
                    NAMES[number],
                    past.objects.get(uid).and_then(|all| all.last()).map_or("", |last| &last.name),
                    began.saturating_duration_since(*since).as_secs_f64(),
                    samples[number].gauges
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

    fn look(&mut self, past: &Past) {
        let Some(fleet) = past.fleets.last().map(|state| &state.fleet) else { return };
        let now = Instant::now();
        let is_wrong = |asks: bool, value: &Value| !past.policies_now().any(|policy| policy.value(fleet, asks) == *value);
        let wrong: Vec<&String> = past.alive().filter(|(_, last)| is_wrong(last.asks, &last.value)).map(|(uid, _)| uid).collect();
        self.wrong.retain(|uid, _| wrong.contains(&uid));
        for uid in wrong {
            self.wrong.entry(uid.clone()).or_insert(now);
        }
    }
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
