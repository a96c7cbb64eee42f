//! The good practices of Kubernetes' documentation, one rule each. Source: kubernetes.io, "Admission Webhook Good Practices"; the number of
//! a practice is its place in our list of them.

use plimsoll_apiserver::admission::Attributes;
use plimsoll_apiserver::admission::webhook::{FailurePolicy, MatchPolicy, Rule};
use plimsoll_apiserver::resources::Scope;
use plimsoll_apiserver::resources::validate::selector::matches;
use serde_json::{Value as Json, json};

use super::finding::{Advice, Found};
use super::hook::{Hook, Kind};
use super::itself;
use super::requests::{BUSY, PODS, creation, update};
use super::surroundings::Surroundings;

/// The longest timeout of a hook, in seconds.
const TIMEOUT: u64 = 5;
const SYSTEM: &str = "kube-system";

/// Judges one hook: with all hooks, itself among them, and the objects around them.
type Check = fn(&Hook<'_>, &[Hook<'_>], &Surroundings<'_>) -> Option<Found>;

/// All rules, by their names.
pub(super) const RULES: [(&str, Check); 12] = [
    ("deadlock", itself::deadlock),
    ("own-namespace", itself::own_namespace),
    ("single-replica", itself::single_replica),
    ("timeout", timeout),
    ("exact-match", exact_match),
    ("side-effects", side_effects),
    ("review-versions", review_versions),
    ("wildcard", wildcard),
    ("busy-resources", busy_resources),
    ("system-namespaces", system_namespaces),
    ("ephemeral-containers", ephemeral_containers),
    ("final-state", final_state),
];

/// Finds a timeout that is longer than [`TIMEOUT`] (practice 2: keep latency low).
fn timeout(hook: &Hook<'_>, _: &[Hook<'_>], _: &Surroundings<'_>) -> Option<Found> {
    let seconds = hook.spec().timeout_seconds;
    let is_chosen = hook.kind != Kind::External && seconds > TIMEOUT;
    let message = format!("one request may wait {seconds} s for it: more than {TIMEOUT} s are felt by everybody who writes");
    is_chosen.then(|| Found::new("/timeoutSeconds", message, Advice::Set("timeoutSeconds", TIMEOUT.into(), "")))
}

/// Finds a hook that requests in another version of the same kind do not meet (practice 6).
fn exact_match(hook: &Hook<'_>, _: &[Hook<'_>], _: &Surroundings<'_>) -> Option<Found> {
    let is_exact = hook.kind != Kind::External && hook.spec().match_policy == MatchPolicy::Exact;
    let message = "a request in another version of the same kind goes past it";
    is_exact.then(|| Found::new("/matchPolicy", message, Advice::Set("matchPolicy", "Equivalent".into(), "")))
}

/// Finds a hook that may have side effects outside the review (practice 8).
fn side_effects(hook: &Hook<'_>, _: &[Hook<'_>], _: &Surroundings<'_>) -> Option<Found> {
    let is_harmful = hook.kind != Kind::External && !hook.spec().is_harmless();
    let message = format!("sideEffects is `{}`: every dry run that meets it is refused", hook.spec().side_effects);
    is_harmful.then(|| {
        Found::new("/sideEffects", message, Advice::Set("sideEffects", "None".into(), ", or NoneOnDryRun if it honours dryRun"))
    })
}

/// Finds a hook that does not take reviews of `v1` first, the version that later releases of Kubernetes send (practice 11).
fn review_versions(hook: &Hook<'_>, _: &[Hook<'_>], _: &Surroundings<'_>) -> Option<Found> {
    let versions = &hook.spec().admission_review_versions;
    let is_old = hook.kind != Kind::External && versions.first().is_none_or(|version| version != "v1");
    let message = format!("it is asked in {versions:?}: `v1` alone checks that an answer is for the question");
    let others = versions.iter().map(String::as_str).filter(|version| *version != "v1");
    let wanted: Vec<&str> = std::iter::once("v1").chain(others).collect();
    is_old.then(|| Found::new("/admissionReviewVersions", message, Advice::Set("admissionReviewVersions", wanted.into(), "")))
}

/// Finds a rule for every resource of every group (practice 5: narrow scope).
fn wildcard(hook: &Hook<'_>, _: &[Hook<'_>], _: &Surroundings<'_>) -> Option<Found> {
    let has = |list: &[String], wanted: &[&str]| list.iter().any(|item| wanted.contains(&item.as_str()));
    let is_wide = |rule: &Rule| has(&rule.api_groups, &["*"]) && has(&rule.resources, &["*", "*/*"]);
    let at = hook.spec().rules.iter().position(is_wide)?;
    let message = "it is called for every resource of every group, also for those that do not exist yet";
    Some(Found::saying(format!("/rules/{at}/resources"), message, "resources: [those that it judges], in their apiGroups"))
}

/// Finds a hook for resources that are written all the time, or that authentication and authorization depend on (practice 5).
fn busy_resources(hook: &Hook<'_>, _: &[Hook<'_>], around: &Surroundings<'_>) -> Option<Found> {
    let labels = around.labels("default");
    let seen = |(names, scope)| {
        let requests = [creation(names, scope, "default", &json!({})), update(names, scope, "default", &json!({}))];
        requests.iter().any(|request| hook.sees(request, &labels))
    };
    let mut seen: Vec<&str> = BUSY.into_iter().filter(|busy| seen(*busy)).map(|((_, _, _, plural), _)| plural).collect();
    // Events are in two groups.
    seen.dedup();
    let message =
        format!("it is called for {}: written all the time, or what authentication and authorization rest on", seen.join(", "));
    let advice = match hook.kind {
        // Conditions came with `v1`.
        Kind::External => Advice::Say("leave them out of the rules".to_owned()),
        _ => Advice::LeaveOut(seen.clone()),
    };
    (!seen.is_empty()).then(|| Found::new("/rules", message, advice))
}

/// Finds a hook for built-in resources in `kube-system`, which the cluster itself runs on (practice 5).
fn system_namespaces(hook: &Hook<'_>, _: &[Hook<'_>], around: &Surroundings<'_>) -> Option<Found> {
    let selector = &hook.spec().namespace_selector;
    let is_selected = matches(selector, &around.labels(SYSTEM));
    // A rule about custom resources alone does not stand in the way of what the cluster runs on.
    let is_built_in = |group: &String| group == "*" || !group.contains('.') || group.ends_with(".k8s.io");
    let is_wide = |rule: &Rule| rule.scope.as_deref() != Some("Cluster") && rule.api_groups.iter().any(is_built_in);
    let stands = is_selected && hook.spec().rules.iter().any(is_wide);
    let message = format!("it stands between the cluster and `{SYSTEM}`: what the cluster runs on waits for it");
    stands.then(|| Found::new("/namespaceSelector", message, Advice::Exempt(SYSTEM.to_owned())))
}

/// Finds a hook that judges pods, but not the containers that are added to a running pod (CVE-2023-2727, CVE-2023-2728).
fn ephemeral_containers(hook: &Hook<'_>, _: &[Hook<'_>], around: &Surroundings<'_>) -> Option<Found> {
    let labels = around.labels("default");
    let pods = creation(PODS, Scope::Namespaced, "default", &json!({}));
    let mut below = update(PODS, Scope::Namespaced, "default", &json!({}));
    below.subresource = "ephemeralcontainers".to_owned();
    let is_missed = hook.kind == Kind::Validating && by_rules_alone(hook, &pods) && !by_rules_alone(hook, &below);
    let at = hook.spec().rules.iter().position(|rule| rule.matches(&pods, &pods.resource)).unwrap_or_default();
    let message = "it judges pods, but not the containers that are added to them later";
    let change = || Advice::Set("rules", with_ephemeral_containers(hook.written(), at), "");
    (is_missed && hook.sees(&pods, &labels)).then(|| Found::new(format!("/rules/{at}/resources"), message, change()))
}

/// Returns the hook's rules, with updates of `pods/ephemeralcontainers` added to the rule at position `at`.
fn with_ephemeral_containers(written: &Json, at: usize) -> Json {
    let mut rules = written.get("rules").cloned().unwrap_or_default();
    for (field, missing) in [("resources", "pods/ephemeralcontainers"), ("operations", "UPDATE")] {
        let list = rules.get_mut(at).and_then(|rule| rule.get_mut(field)).and_then(Json::as_array_mut);
        if let Some(list) = list.filter(|list| !list.iter().any(|one| one == missing || one == "*" && field == "operations")) {
            list.push(missing.into());
        }
    }
    rules
}

fn by_rules_alone(hook: &Hook<'_>, request: &Attributes) -> bool {
    hook.spec().rules.iter().any(|rule| rule.matches(request, &request.resource))
}

/// Finds a mutating hook that fails closed, or whose result no validating hook that fails closed looks at (practice 10).
fn final_state(hook: &Hook<'_>, all: &[Hook<'_>], _: &Surroundings<'_>) -> Option<Found> {
    if hook.kind != Kind::Mutating {
        return None;
    }
    if hook.spec().failure_policy == FailurePolicy::Fail {
        let message = "it changes objects and fails closed: while it is down nothing of what it is for can be written";
        let besides = ", and a validating hook with failurePolicy: Fail";
        return Some(Found::new("/failurePolicy", message, Advice::Set("failurePolicy", "Ignore".into(), besides)));
    }
    let judges = |other: &Hook<'_>| other.kind == Kind::Validating && other.spec().failure_policy == FailurePolicy::Fail;
    let judged =
        |rule: &Rule| all.iter().filter(|other| judges(other)).any(|other| other.spec().rules.iter().any(|by| covers(by, rule)));
    let at = hook.spec().rules.iter().position(|rule| !judged(rule))?;
    let message =
        "it may be missed, or others may undo what it did, and no validating hook that fails closed looks at the final state";
    Some(Found::saying(
        format!("/rules/{at}"),
        message,
        "a ValidatingWebhookConfiguration with this rule and failurePolicy: Fail",
    ))
}

/// Returns whether every request that `narrow` matches is matched by `wide`.
fn covers(wide: &Rule, narrow: &Rule) -> bool {
    let all = |wide: &[String], narrow: &[String]| narrow.iter().all(|item| wide.iter().any(|by| by == "*" || by == item));
    let resource = |item: &String| wide.resources.iter().any(|by| by == "*/*" || by == item || by == "*" && !item.contains('/'));
    let scope = |rule: &Rule| rule.scope.clone().unwrap_or_else(|| "*".to_owned());
    all(&wide.operations, &narrow.operations)
        && all(&wide.api_groups, &narrow.api_groups)
        && all(&wide.api_versions, &narrow.api_versions)
        && narrow.resources.iter().all(resource)
        && (scope(wide) == "*" || scope(wide) == scope(narrow))
}
