//! Whether a decision can be made of what is seen of the fleet at that moment; the time is somebody else's to know.

use plimsoll_contract::outcome::{Outcome, Unavailable};
use plimsoll_contract::status::OnStale;
use serde_json::Value as Json;

use super::Decision;
use crate::snapshot::Snapshot;

/// What is stale of a snapshot when a decision is made on it, and what follows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// Sources that decisions depend on, one sentence each; empty: all is fresh.
    pub stale: Vec<String>,
    /// What is done then.
    pub on_stale: OnStale,
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
        let warnings = self.stale.iter().map(|why| format!("decided by what is stale: {why}"));
        if let Some(Json::Object(document)) = decision.document.as_mut() {
            let said = document.entry("warnings").or_insert_with(|| Json::Array(Vec::new()));
            if let Json::Array(said) = said {
                said.extend(warnings.clone().map(Json::from));
            }
        }
        // First: an answer has room for few.
        decision.warnings.splice(0..0, warnings);
        decision
    }
}
