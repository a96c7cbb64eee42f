//! What the moment adds to a decision: whether it can be made of what is seen of the fleet, and whether letting go waits. The time is
//! somebody else's to know.

use std::time::Duration;

use plimsoll_contract::outcome::{Outcome, Unavailable};
use plimsoll_contract::status::OnStale;

use super::Decision;
use crate::snapshot::Snapshot;

/// The age of a snapshot when a decision is made on it: stale sources, and how new its policies are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// Sources that decisions depend on, one sentence each; empty: all is fresh.
    pub stale: Vec<String>,
    /// What is done then.
    pub on_stale: OnStale,
    /// The policies changed less than this long ago: what they placed before, and have no opinion of any more, stays so long.
    /// `None`: it is let go.
    pub grace: Option<Duration>,
}

impl Sight {
    /// Why there can be no decision, whatever policy says; `None` if there can be one.
    pub(super) fn unavailable(&self, snapshot: &Snapshot) -> Option<Outcome> {
        let unavailable = |reason, message| Some(Outcome::Unavailable { reason, message });
        if !snapshot.ready() {
            return unavailable(Unavailable::NotReady, snapshot.not_ready.join("; "));
        }
        if !snapshot.missing().is_empty() {
            return unavailable(Unavailable::NotReady, snapshot.missing().join("; "));
        }
        if self.on_stale == OnStale::Deny && !self.stale.is_empty() {
            let message = format!("{}; is its `plimsoll sync` running? (--on-stale=deny)", self.stale.join("; "));
            return unavailable(Unavailable::Stale, message);
        }
        None
    }

    /// The decision, with a warning to whoever asked if it had to be made of what is stale.
    pub(super) fn warned(&self, mut decision: Decision) -> Decision {
        if self.on_stale != OnStale::Warn {
            return decision;
        }
        decision.stale = self.stale.iter().map(|why| format!("decided by what is stale: {why}")).collect();
        // First: an answer has room for few.
        decision.warnings.splice(0..0, decision.stale.iter().cloned());
        decision
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plimsoll_contract::source::Declare;
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::decision::testing::{config, row};
    use crate::decision::{Subject, Way, Writer, decide_seeing};
    use crate::rego::Module;
    use crate::snapshot::{Store, StoreOptions};

    const POLICY: &str = r#"
package kubernetes.placement

annotations["federation.kubernetes.io/replica-set-preferences"] := {"clusters": {}}

warnings contains "policy's own" if input.metadata.labels.warn
"#;

    fn store() -> Store {
        let store = Store::new(StoreOptions::default()).unwrap();
        store.put_policies("files", vec![Module { key: "p.rego".into(), text: POLICY.into() }]).unwrap();
        store
    }

    fn decided(store: &Store, object: &Json, on_stale: OnStale) -> Decision {
        let sight = Sight { stale: vec!["v1/pods of source `s` is old".into()], on_stale, grace: None };
        let subject = Subject { object, kind: None, way: Way::Create, writer: Writer::Other, last: None };
        decide_seeing(&store.load(), subject, &config(), &sight)
    }

    fn object(namespace: &str) -> Json {
        json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "a", "namespace": namespace, "labels": {"warn": "1"}}})
    }

    #[test]
    fn deny_decides_nothing_warn_says_so_and_ignore_does_not() {
        let store = store();
        let denied = decided(&store, &object("shop"), OnStale::Deny);
        let Outcome::Unavailable { reason: Unavailable::Stale, message } = &denied.outcome else { panic!("{denied:?}") };
        assert!(message.contains("v1/pods of source `s`") && message.contains("--on-stale"), "{message}");
        assert!(denied.patch.is_empty() && denied.document().is_none());

        let (warned, ignored) =
            (decided(&store, &object("shop"), OnStale::Warn), decided(&store, &object("shop"), OnStale::Ignore));
        assert_eq!((&warned.outcome, &warned.patch), (&Outcome::Nowhere, &ignored.patch), "the decision is the same");
        assert_eq!(ignored.warnings, ["policy's own"]);
        assert!(warned.warnings[0].contains("stale") && warned.warnings[1] == "policy's own", "{:?}", warned.warnings);
        let said = |decision: &Decision| decision.document().unwrap()["warnings"].as_array().unwrap().len();
        assert_eq!((said(&warned), said(&ignored)), (2, 1));
    }

    #[test]
    fn what_is_never_decided_needs_no_sight() {
        assert_eq!(decided(&store(), &object("ops"), OnStale::Deny).outcome, Outcome::Exempt);
        assert_eq!(decided(&store(), &object("kube-system"), OnStale::Deny).outcome, Outcome::Exempt);
    }

    #[test]
    fn what_is_not_loaded_comes_before_what_is_old() {
        let store = Store::new(StoreOptions::default()).unwrap();
        let text = POLICY.replace("policy's own\"", "policy's own\" if data.kubernetes.pods.x.y == 1\n\nwarnings contains \"1\"");
        store.put_policies("files", vec![Module { key: "p.rego".into(), text }]).unwrap();
        let declare = Declare { kinds: vec![row("v1/pods", "Pod", |_| ())], ..Declare::default() };
        store.declare("s", declare).unwrap();
        let outcome = decided(&store, &object("shop"), OnStale::Ignore).outcome;
        let Outcome::Unavailable { reason: Unavailable::NotReady, message } = &outcome else { panic!("{outcome:?}") };
        assert!(message.contains("v1/pods of source `s`"), "{message}");
        assert!(store.load().stale(Duration::MAX, Duration::ZERO).is_empty(), "what never came is not old");
    }
}
