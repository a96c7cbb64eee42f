//! The sidecar's account may `patch` what is placed, and RBAC cannot say which fields. This policy can: managed annotations
//! of placed objects, in placed namespaces. Whoever steals the token gets no more.

use plimsoll_contract::kind::Kind;
use serde_json::{Value as Json, json};

use super::{Guarded, cel, explained, spec, validation};
use crate::cli::manifests::scope::{Part, exempt_namespaces, rules};

/// Name of the policy and of its binding.
const NAME: &str = "plimsoll-sidecar";

/// Metadata fields that are not compared as a whole: the API server renews them with every write, and annotations are compared key by key.
const RENEWED: [&str; 4] = ["annotations", "generation", "managedFields", "resourceVersion"];

/// Returns the policy's name and `spec`. The API server evaluates it after all mutating webhooks, so what they add to the sidecar's
/// request counts.
pub(super) fn policy(guarded: &Guarded<'_>) -> (&'static str, Json) {
    let account = format!("system:serviceaccount:{}:{}", guarded.namespace, crate::cli::manifests::NAME);
    let constraints = json!({
        "matchPolicy": "Equivalent",
        "resourceRules": rules(guarded.kinds, Part::All, &["CREATE", "UPDATE", "DELETE", "CONNECT"]),
    });
    let conditions =
        json!([{"name": "the-sidecar", "expression": format!("request.userInfo.username == {}", cel::text(&account))}]);
    (NAME, spec(constraints, conditions, &variables(guarded), validations(guarded)))
}

/// Returns the policy's variables: both versions of the object as plain maps, then the fields in which they differ. The maps hold every
/// field, also those that no list here names.
fn variables(guarded: &Guarded<'_>) -> Vec<(&'static str, String)> {
    let keys: Vec<String> = guarded.managed_keys().into_iter().chain(guarded.other_keys.iter().cloned()).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    vec![
        ("namespaceName", "request.?namespace.orValue('')".into()),
        ("resource", "request.resource.resource + '.' + request.resource.group".into()),
        ("update", "request.operation == 'UPDATE' && request.?subResource.orValue('') == ''".into()),
        ("now", "variables.update ? dyn(object) : dyn({'metadata': {}})".into()),
        ("before", "variables.update ? dyn(oldObject) : dyn({'metadata': {}})".into()),
        ("annotationsNow", "variables.now.metadata.?annotations.orValue({})".into()),
        ("annotationsBefore", "variables.before.metadata.?annotations.orValue({})".into()),
        ("fields", cel::changed("variables.now", "variables.before", &["metadata"])),
        ("metadata", cel::changed("variables.now.metadata", "variables.before.metadata", &RENEWED)),
        ("annotations", cel::changed("variables.annotationsNow", "variables.annotationsBefore", &keys)),
    ]
}

fn validations(guarded: &Guarded<'_>) -> Vec<Json> {
    let nothing = |found: &str| format!("variables.{found}.size() == 0");
    let listed = |found: &str| format!("variables.{found}.join(', ')");
    let place = "variables.resource + ' in ' + variables.namespaceName";
    vec![
        validation("variables.update", "the sidecar changes objects; it creates and deletes none, and uses no subresource"),
        explained(&placed(guarded), "nothing is placed there for the sidecar to write", place),
        explained(&nothing("fields"), "the sidecar writes annotations only, and not", &listed("fields")),
        explained(&nothing("metadata"), "the sidecar writes annotations only, and of the metadata not", &listed("metadata")),
        explained(
            &nothing("annotations"),
            "the sidecar may not change these annotations (another webhook's belong in --other-keys of `plimsoll manifests`)",
            &listed("annotations"),
        ),
    ]
}

/// Returns the expression that is true where the sidecar may write: outside the exempt namespaces, and in those of the kind's row.
fn placed(guarded: &Guarded<'_>) -> String {
    let exempt = cel::texts(exempt_namespaces(guarded.namespace, guarded.exempt_namespaces));
    let everywhere = format!("!(variables.namespaceName.startsWith('kube-') || variables.namespaceName in {exempt})");
    let limited = guarded.kinds.iter().filter(|kind| kind.place && !kind.namespaces.is_empty()).map(|kind: &Kind| {
        let resource = cel::text(&format!("{}.{}", kind.gvr.resource, kind.gvr.group));
        format!("(variables.resource != {resource} || variables.namespaceName in {})", cel::texts(&kind.namespaces))
    });
    [everywhere].into_iter().chain(limited).collect::<Vec<_>>().join(" && ")
}
