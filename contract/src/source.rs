//! Declaring a source and replicating objects.
//!
//! `PUT /plimsoll/v1/sources/{name}` with [`Declare`] answers [`Declared`]; a newer declare of the same name ends the
//! older session, whose next sync is answered 409. `POST /plimsoll/v1/sources/{name}/sync` takes NDJSON: one
//! [`SyncHeader`] line, then for `replace` one object per line, for `delta` one [`Delta`] per line. A `replace` swaps the
//! kind atomically at the end of the body; a `delta` applies all its lines in one revision. An empty `delta` is a proof
//! of freshness. Both answer [`Synced`].

use serde::{Deserialize, Serialize};

use crate::kind::{Gvr, Kind};
use crate::still::Still;
use crate::version::ResourceVersion;

/// Whether a text can be the name of a source: it goes into paths, headers, metrics and messages.
pub fn is_source_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
    (1..=63).contains(&text.len()) && text.chars().all(is_letter)
}

/// What a source will replicate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Declare {
    /// Who declares, for people: host name and process.
    #[serde(default)]
    pub instance: String,
    /// The rows of the table of kinds that this source loads. `required` rows gate readiness.
    pub kinds: Vec<Kind>,
    /// This source also sends a policy set (possibly empty) as `PUT /plimsoll/v1/policies/{name}`; not ready before.
    #[serde(default)]
    pub policies: bool,
    /// Identifies the cluster whose objects these are: the uid of its namespace `kube-system`. Versions of objects are compared
    /// within one cluster only; `None` if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Namespaces, by name, in which objects of these kinds are never placed, beside those that never are
    /// ([`crate::exempt::is_namespace_exempt`]); at most [`crate::exempt::MOST_NAMESPACES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exempt_namespaces: Vec<String>,
    /// How much of the fleet may be said to be gone at once and is believed; what the source's brake lets move. Left out where it is the
    /// default, which is all that an older engine knows.
    #[serde(default, skip_serializing_if = "FleetLoss::is_default")]
    pub fleet_loss: FleetLoss,
}

/// How many objects of a fleet kind may go at once. All of them may not, however few they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FleetLoss {
    /// Of those that are there: hundredths of a percent.
    pub share: u32,
    /// So many always may.
    pub floor: usize,
}

impl Default for FleetLoss {
    fn default() -> Self {
        Self { share: 3_000, floor: 10 }
    }
}

impl FleetLoss {
    /// Returns whether it is what every engine knows.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether it is more than may go when so many objects of a number are gone.
    pub fn is_exceeded(self, gone: usize, before: usize) -> bool {
        let (gone_share, may) = (gone.saturating_mul(10_000), usize::try_from(self.share).unwrap_or(usize::MAX));
        gone > self.floor && gone_share > before.saturating_mul(may)
    }
}

/// The answer to a declare.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// The engine process; a new one means: load everything again.
    pub epoch: String,
    /// To be sent with every sync.
    pub session: String,
    /// The revision from which the declaration holds.
    pub revision: u64,
}

/// How the lines after the header are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SyncMode {
    /// The lines are all objects of the kind.
    Replace,
    /// The lines are changes.
    Delta,
}

/// First line of a sync body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SyncHeader {
    /// From [`Declared`].
    pub session: String,
    /// The kind that the lines are of.
    pub kind: Gvr,
    /// Replace or delta.
    pub mode: SyncMode,
    /// The API server's version up to which the source has seen this kind, these lines included: the list's, or that of the last
    /// event or bookmark. `None` if it is not known, as for a kind that is watched namespace by namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_version: Option<ResourceVersion>,
    /// `resourceVersion` is the answer of a consistent list, whose request was sent so many milliseconds before this body: no
    /// version beyond it existed then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed_millis_ago: Option<u64>,
}

/// `PUT /plimsoll/v1/sources/{name}/leader`: who holds the Lease, and by which policies it places. Sent by every sidecar when it
/// changes, and every 10 s; the engine forgets it after 30 s. Answered 204.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Leader {
    /// From [`Declared`].
    pub session: String,
    /// The Lease's holder; empty if it is given back, and the policy is the last holder's.
    pub holder: String,
    /// Digest of all policy sets in force at the holder's engine: the Lease's annotation [`crate::annotations::LEASE_POLICY`].
    pub policy: String,
    /// Where nothing is to move.
    #[serde(default, skip_serializing_if = "Still::is_none")]
    pub still: Still,
}

/// One line of a delta.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Delta {
    /// The object as it now is: `{"put":{…}}`.
    Put(serde_json::Value),
    /// The object is gone: `{"remove":{"namespace":"ns","name":"n"}}`.
    Remove(ObjectName),
}

/// Names an object of a known kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObjectName {
    /// Empty for cluster-scoped objects.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
}

/// The answer to a sync, given after its revision is published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Synced {
    /// The engine process.
    pub epoch: String,
    /// The revision that holds the lines.
    pub revision: u64,
}

/// How old a source's knowledge of its oldest required kind is, as used for a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceAge {
    /// The source's name.
    pub name: String,
    /// Seconds since the source last proved its oldest required kind current; `None` before it is loaded.
    pub age_seconds: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_has_a_plain_name() {
        let long = "x".repeat(64);
        for (text, expected) in
            [("kubernetes", true), ("a.b-1", true), (&long[..63], true), ("", false), ("A", false), (&long, false)]
        {
            assert_eq!(is_source_name(text), expected, "{text}");
        }
    }

    #[test]
    fn more_than_a_share_and_more_than_a_few_exceed_what_may_go() {
        let usual = FleetLoss::default();
        let (strict, all) = (FleetLoss { share: 500, floor: 0 }, FleetLoss { share: 10_000, floor: 10 });
        let cases = [
            (usual, 0, 0, false),
            (usual, 5, 5, false),
            (usual, 10, 12, false),
            (usual, 11, 12, true),
            (usual, 30, 100, false),
            (usual, 31, 100, true),
            (usual, 300, 1_000, false),
            (strict, 5, 100, false),
            (strict, 6, 100, true),
            (strict, 1, 2, true),
            (all, 100, 100, false),
        ];
        for (may, gone, before, expected) in cases {
            assert_eq!(may.is_exceeded(gone, before), expected, "{gone} of {before} by {may:?}");
        }
    }
}
