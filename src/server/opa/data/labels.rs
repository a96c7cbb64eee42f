//! `?rule_labels`: what METADATA labels the rules with that were found to hold (`v1/topdown/evaluated.go` of OPA's sources).

use std::time::Instant;

use crate::rego::{Document, EvalError, Limits};

/// METADATA labels of rules.
#[derive(Debug, Default)]
pub struct Labels {
    /// Each once, in OPA's order.
    pub all: Vec<Document>,
    /// Why they are not known.
    pub warning: Option<String>,
}

impl Labels {
    /// Of a decision that was made, perhaps of what is kept: policy is asked once more, in what is left of the time.
    pub(super) fn of_decision(
        limits: &Limits,
        started: Instant,
        evaluate: impl FnOnce(&Limits) -> Result<Vec<Document>, EvalError>,
    ) -> Self {
        let limits = Limits { time: limits.time.saturating_sub(started.elapsed()), ..limits.clone() };
        match evaluate(&limits) {
            Ok(all) => all.into(),
            Err(error) => {
                tracing::warn!(%error, "the labels of the rules behind a decision are not known");
                Self { warning: Some(format!("rule_labels: nothing is told: {error}")), ..Self::default() }
            }
        }
    }
}

impl From<Vec<Document>> for Labels {
    fn from(all: Vec<Document>) -> Self {
        Self { all, warning: None }
    }
}
