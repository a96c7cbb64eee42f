//! What the API server itself enforces, without asking us: ValidatingAdmissionPolicies (Kubernetes 1.30 and later).
//!
//! ```text
//!  hold          plimsoll.io/hold is set, changed and removed by holders of the verb `hold`
//!  subresources  nothing below a placed object changes its placement, its labels or its owners
//!  sidecar       our own account changes managed annotations of placed objects, and nothing else
//! ```

mod cel;
mod hold;
mod sidecar;
mod subresources;

use std::collections::BTreeSet;

use plimsoll_contract::annotations::APPLIED;
use plimsoll_contract::controllers::Controllers;
use plimsoll_contract::kind::Kind;
use serde_json::{Value as Json, json};

use crate::decision::Config;

pub use self::hold::NAME as HOLD;

const API: &str = "admissionregistration.k8s.io/v1";

/// Everything that the generated admission policies depend on: kinds, namespace, controllers, keys.
#[derive(Clone, Debug)]
pub struct Guarded<'a> {
    /// Namespace of the sidecar's ServiceAccount.
    pub namespace: &'a str,
    /// Namespaces in which nothing is placed, beside that one and the system's.
    pub exempt_namespaces: &'a [String],
    /// The table of kinds.
    pub kinds: &'a [Kind],
    /// Users that copy annotations from one object to another, `plimsoll.io/hold` among them.
    pub controllers: Controllers,
    /// Annotation keys that policies may write beside the targets' own, as the engine's `--annotation-keys`.
    pub annotation_keys: BTreeSet<String>,
    /// Annotation keys that other webhooks set on the objects that the sidecar writes.
    pub other_keys: BTreeSet<String>,
}

impl Guarded<'_> {
    /// Returns the annotation keys that policies and the sidecar write: the targets' own, `--annotation-keys`, and `plimsoll.io/applied`.
    fn managed_keys(&self) -> BTreeSet<String> {
        let engine = Config { annotation_keys: self.annotation_keys.clone(), ..Config::default() };
        let placed = self.kinds.iter().filter(|kind| kind.place);
        let mut keys: BTreeSet<String> = placed.flat_map(|kind| engine.allowed_keys(kind.effective_target().as_ref())).collect();
        keys.insert(APPLIED.into());
        keys
    }
}

/// Returns the policies, each followed by its binding.
pub fn documents(guarded: &Guarded<'_>) -> Vec<Json> {
    [hold::policy(guarded), subresources::policy(guarded), sidecar::policy(guarded)]
        .into_iter()
        .flat_map(|(name, spec)| [document("ValidatingAdmissionPolicy", name, spec), binding(name)])
        .collect()
}

/// Returns the binding of a policy. It limits nothing: each policy says itself which requests it is for.
fn binding(name: &str) -> Json {
    let spec = json!({"policyName": name, "validationActions": ["Deny"]});
    document("ValidatingAdmissionPolicyBinding", name, spec)
}

fn document(kind: &str, name: &str, spec: Json) -> Json {
    json!({"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec})
}

/// Returns a policy's `spec`. It fails closed: an expression that cannot be evaluated denies the request.
fn spec(constraints: Json, conditions: Json, variables: &[(&str, String)], validations: Vec<Json>) -> Json {
    let variables: Vec<Json> =
        variables.iter().map(|(name, expression)| json!({"name": name, "expression": expression})).collect();
    json!({
        "failurePolicy": "Fail", "matchConstraints": constraints, "matchConditions": conditions,
        "variables": variables, "validations": validations,
    })
}

/// Returns a validation that denies with status 403 and `message`.
fn validation(expression: &str, message: &str) -> Json {
    json!({"expression": expression, "message": message, "reason": "Forbidden"})
}

/// Returns a validation that denies with `message` followed by the value of the expression `found`. API servers that cannot afford to
/// compute it show `message` alone.
fn explained(expression: &str, message: &str, found: &str) -> Json {
    let computed = format!("{} + {found}", cel::text(&format!("{message}: ")));
    json!({"expression": expression, "message": message, "messageExpression": computed, "reason": "Forbidden"})
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::annotations::{DEPLOYMENT_PREFERENCES, HOLD};

    use super::*;
    use crate::cli::manifests::scope::testing::table;

    fn guarded(kinds: &[Kind]) -> Guarded<'_> {
        let controllers = Controllers::with(["system:serviceaccount:argo-rollouts:argo-rollouts".parse().unwrap()]);
        let annotation_keys = BTreeSet::from(["example.com/team".to_owned(), HOLD.to_owned()]);
        let other_keys = BTreeSet::from(["example.com/it's".to_owned()]);
        Guarded { namespace: "policy", exempt_namespaces: &[], kinds, controllers, annotation_keys, other_keys }
    }

    #[test]
    fn every_policy_fails_closed_and_has_a_binding_that_denies() {
        let kinds = table(&[("apps/v1/deployments", true), ("v1/pods", false)]);
        let documents = documents(&guarded(&kinds));
        let names = ["plimsoll-hold", "plimsoll-subresources", "plimsoll-sidecar"];
        assert_eq!(documents.len(), 2 * names.len());
        for (pair, name) in documents.chunks(2).zip(names) {
            assert_eq!((&pair[0]["metadata"]["name"], &pair[1]["metadata"]["name"]), (&json!(name), &json!(name)));
            assert_eq!(pair[0]["spec"]["failurePolicy"], "Fail");
            assert_eq!(pair[1]["spec"], json!({"policyName": name, "validationActions": ["Deny"]}));
            let text = pair[0].to_string();
            assert!(!text.contains("pods"), "{name} sees placed kinds only: {text}");
        }
    }

    #[test]
    fn managed_is_what_the_engine_may_write_and_its_record() {
        let mut kinds = table(&[("apps/v1/deployments", true), ("batch.example.io/v1/federatedjobs", true), ("v1/pods", false)]);
        kinds[1].target = Some("batch.example.io/placement".to_owned().into());
        kinds[2].target = Some("example.com/unplaced".to_owned().into());
        let keys = guarded(&kinds).managed_keys();
        for key in [DEPLOYMENT_PREFERENCES, "batch.example.io/placement", "example.com/team", APPLIED] {
            assert!(keys.contains(key), "{key} in {keys:?}");
        }
        assert!(!keys.contains(HOLD), "policy never holds, whatever the configuration says");
        assert!(!keys.contains("example.com/unplaced"));
    }

    #[test]
    fn controllers_and_keys_stand_in_the_expressions_as_literals() {
        let kinds = table(&[("apps/v1/deployments", true)]);
        let [hold, _, subresources, _, sidecar, _] = documents(&guarded(&kinds)).try_into().unwrap();
        let condition = hold["spec"]["matchConditions"][0]["expression"].as_str().unwrap();
        assert!(condition.contains("|system:serviceaccount:argo-rollouts:argo-rollouts)$'"), "{condition}");
        let frozen = subresources["spec"]["variables"][3]["expression"].as_str().unwrap();
        assert!(frozen.contains("'plimsoll.io/hold'") && frozen.contains("'example.com/team'"), "{frozen}");
        assert!(!frozen.contains("it\\'s"), "other webhooks have no business below an object: {frozen}");
        let sidecar = sidecar.to_string();
        assert!(sidecar.contains(r"'example.com/it\\'s'") && !sidecar.contains("plimsoll.io/hold'"), "{sidecar}");
        assert!(sidecar.contains("'system:serviceaccount:policy:plimsoll'"), "{sidecar}");
    }

    #[test]
    fn a_kind_that_is_placed_in_some_namespaces_is_written_there_only() {
        let mut kinds = table(&[("apps/v1/deployments", true), ("apps/v1/replicasets", true)]);
        let placed = |kinds: &[Kind]| {
            let documents = documents(&guarded(kinds));
            documents[4]["spec"]["validations"][1]["expression"].as_str().unwrap().to_owned()
        };
        assert!(!placed(&kinds).contains("deployments"), "{}", placed(&kinds));
        kinds[0].namespaces = vec!["shop".into(), "bank".into()];
        assert!(
            placed(&kinds).contains("variables.resource != 'deployments.apps' || variables.namespaceName in ['shop', 'bank']")
        );
    }
}
