//! `/plimsoll/v1/why`: why an object is placed as it is, and for each cluster why it is in or out.
//!
//! Each way in which policy could let a cluster in is an [`Alternative`]: bodies of rules and comprehensions, from the document that is the
//! decision down to the one that goes through the clusters. A cluster is in where all conditions of some alternative hold.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::outcome::Outcome;
use crate::policy::Location;
use crate::source::SourceAge;
use crate::status::Reads;

/// What is asked: an object that the engine knows by name, or one that is sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WhyQuestion {
    /// The object.
    pub object: serde_json::Value,
    /// These clusters only; empty: all of the fleet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<String>,
}

/// The decision of one object, explained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Why {
    /// `apiVersion` of the object.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Empty for what lives in no namespace.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
    /// The decision.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Policy's warnings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What the decision's document says, each with the bodies that say it, or that could.
    pub said: Vec<Said>,
    /// Each cluster, by name.
    pub clusters: Vec<ClusterWhy>,
    /// What is worth knowing, such as that time was short.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What the decision's document depends on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<Reads>,
    /// How old what was decided on is.
    pub sources: Vec<SourceAge>,
    /// Digest of all policy sets together.
    pub policy: String,
    /// The engine process.
    pub epoch: String,
    /// The revision decided at.
    pub revision: u64,
}

/// One thing that policy says: a member of `errors`, or a rule of the decision's document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Said {
    /// `errors`, `placement` or `annotations`.
    pub rule: String,
    /// The message of an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The bodies that say it, or that could.
    pub alternatives: Vec<Alternative>,
}

/// One cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterWhy {
    /// Its name.
    pub name: String,
    /// The object may run there.
    #[serde(rename = "in")]
    pub is_in: bool,
    /// Time ran out before all was found out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_short: bool,
    /// The policy's own words for why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
    /// Where it is in: the bodies that let it in. Where it is out: all that could.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
}

/// A rule's body, or a comprehension's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Alternative {
    /// The rule, such as `data.plimsoll.rules.chosen`.
    pub rule: String,
    /// Where the body's rule, or the comprehension, begins.
    pub location: Location,
    /// Its METADATA title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What its METADATA calls `labels`, as OPA 1.22 logs them (`rule_labels`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, serde_json::Value>,
    /// All of its conditions hold.
    pub holds: bool,
    /// In the order of the text, those of the bodies that lead here first.
    pub conditions: Vec<Condition>,
}

/// An expression of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// As it is written.
    pub text: String,
    /// Where.
    pub location: Location,
    /// What came of it.
    pub result: Reached,
    /// It holds by itself, but not for the same values as those before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub together: bool,
    /// What its operands are: text to value, as far as they are defined and short.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub found: BTreeMap<String, serde_json::Value>,
    /// Of one that asks other rules. Where it fails: the bodies of which one has to hold; of a `not`: those that do. Where it holds: those
    /// by which it does; of a `not`: those of which none does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
}

/// What came of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reached {
    /// It holds.
    Holds,
    /// It does not.
    Fails,
    /// What it is about is not there: a condition before it failed.
    NotReached,
    /// It cannot be told for one cluster alone: it ranks, counts or sums up.
    NotSeparable,
}
