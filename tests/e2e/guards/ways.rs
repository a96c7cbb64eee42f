//! The table's dimensions: kinds, ways in, and what somebody tries to change.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::{Guards, HOLD, MERGE, PREFERENCES, Request, TEAM, annotated, replica_set};
use crate::e2e::support::fixtures::{APPLIED, deployment, federated_job};

/// Kinds that differ in what their status lets through.
pub(super) const RESOURCES: [&str; 3] = ["replicasets", "deployments", "federatedjobs"];

/// How a change reaches the API server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Create,
    Put,
    Patch,
    Apply,
    StatusPut,
    StatusPatch,
    StatusApply,
    ScalePut,
    ScalePatch,
}

pub(super) const WAYS: [Way; 9] = [
    Way::Create,
    Way::Put,
    Way::Patch,
    Way::Apply,
    Way::StatusPut,
    Way::StatusPatch,
    Way::StatusApply,
    Way::ScalePut,
    Way::ScalePatch,
];

/// What somebody tries to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Held,
    HeldOtherwise,
    Released,
    Managed,
    NamedKey,
    Record,
    ForeignKey,
    Label,
    Owner,
    Spec,
    Status,
}

/// Each with the objects that it can be tried on: is `plimsoll.io/hold` on them already?
pub(super) const CHANGES: [(Change, &[bool]); 11] = [
    (Change::Held, &[false]),
    (Change::HeldOtherwise, &[true]),
    (Change::Released, &[true]),
    (Change::Managed, &[true, false]),
    (Change::NamedKey, &[false]),
    (Change::Record, &[false]),
    (Change::ForeignKey, &[true, false]),
    (Change::Label, &[false]),
    (Change::Owner, &[false]),
    (Change::Spec, &[true, false]),
    (Change::Status, &[true, false]),
];

/// What is asked for, before anything is placed or held.
pub(super) fn object(resource: &str, name: &str, held: bool) -> Json {
    let object = match resource {
        "replicasets" => replica_set(name),
        "deployments" => deployment(name),
        _ => federated_job(name),
    };
    let object = annotated(object, "example.com/note", "old");
    if held { annotated(object, HOLD, "true") } else { object }
}

impl Change {
    /// As a merge patch.
    pub(super) fn patch(self, resource: &str) -> Json {
        let annotation = |key: &str, value: Json| json!({"metadata": {"annotations": {key: value}}});
        match self {
            Self::Held => annotation(HOLD, "true".into()),
            Self::HeldOtherwise => annotation(HOLD, "false".into()),
            Self::Released => annotation(HOLD, Json::Null),
            Self::Managed => annotation(PREFERENCES, r#"{"clusters":{"*":{"weight":1}}}"#.into()),
            Self::NamedKey => annotation(TEAM, "red".into()),
            Self::Record => annotation(APPLIED, "{}".into()),
            Self::ForeignKey => annotation("example.com/note", "new".into()),
            Self::Label => json!({"metadata": {"labels": {"tier": "gold"}}}),
            Self::Owner => json!({"metadata": {"ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "Deployment", "name": "shop", "uid": "0-1", "controller": true},
            ]}}),
            Self::Spec if resource == "federatedjobs" => json!({"spec": {"completions": 5}}),
            Self::Spec => json!({"spec": {"replicas": 5}}),
            Self::Status if resource == "federatedjobs" => json!({"status": {"succeeded": 1}}),
            Self::Status => json!({"status": {"replicas": 1}}),
        }
    }
}

impl Way {
    pub(super) fn below(self) -> &'static str {
        match self {
            Self::Create | Self::Put | Self::Patch | Self::Apply => "",
            Self::StatusPut | Self::StatusPatch | Self::StatusApply => "status",
            Self::ScalePut | Self::ScalePatch => "scale",
        }
    }

    /// A dry run: it goes through all of admission. `stored` is the object as it is.
    pub(super) fn request(self, guards: &Guards, resource: &str, stored: &Json, change: Change) -> Request {
        let name = stored["metadata"]["name"].as_str().unwrap();
        let mut patch = change.patch(resource);
        let below = if self.below().is_empty() { name.to_owned() } else { format!("{name}/{}", self.below()) };
        let at = |name: &str, query: &str| guards.path(resource, name, &format!("dryRun=All{query}"));
        let request = |method, path, content_type, body| Request { method, path, content_type, body };
        match self {
            Self::Create => {
                let held = stored["metadata"]["annotations"].get(HOLD).is_some();
                request(Method::POST, at("", ""), "application/json", merged(object(resource, "new", held), &patch))
            }
            Self::Put | Self::StatusPut => {
                request(Method::PUT, at(&below, ""), "application/json", merged(stored.clone(), &patch))
            }
            Self::Patch | Self::StatusPatch | Self::ScalePatch => request(Method::PATCH, at(&below, ""), MERGE, patch),
            Self::Apply | Self::StatusApply => {
                let named = json!({"metadata": {"name": name}, "apiVersion": stored["apiVersion"], "kind": stored["kind"]});
                let query = "&fieldManager=guards&force=true";
                request(Method::PATCH, at(&below, query), "application/apply-patch+yaml", merged(named, &patch))
            }
            Self::ScalePut => {
                let scale = json!({
                    "apiVersion": "autoscaling/v1", "kind": "Scale", "spec": {"replicas": 3},
                    "metadata": {"name": name, "namespace": guards.namespace},
                });
                patch.as_object_mut().unwrap().remove("status");
                request(Method::PUT, at(&below, ""), "application/json", merged(scale, &patch))
            }
        }
    }
}

/// RFC 7396; a `null` that finds nothing leaves nothing.
fn merged(mut object: Json, patch: &Json) -> Json {
    json_patch::merge(&mut object, patch);
    object
}
