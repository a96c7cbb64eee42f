//! One row of the table of kinds: what to replicate, what to place, and how a placement is written.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::annotations::{DEPLOYMENT_PREFERENCES, REPLICA_SET_PREFERENCES};

/// A resource type as the API server names it. Displayed as `apps/v1/replicasets` or `v1/configmaps`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Gvr {
    /// API group, empty for the core group.
    pub group: String,
    /// API version, such as `v1`.
    pub version: String,
    /// Plural, lower-case resource name.
    pub resource: String,
}

/// A text that names no resource type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidGvr {
    /// Not `[group/]version/resource`.
    Form(String),
    /// No group, and another version than the core group's only one: most likely the version is missing.
    Version(String),
    /// The resource has letters that no resource's name has: most likely it is a kind.
    Resource(String),
}

impl fmt::Display for InvalidGvr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form(text) => write!(f, "`{text}` is not of the form [group/]version/resource"),
            Self::Version(text) => write!(
                f,
                "`{text}` is of no version that the core group has: write group, version and resource, such as `apps/v1/statefulsets`; \
                 without a group the version is `v1`"
            ),
            Self::Resource(text) => write!(
                f,
                "`{text}` does not end with the name of a resource: write the plural in lower case that `kubectl api-resources` \
                 shows, such as `batch/v1/jobs`"
            ),
        }
    }
}

impl std::error::Error for InvalidGvr {}

/// The core group (`/api`) never had another version that is still served.
const CORE_VERSION: &str = "v1";

/// The API server's rule for the plural of a custom resource (`apiextensions-apiserver`, `validation.go`): a DNS label; built-in ones
/// keep to it.
fn is_resource(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

impl Gvr {
    /// `apps/v1`, or `v1` for the core group.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }
}

impl fmt::Display for Gvr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.api_version(), self.resource)
    }
}

impl From<Gvr> for String {
    fn from(gvr: Gvr) -> Self {
        gvr.to_string()
    }
}

impl TryFrom<String> for Gvr {
    type Error = InvalidGvr;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let parts: Vec<&str> = text.split('/').collect();
        let (group, version, resource) = match parts.as_slice() {
            [version, resource] => ("", *version, *resource),
            [group, version, resource] => (*group, *version, *resource),
            _ => return Err(InvalidGvr::Form(text)),
        };
        if version.is_empty() || resource.is_empty() || (parts.len() == 3 && group.is_empty()) {
            return Err(InvalidGvr::Form(text));
        }
        if !is_resource(resource) {
            return Err(InvalidGvr::Resource(text));
        }
        if group.is_empty() && version != CORE_VERSION {
            return Err(InvalidGvr::Version(text));
        }
        Ok(Self { group: group.into(), version: version.into(), resource: resource.into() })
    }
}

/// What to do with an existing object whose placement differs from the decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Existing objects are not looked at.
    Off,
    /// Differences are reported by Events, metrics and `placements`; nothing is patched.
    #[default]
    Suggest,
    /// Differences are patched.
    Auto,
}

/// What happens when policy no longer has an opinion about an object it placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnNoOpinion {
    /// Keep the placement if only state changed; release it if policy or the object's own intent changed.
    #[default]
    Keep,
    /// Always remove what was written and restore the original.
    Release,
}

/// How a neutral `placement` is written on an object of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Target {
    /// [`REPLICA_SET_PREFERENCES`].
    ReplicaSetPreferences,
    /// [`DEPLOYMENT_PREFERENCES`].
    DeploymentPreferences,
    /// Preferences JSON in an annotation of this key.
    Annotation(String),
}

impl Target {
    /// The annotation that carries the placement.
    pub fn annotation(&self) -> &str {
        match self {
            Self::ReplicaSetPreferences => REPLICA_SET_PREFERENCES,
            Self::DeploymentPreferences => DEPLOYMENT_PREFERENCES,
            Self::Annotation(key) => key,
        }
    }

    /// The target of the kinds that federation v1 placed, for objects whose kind no source has declared.
    pub fn of_kind(kind: &str) -> Option<Self> {
        match kind {
            "ReplicaSet" => Some(Self::ReplicaSetPreferences),
            "Deployment" => Some(Self::DeploymentPreferences),
            _ => None,
        }
    }
}

impl From<String> for Target {
    fn from(text: String) -> Self {
        match text.as_str() {
            "replica-set-preferences" => Self::ReplicaSetPreferences,
            "deployment-preferences" => Self::DeploymentPreferences,
            _ => Self::Annotation(text),
        }
    }
}

impl From<Target> for String {
    fn from(target: Target) -> Self {
        match target {
            Target::ReplicaSetPreferences => "replica-set-preferences".into(),
            Target::DeploymentPreferences => "deployment-preferences".into(),
            Target::Annotation(key) => key,
        }
    }
}

/// One row of the table of kinds.
///
/// ```yaml
/// - gvr: apps/v1/replicasets
///   kind: ReplicaSet
///   place: true
///   target: replica-set-preferences
///   mode: auto
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Kind {
    /// Group, version and resource, as in `apps/v1/deployments` and `v1/namespaces`.
    #[schemars(with = "String")]
    pub gvr: Gvr,
    /// The kind's name, such as `ReplicaSet`. Filled in from discovery when the configuration leaves it out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Whether objects live in namespaces. Filled in from discovery.
    #[serde(default = "yes")]
    pub namespaced: bool,
    /// Mirror the objects into `data.kubernetes.<path>`. Placed kinds are always replicated.
    #[serde(default = "yes")]
    pub replicate: bool,
    /// Objects of this kind are placed.
    #[serde(default)]
    pub place: bool,
    /// The engine is not ready before this kind is loaded.
    #[serde(default = "yes")]
    pub required: bool,
    /// The clusters themselves: at most one kind. Placements may only name objects of it.
    #[serde(default)]
    pub fleet: bool,
    /// Fields left out of the state and of the normal form: JSON pointers; `*` stands for every element.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prune: Vec<String>,
    /// Keep `status` in the normal form that policies see (by default it is removed from a placed object).
    #[serde(default)]
    pub keep_status: bool,
    /// Only these namespaces; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// Only objects whose labels match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<String>,
    /// Only objects whose fields match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_selector: Option<String>,
    /// First element below `data.kubernetes`, the plural by default; moves one of two kinds with one plural.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How a neutral `placement` is written: `replica-set-preferences`, `deployment-preferences`, or the key of an annotation.
    /// ReplicaSets and Deployments have theirs without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub target: Option<Target>,
    /// What is done with existing objects whose placement differs from the decision.
    #[serde(default)]
    pub mode: Mode,
    /// What happens when policy has no opinion any more about an object that it placed.
    #[serde(default)]
    pub on_no_opinion: OnNoOpinion,
}

fn yes() -> bool {
    true
}

impl Kind {
    /// A row with every default.
    pub fn new(gvr: Gvr, kind: &str) -> Self {
        Self {
            gvr,
            kind: kind.into(),
            namespaced: true,
            replicate: true,
            place: false,
            required: true,
            fleet: false,
            prune: Vec::new(),
            keep_status: false,
            namespaces: Vec::new(),
            label_selector: None,
            field_selector: None,
            path: None,
            target: None,
            mode: Mode::default(),
            on_no_opinion: OnNoOpinion::default(),
        }
    }

    /// The element below `data.kubernetes` that holds the objects.
    pub fn state_path(&self) -> &str {
        self.path.as_deref().unwrap_or(&self.gvr.resource)
    }

    /// The configured target, or that of federation v1 for the kind.
    pub fn effective_target(&self) -> Option<Target> {
        self.target.clone().or_else(|| Target::of_kind(&self.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gvr_reads_and_prints_both_forms() {
        for text in ["apps/v1/replicasets", "v1/configmaps"] {
            assert_eq!(Gvr::try_from(text.to_owned()).unwrap().to_string(), text);
        }
        for text in ["replicasets", "/v1/x", "a/b/c/d", "v1/"] {
            assert!(Gvr::try_from(text.to_owned()).is_err(), "{text}");
        }
        for text in ["batch/v1/Job", "v1/config_maps", "v1/pods.status"] {
            let error = Gvr::try_from(text.to_owned()).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("the plural in lower case"), "{error}");
        }
        for text in ["apps/statefulsets", "v2/pods"] {
            let error = Gvr::try_from(text.to_owned()).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("`apps/v1/statefulsets`"), "{error}");
        }
    }

    #[test]
    fn t20_an_unknown_field_of_a_row_is_refused_by_name() {
        let error = serde_json::from_str::<Kind>(r#"{"gvr":"v1/pods","plase":true}"#).unwrap_err();
        assert!(error.to_string().contains("plase"), "{error}");
    }

    #[test]
    fn a_short_row_gets_the_documented_defaults() {
        let kind: Kind = serde_json::from_str(r#"{"gvr":"apps/v1/replicasets","kind":"ReplicaSet"}"#).unwrap();
        assert_eq!(kind, Kind::new(kind.gvr.clone(), "ReplicaSet"));
        assert_eq!((kind.mode, kind.required, kind.place), (Mode::Suggest, true, false));
        assert_eq!(kind.effective_target(), Some(Target::ReplicaSetPreferences));
    }
}
