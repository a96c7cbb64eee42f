//! Readiness follows what the engine does with stale state: red under `deny` only; under `warn` and `ignore` the reason is shown.
//!
//! Whatever is lost, the API server or the engine, shows in one place: what the engine has is not proved any more, and ages.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use plimsoll_contract::status::{OnStale, Status};

use crate::engine::status::View;
use crate::health::Condition;
use crate::metrics::Metrics;
use crate::replicate::age::{Aged, Ages};

/// Judges the ages whenever somebody asks for readiness or metrics.
pub struct Staleness {
    ages: Ages,
    view: View,
    rule: Mutex<Rule>,
    current: Condition,
    /// Each kind is proved more often than the engine takes it for stale.
    often: Condition,
    probe: Duration,
    metrics: Metrics,
}

/// The engine's limit of age, and what it does beyond, as last read from its status.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rule {
    after: Duration,
    on_stale: OnStale,
}

impl Default for Rule {
    /// The engine's own default, until it has answered.
    fn default() -> Self {
        Self { after: Duration::from_secs(60), on_stale: OnStale::Deny }
    }
}

impl Rule {
    fn of(status: &Status) -> Self {
        let after = Duration::try_from_secs_f64(status.stale_after_seconds).unwrap_or(Duration::MAX);
        Self { after, on_stale: status.on_stale }
    }
}

impl Staleness {
    /// Both conditions are met at once: what is not loaded yet has conditions of its own. `probe` is the time between two proofs.
    pub fn new(ages: Ages, view: View, (current, often): (Condition, Condition), probe: Duration, metrics: Metrics) -> Self {
        current.met();
        often.met();
        Self { ages, view, rule: Mutex::default(), current, often, probe, metrics }
    }

    /// As of now.
    pub fn judge(&self) {
        let rule = self.rule();
        let ages = self.ages.now();
        for aged in &ages {
            self.metrics.age(&aged.name, aged.age);
        }
        match too_seldom(rule.after, self.probe) {
            Some(reason) => self.often.unmet(reason),
            None => self.often.met(),
        }
        let reason = reason(&ages, rule.after);
        self.metrics.stale.set(i64::from(reason.is_some()));
        match (reason, rule.on_stale) {
            (None, _) => self.current.met(),
            (Some(reason), OnStale::Deny) => self.current.unmet(reason),
            (Some(reason), OnStale::Warn | OnStale::Ignore) => self.current.lapsed(reason),
        }
    }

    /// An engine that does not answer is taken at its last word.
    fn rule(&self) -> Rule {
        let said: Option<Arc<Status>> = self.view.borrow().clone();
        let mut rule = self.rule.lock();
        if let Some(status) = said {
            *rule = Rule::of(&status);
        }
        *rule
    }
}

/// Returns why a kind in which nothing happens is stale now and then, though all is well; `None` if it is not.
fn too_seldom(after: Duration, probe: Duration) -> Option<String> {
    (after <= probe).then(|| {
        format!(
            "the engine takes what it has for stale after {after:?} (`serve --stale-after`), and it is proved current every {probe:?} \
             (`mirror.probe`): nothing is placed in between. Make the first at least twice as long as the second"
        )
    })
}

/// Returns the required kinds that are older than `after` as a message, oldest first; `None` without any.
fn reason(ages: &[Aged], after: Duration) -> Option<String> {
    let is_stale = |aged: &&Aged| aged.required && aged.age.is_some_and(|age| age > after);
    let mut stale: Vec<&Aged> = ages.iter().filter(is_stale).collect();
    stale.sort_by_key(|aged| std::cmp::Reverse(aged.age));
    let name = |aged: &&Aged| format!("{} for {:.1} s", aged.name, aged.age.unwrap_or_default().as_secs_f64());
    let names: Vec<String> = stale.iter().map(name).collect();
    (!names.is_empty()).then(|| format!("not proved current for longer than {after:?}: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use tokio::sync::watch;
    use tokio::time::{Instant, advance};

    use super::*;
    use crate::health::Health;

    fn status(on_stale: &str) -> Arc<Status> {
        let text = format!(
            r#"{{"epoch":"e","revision":1,"version":"","ready":true,"notReady":[],"armed":true,"placementPath":"","digest":"",
                "policies":{{}},"sources":{{}},"staleAfterSeconds":3.5,"onStale":"{on_stale}"}}"#
        );
        Arc::new(serde_json::from_str(&text).unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn only_deny_turns_readiness_red_and_the_reason_is_shown_under_all() {
        for (on_stale, is_red) in [("deny", true), ("warn", false), ("ignore", false)] {
            let (ages, health, metrics) = (Ages::default(), Health::default(), Metrics::new().unwrap());
            let (sender, view) = watch::channel(Some(status(on_stale)));
            let conditions = (health.gate("mirror", ""), health.note("proofs", ""));
            let stale = Staleness::new(ages.clone(), view, conditions, Duration::from_secs(1), metrics.clone());
            let (pods, optional) = (ages.of("v1/pods", true), ages.of("v1/nodes", false));
            pods.prove(Instant::now());
            optional.prove(Instant::now());
            stale.judge();
            assert!(health.not_ready().is_empty() && health.notes().is_empty(), "{on_stale}");
            // The engine goes away: its last word counts.
            sender.send_replace(None);
            advance(Duration::from_secs(4)).await;
            stale.judge();
            let (shown, other) = if is_red { (health.not_ready(), health.notes()) } else { (health.notes(), health.not_ready()) };
            assert_eq!(shown, ["mirror: not proved current for longer than 3.5s: v1/pods for 4.0 s"], "{on_stale}");
            assert!(other.is_empty(), "{on_stale}: {other:?}");
            let text = metrics.text().unwrap();
            assert!(text.contains("plimsoll_sidecar_stale 1"), "{text}");
            assert!(text.contains("plimsoll_sidecar_kind_age_seconds{kind=\"v1/nodes\"} 4\n"), "{text}");
            pods.prove(Instant::now());
            stale.judge();
            assert!(health.not_ready().is_empty() && health.notes().is_empty(), "{on_stale} healed");
        }
    }

    #[tokio::test]
    async fn a_limit_of_age_below_the_time_between_two_proofs_is_said_with_both() {
        let health = Health::default();
        let (sender, view) = watch::channel(None);
        let conditions = (health.gate("mirror", ""), health.note("proofs", ""));
        let stale = Staleness::new(Ages::default(), view, conditions, Duration::from_secs(10), Metrics::new().unwrap());
        stale.judge();
        assert!(health.notes().is_empty(), "the engine's default until it has answered");
        sender.send_replace(Some(status("deny")));
        stale.judge();
        let note = health.notes().concat();
        assert!(note.contains("3.5s (`serve --stale-after`)") && note.contains("10s (`mirror.probe`)"), "{note}");
        assert!(health.not_ready().is_empty());
        assert_eq!(too_seldom(Duration::from_secs(10), Duration::from_millis(9_999)), None);
    }

    #[tokio::test]
    async fn what_was_never_loaded_has_its_own_condition() {
        let ages = Ages::default();
        ages.of("v1/pods", true);
        assert_eq!(reason(&ages.now(), Duration::ZERO), None);
    }
}
