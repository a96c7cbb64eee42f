//! Reads what is registered on the API server: webhooks of all versions, initializers, and admission policies.

use std::sync::Arc;

use anyhow::Context;
use plimsoll_apiserver::admission::webhook::{
    ClientConfig, FailurePolicy, MatchPolicy, ReinvocationPolicy, Rule, Spec, Webhook, of_object,
};
use serde::Deserialize;
use serde_json::Value as Json;

use super::api::Server;
use super::served::Served;

const GROUP: &str = "admissionregistration.k8s.io";

/// All hooks and policies, each kind in the order of the configurations' names.
#[derive(Default)]
pub(super) struct Registered {
    pub(super) initializers: Vec<Arc<Webhook>>,
    pub(super) mutating: Vec<Arc<Webhook>>,
    pub(super) external: Vec<Arc<Webhook>>,
    pub(super) validating: Vec<Arc<Webhook>>,
    pub(super) policies: Vec<AdmissionPolicy>,
}

/// An admission policy that has a binding.
pub(super) struct AdmissionPolicy {
    pub(super) kind: &'static str,
    pub(super) bindings: Vec<String>,
    /// Its rules in the form of a hook's. Expressions and selectors are left out: they are not predicted.
    pub(super) spec: Spec,
}

impl Registered {
    /// Reads all hooks and policies. Fails when configurations are not served, or one cannot be read: the one that is left out could
    /// change the prediction.
    pub(super) async fn ask(server: &Server, served: &Served) -> anyhow::Result<Self> {
        server.has_registrations().await?;
        let mut all = Self::default();
        for (plural, versions, hooks) in [
            ("mutatingwebhookconfigurations", &["v1", "v1beta1"][..], &mut all.mutating),
            ("validatingwebhookconfigurations", &["v1", "v1beta1"], &mut all.validating),
            ("externaladmissionhookconfigurations", &["v1alpha1"], &mut all.external),
        ] {
            for object in list(server, served, versions, plural).await? {
                hooks.extend(of_object(name(&object), object.to_string().as_bytes())?);
            }
        }
        for object in list(server, served, &["v1alpha1"], "initializerconfigurations").await? {
            all.initializers.extend(initializers(&object)?);
        }
        for kind in ["MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"] {
            all.policies.extend(policies(server, served, kind).await?);
        }
        Ok(all)
    }
}

/// Returns all objects of a kind, in the first of `versions` that is served; none if none is. Fails when they cannot be listed.
async fn list(server: &Server, served: &Served, versions: &[&str], plural: &str) -> anyhow::Result<Vec<Json>> {
    let Some(resource) = served.first(GROUP, versions, plural) else { return Ok(Vec::new()) };
    let path = format!("/apis/{}/{plural}", resource.api_version());
    let mut list = server.get(&path).await.with_context(|| format!("could not list {plural}"))?;
    let items = list.get_mut("items").map(Json::take);
    let mut items: Vec<Json> = items.map(serde_json::from_value).transpose()?.unwrap_or_default();
    items.sort_by_key(name);
    Ok(items)
}

fn name(object: &Json) -> String {
    object.pointer("/metadata/name").and_then(Json::as_str).unwrap_or_default().to_owned()
}

/// Returns the initializers of one configuration in the form of hooks. Their rules name no operation: an initializer is for creations
/// alone. Fails when the configuration cannot be read.
fn initializers(object: &Json) -> anyhow::Result<Vec<Arc<Webhook>>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Initializer {
        name: String,
        #[serde(default)]
        rules: Vec<Rule>,
        #[serde(default = "ignore")]
        failure_policy: FailurePolicy,
    }
    let configuration = name(object);
    let listed = object.get("initializers").cloned().unwrap_or_else(|| Json::Array(Vec::new()));
    let listed: Vec<Initializer> = serde_json::from_value(listed)
        .with_context(|| format!("could not read the InitializerConfiguration `{configuration}`"))?;
    let hook = |initializer: Initializer| {
        let mut rules = initializer.rules;
        rules.iter_mut().for_each(|rule| rule.operations = vec!["CREATE".to_owned()]);
        let mut spec = of_rules(initializer.name, rules, MatchPolicy::Exact);
        spec.failure_policy = initializer.failure_policy;
        let uid = format!("{configuration}/{}", spec.name);
        Arc::new(Webhook { configuration: configuration.clone(), uid, spec, conditions: Vec::new() })
    };
    Ok(listed.into_iter().map(hook).collect())
}

fn ignore() -> FailurePolicy {
    FailurePolicy::Ignore
}

/// Returns a hook that has only rules: the form in which initializers and policies are matched.
fn of_rules(name: String, rules: Vec<Rule>, match_policy: MatchPolicy) -> Spec {
    Spec {
        name,
        client_config: ClientConfig { url: None, service: None, ca_bundle: String::new() },
        rules,
        failure_policy: FailurePolicy::Fail,
        match_policy,
        namespace_selector: Json::Null,
        object_selector: Json::Null,
        side_effects: String::new(),
        timeout_seconds: 0,
        admission_review_versions: Vec::new(),
        reinvocation_policy: ReinvocationPolicy::Never,
        match_conditions: Vec::new(),
    }
}

/// Returns the policies of a kind that have a binding; others have no effect. Fails when they cannot be listed or read.
async fn policies(server: &Server, served: &Served, kind: &'static str) -> anyhow::Result<Vec<AdmissionPolicy>> {
    const VERSIONS: [&str; 3] = ["v1", "v1beta1", "v1alpha1"];
    let plural = kind.to_lowercase().replace("policy", "policies");
    let singular = kind.to_lowercase();
    let bindings = list(server, served, &VERSIONS, &format!("{singular}bindings")).await?;
    let policies = list(server, served, &VERSIONS, &plural).await?;
    let of = |object: &Json| policy(kind, object, &bindings).transpose();
    policies.iter().filter_map(of).collect()
}

fn policy(kind: &'static str, object: &Json, bindings: &[Json]) -> anyhow::Result<Option<AdmissionPolicy>> {
    let name_of = name(object);
    let binds = |binding: &&Json| binding.pointer("/spec/policyName").and_then(Json::as_str) == Some(&name_of);
    let bindings: Vec<String> = bindings.iter().filter(binds).map(name).collect();
    if bindings.is_empty() {
        return Ok(None);
    }
    let rules = object.pointer("/spec/matchConstraints/resourceRules").cloned().unwrap_or_else(|| Json::Array(Vec::new()));
    let rules = serde_json::from_value(rules).with_context(|| format!("could not read the {kind} `{name_of}`"))?;
    let is_exact = object.pointer("/spec/matchConstraints/matchPolicy").and_then(Json::as_str) == Some("Exact");
    let mut spec = of_rules(name_of, rules, if is_exact { MatchPolicy::Exact } else { MatchPolicy::Equivalent });
    if object.pointer("/spec/failurePolicy").and_then(Json::as_str) == Some("Ignore") {
        spec.failure_policy = FailurePolicy::Ignore;
    }
    Ok(Some(AdmissionPolicy { kind, bindings, spec }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn initializers_are_for_creations_and_fail_open_unless_they_say_otherwise() {
        let rules = json!([{"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments"]}]);
        let object = json!({"metadata": {"name": "c"}, "initializers": [
            {"name": "a.example.com", "rules": rules}, {"name": "b.example.com", "failurePolicy": "Fail"},
        ]});
        let [a, b] = initializers(&object).unwrap().try_into().unwrap();
        assert_eq!((a.spec.failure_policy, b.spec.failure_policy), (FailurePolicy::Ignore, FailurePolicy::Fail));
        assert_eq!((a.uid.as_str(), a.spec.rules[0].operations.as_slice()), ("c/a.example.com", &["CREATE".to_owned()][..]));
    }

    #[test]
    fn a_policy_that_nobody_binds_does_nothing() {
        let object = json!({"metadata": {"name": "p"}, "spec": {"failurePolicy": "Ignore", "matchConstraints": {"resourceRules": [
            {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"], "resourceNames": ["x"]},
        ]}}});
        assert!(policy("ValidatingAdmissionPolicy", &object, &[]).unwrap().is_none());
        let binding = json!({"metadata": {"name": "b"}, "spec": {"policyName": "p"}});
        let bound = policy("ValidatingAdmissionPolicy", &object, &[binding]).unwrap().unwrap();
        assert_eq!((bound.bindings, bound.spec.rules.len()), (vec!["b".to_owned()], 1));
        assert_eq!(bound.spec.failure_policy, FailurePolicy::Ignore);
    }
}
