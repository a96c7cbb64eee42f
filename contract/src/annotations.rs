//! Annotation keys, and the record of what Plimsoll wrote on an object.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::kind::Gvr;
use crate::version::ResourceVersion;

/// Records what Plimsoll wrote and what was there before; see [`Applied`].
pub const APPLIED: &str = "plimsoll.io/applied";
/// `"true"` keeps the placement of an existing object as it is, in repair and at admission. Who may set it: `serve --hold`, and the admission
/// policy that `plimsoll manifests` generates.
pub const HOLD: &str = "plimsoll.io/hold";
/// On the Lease: digest of all policy sets that are in force at its holder's engine.
pub const LEASE_POLICY: &str = "plimsoll.io/policy";

/// Federation v1: spreads a ReplicaSet; kubernetes/federation `pkg/federatedtypes/replicaset.go`.
pub const REPLICA_SET_PREFERENCES: &str = "federation.kubernetes.io/replica-set-preferences";
/// Federation v1: spreads a Deployment; kubernetes/federation `pkg/federatedtypes/deployment.go`.
pub const DEPLOYMENT_PREFERENCES: &str = "federation.kubernetes.io/deployment-preferences";
/// Federation v1: requirements on cluster labels; kubernetes/federation `apis/federation/v1beta1/types.go`.
pub const CLUSTER_SELECTOR: &str = "federation.alpha.kubernetes.io/cluster-selector";

/// The value of [`APPLIED`]: what Plimsoll wrote on this object.
///
/// User-writable, hence untrusted: keys outside the allowed annotation keys are ignored and reported. It is always believed
/// when it says that a value is not the developer's; that a value may stay has to be shown otherwise.
///
/// Its members, and those of what is in it, stand in the order of their names, as canonical JSON has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// The fleet that the decision saw; the mac is over it as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<SeenFleet>,
    /// Annotation key to what was there before and a digest of what was written.
    pub keys: BTreeMap<String, AppliedKey>,
    /// Kind of the object that it was written on, such as `Deployment`: controllers copy annotations to children, and a copy
    /// says nothing of the child. Empty in records of older versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// HMAC-SHA256, in hex digits, over kind, namespace, policy, keys and the object as the developer wrote it, by a key that
    /// only engines have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mac: Option<String>,
    /// Digest of the policy set that decided, `sha256:` and hex digits.
    pub policy: String,
}

/// Which version of the fleet a decision saw: an engine whose own mirror is older does not undo what was decided on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenFleet {
    /// The last version that altered the fleet as it is replicated; the list's after a list.
    pub changed: ResourceVersion,
    /// The cluster of that source, as it was declared.
    pub cluster: String,
    /// The fleet's kind, such as `cluster.karmada.io/v1alpha1/clusters`.
    pub resource: Gvr,
    /// The source that mirrors the fleet.
    pub source: String,
}

/// One annotation that Plimsoll wrote.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AppliedKey {
    /// [`digest`] of the value that was written, empty if the key was removed. A value with another digest is new intent.
    pub sum: String,
    /// The developer's own value, or `None` if the key was absent.
    pub was: Option<String>,
}

impl Applied {
    /// Reads the annotation's value; anything that is not exactly this shape is an error.
    pub fn parse(value: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(value)
    }

    /// The annotation's value: canonical JSON.
    pub fn encode(&self) -> String {
        // Members stand in the order of their names. Texts and maps of texts always serialise.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// `sha256:` and the first 16 hex digits of the SHA-256 of `text`.
pub fn digest(text: &str) -> String {
    digest_all([text])
}

/// Like [`digest`], of several strings; each is length-prefixed so that boundaries count.
pub fn digest_all<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text.as_bytes());
    }
    format!("sha256:{}", hex(hash.finalize().get(..8).unwrap_or_default()))
}

/// Lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Canonical JSON: object keys sorted, no spaces. (`serde_json`'s map is sorted; nothing may enable `preserve_order`.)
pub fn canonical(value: &serde_json::Value) -> String {
    // A tree of JSON always serialises; `to_string` would check each piece of it for UTF-8 once more.
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applied_survives_a_round_trip_in_canonical_form() {
        let text = r#"{"keys":{"a":{"sum":"sha256:00","was":null},"b":{"sum":"sha256:01","was":"x"}},"policy":"sha256:02"}"#;
        let applied = Applied::parse(text).unwrap();
        assert_eq!(applied.keys["b"].was.as_deref(), Some("x"));
        assert_eq!(applied.encode(), text);
        let whole = r#"{"fleet":{"changed":"7","cluster":"c","resource":"v1/nodes","source":"s"},"keys":{},"kind":"K","mac":"00","policy":""}"#;
        assert_eq!(Applied::parse(whole).unwrap().encode(), whole);
    }

    #[test]
    fn a_digest_has_16_hex_digits_and_depends_on_boundaries() {
        assert_eq!(digest("x").len(), "sha256:".len() + 16);
        assert_ne!(digest_all(["ab", "c"]), digest_all(["a", "bc"]));
    }

    #[test]
    fn canonical_sorts_keys_and_has_no_spaces() {
        let value: serde_json::Value = serde_json::from_str(r#"{ "b": 1, "a": [ true, null ] }"#).unwrap();
        assert_eq!(canonical(&value), r#"{"a":[true,null],"b":1}"#);
    }
}
