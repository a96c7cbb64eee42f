//! What a decision can be. Empty is never written by accident: every case has its own name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The outcome of one decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum Outcome {
    /// The object is of a kind or namespace that is never decided, is being deleted, or follows a placed owner.
    Exempt,
    /// No accepted module defines the placement path.
    Unarmed,
    /// Armed, but the document is undefined (only when the path names a rule).
    Undefined,
    /// Defined, and annotations, placement and errors are all empty.
    NoOpinion,
    /// Annotations to set and remove.
    Place,
    /// Explicitly no cluster.
    Nowhere,
    /// Policy returned errors; none is empty.
    Denied {
        /// The policy's `errors`, sorted.
        errors: Vec<String>,
    },
    /// No decision could be made.
    Unavailable {
        /// Why.
        reason: Unavailable,
        /// What failed, on what, and what to do.
        message: String,
    },
}

/// Why no decision could be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Unavailable {
    /// Policies or required sources are not loaded yet.
    NotReady,
    /// A source is older than allowed.
    Stale,
    /// Evaluation failed or hit a limit.
    Failed,
    /// The object, or what policy says of it, cannot be used.
    Invalid,
}

impl Outcome {
    /// A closed set of names for metrics, Events and people.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Exempt => "exempt",
            Self::Unarmed => "unarmed",
            Self::Undefined => "undefined",
            Self::NoOpinion => "no_opinion",
            Self::Place => "place",
            Self::Nowhere => "nowhere",
            Self::Denied { .. } => "denied",
            Self::Unavailable { reason, .. } => match reason {
                Unavailable::NotReady => "not_ready",
                Unavailable::Stale => "stale",
                Unavailable::Failed => "failed",
                Unavailable::Invalid => "invalid",
            },
        }
    }

    /// The word that rows of placements show for [`Self::Unavailable`], whatever its reason is.
    pub const UNAVAILABLE: &'static str = "unavailable";

    /// Returns whether `name` means this outcome: its [`Self::name`], as in metrics, or [`Self::UNAVAILABLE`], as in rows.
    pub fn is_called(&self, name: &str) -> bool {
        self.name() == name || (name == Self::UNAVAILABLE && matches!(self, Self::Unavailable { .. }))
    }

    /// All that [`Self::name`] can say.
    pub const NAMES: [&'static str; 11] =
        ["exempt", "unarmed", "undefined", "no_opinion", "place", "nowhere", "denied", "not_ready", "stale", "failed", "invalid"];
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied { errors } => write!(f, "reason(s): {}", errors.join("; ")),
            Self::Undefined => write!(f, "policy decision is undefined"),
            Self::Unavailable { message, .. } => f.write_str(message),
            other => f.write_str(other.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denied_reads_like_the_ancestor() {
        let denied = Outcome::Denied { errors: vec!["a".into(), "b".into()] };
        assert_eq!(denied.to_string(), "reason(s): a; b");
        let json = serde_json::to_string(&denied).unwrap();
        assert_eq!(json, r#"{"outcome":"denied","errors":["a","b"]}"#);
        assert_eq!(serde_json::from_str::<Outcome>(&json).unwrap(), denied);
    }

    #[test]
    fn an_unavailable_outcome_has_the_name_of_its_reason() {
        let outcome = Outcome::Unavailable { reason: Unavailable::NotReady, message: "x".into() };
        assert!(Outcome::NAMES.contains(&outcome.name()));
        assert_eq!(outcome.to_string(), "x");
        let called = |outcome: &Outcome| ["unavailable", "not_ready", "stale", "place"].map(|name| outcome.is_called(name));
        assert_eq!(called(&outcome), [true, true, false, false]);
        assert_eq!(called(&Outcome::Place), [false, false, false, true]);
    }
}
