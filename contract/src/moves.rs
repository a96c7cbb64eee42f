//! Where an existing object stands, where it is to go, and what moves it: what a brake counts.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::annotations::digest_all;
use crate::kind::Gvr;

/// A patch that changes the set of clusters that an object may use.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Move {
    /// The clusters that its annotations name now, sorted; empty where they name none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// What moves it.
    pub cause: Cause,
    /// Policy says that it cannot wait: the rule `urgent`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub urgent: bool,
}

/// What moves an object. Its text ([`fmt::Display`]) is what people see, and the unit that they release.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Cause {
    /// It was never placed before.
    First,
    /// Its owner changed what it asks for.
    Object,
    /// Somebody changed the placement that stands on it.
    Drift,
    /// Other policies are in force.
    Policy {
        /// Digest of the policies that placed it.
        from: String,
        /// Digest of those in force.
        to: String,
    },
    /// What policies read has changed.
    Data {
        /// The kind of the object that changed.
        gvr: Gvr,
        /// Empty for cluster-scoped objects.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        namespace: String,
        /// Its name.
        name: String,
        /// What changed of it, such as "label `pci-certified` removed".
        change: String,
        /// How many other objects changed with it.
        #[serde(default, skip_serializing_if = "is_zero")]
        others: usize,
    },
    /// Another version of Plimsoll decides.
    Version {
        /// The version that decided before.
        from: String,
        /// The version that decides now.
        to: String,
    },
    /// It changed while no engine looked.
    Unknown,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Cause {
    /// Returns the name of its sort: a label of metrics.
    pub fn sort(&self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Object => "object",
            Self::Drift => "drift",
            Self::Policy { .. } => "policy",
            Self::Data { .. } => "data",
            Self::Version { .. } => "version",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("first placement"),
            Self::Object => f.write_str("changed by its owner"),
            Self::Drift => f.write_str("its placement was changed by somebody else"),
            Self::Policy { from, to } => write!(f, "policy {} -> {}", short(from), short(to)),
            Self::Data { gvr, namespace, name, change, others } => {
                let slash = if namespace.is_empty() { "" } else { "/" };
                write!(f, "{} {namespace}{slash}{name}: {change}", gvr.resource)?;
                if *others > 0 { write!(f, " (and {others} more)") } else { Ok(()) }
            }
            Self::Version { from, to } => write!(f, "version {from} -> {to} of plimsoll"),
            Self::Unknown => f.write_str("unknown since start"),
        }
    }
}

/// A digest as people compare it.
fn short(digest: &str) -> &str {
    let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
    let shown = hex.get(..8).unwrap_or(hex);
    if shown.is_empty() { "none" } else { shown }
}

/// Returns a digest of where an object stands, by what its managed annotations say: key to the clusters that a value names, or to the
/// value itself where nobody can tell which clusters it means. Nothing where there is none of them.
pub fn stands<'a>(keys: impl IntoIterator<Item = (&'a str, Standing<'a>)>) -> String {
    let mut words: Vec<&str> = Vec::new();
    for (key, standing) in keys {
        words.push(key);
        match standing {
            Standing::On(clusters) => {
                words.push("on");
                words.extend(clusters.iter().map(String::as_str));
            }
            Standing::By(value) => words.extend(["by", value]),
        }
        words.push("");
    }
    if words.is_empty() { String::new() } else { digest_all(words) }
}

/// What one annotation says of where an object may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing<'a> {
    /// On these clusters.
    On(&'a BTreeSet<String>),
    /// As this value says, whatever that is.
    By(&'a str),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_reads_as_people_say_it() {
        let gvr = Gvr::try_from("federation/v1beta1/clusters".to_owned()).unwrap();
        let data = |others| Cause::Data {
            gvr: gvr.clone(),
            namespace: String::new(),
            name: "c11".into(),
            change: "label `pci-certified` removed".into(),
            others,
        };
        let policy = Cause::Policy { from: String::new(), to: "sha256:0123456789abcdef".into() };
        assert_eq!(data(0).to_string(), "clusters c11: label `pci-certified` removed");
        assert_eq!(data(3).to_string(), "clusters c11: label `pci-certified` removed (and 3 more)");
        assert_eq!(policy.to_string(), "policy none -> 01234567");
        for cause in [Cause::First, policy, data(3), Cause::Unknown] {
            let text = serde_json::to_string(&cause).unwrap();
            assert_eq!(serde_json::from_str::<Cause>(&text).unwrap(), cause, "{text}");
        }
    }

    #[test]
    fn an_object_stands_elsewhere_if_a_value_names_other_clusters() {
        let (one, two): (BTreeSet<String>, BTreeSet<String>) = (["a".into()].into(), ["a".into(), "b".into()].into());
        let all = [
            stands([("k", Standing::On(&one))]),
            stands([("k", Standing::On(&two))]),
            stands([("k", Standing::By("a"))]),
            stands([("k", Standing::On(&one)), ("l", Standing::On(&one))]),
            stands([]),
        ];
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        assert_eq!(all.last().map(String::as_str), Some(""));
    }
}
