//! Judges whether one hook is called for one request. The steps are those of the server; each may be certain or not.

mod conditions;

use plimsoll_apiserver::admission::Attributes;
use plimsoll_apiserver::admission::webhook::matching::{by_rules, in_namespace, is_exempt, selects, selects_object};
use plimsoll_apiserver::admission::webhook::{MatchPolicy, Webhook};
use plimsoll_apiserver::resources::Resource;
use plimsoll_apiserver::resources::validate::selector::is_empty;
use serde_json::Value as Json;

use super::facts::Facts;
use super::known::{Doubt, State};
use super::served::has_hash;
use conditions::Open;

/// API groups of reviews, which are answered and not stored.
const REVIEWS: [&str; 2] = ["authentication.k8s.io", "authorization.k8s.io"];

/// The request at the moment when the server would choose the hook.
pub(super) struct Stage<'a> {
    pub(super) facts: &'a Facts,
    /// The request with the object as far as it is known at this moment.
    pub(super) request: &'a Attributes,
    pub(super) object: State<'a>,
    pub(super) old: State<'a>,
}

/// Whether a hook is called, and the reasons in words.
pub(super) struct Verdict {
    pub(super) said: Said,
    pub(super) why: Vec<String>,
}

/// Whether a hook is called.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    Called,
    NotCalled,
    /// The request ends without a call: a condition cannot be evaluated, and the hook fails closed.
    Refused,
    /// It is not certain; `may_refuse`: the request may also end without a call.
    Open {
        doubts: Vec<Doubt>,
        may_refuse: bool,
    },
}

/// The result of one step, with the reason in words.
enum Match {
    Holds(String),
    Fails(String),
    Open(Doubt),
}

/// Returns whether the hook is called at this moment.
pub(super) fn judge(hook: &Webhook, stage: &Stage<'_>) -> Verdict {
    let request = stage.request;
    if is_exempt(request) {
        return not_called("no hook sees hook configurations and admission policies".to_owned());
    }
    let Some((rule, resource)) = by_rules(&hook.spec, request) else { return no_rule(hook, request) };
    let mut open = Open { why: vec![matched(rule, &resource, request)], doubts: Vec::new() };
    for step in [namespace(hook, stage), object(hook, stage)] {
        match step {
            Match::Holds(text) if text.is_empty() => {}
            Match::Holds(text) => open.why.push(text),
            Match::Fails(text) => return not_called(text),
            Match::Open(doubt) => open.doubts.push(doubt),
        }
    }
    if REVIEWS.contains(&request.resource.group.as_str()) && !request.resource.is_stored() {
        open.doubts.push(Doubt::Unknown("reviews meet no hook from Kubernetes 1.37 on, nor on the embedded server".to_owned()));
    }
    conditions::conclude(hook, &resource, stage, open)
}

/// Returns the verdict that a hook is not called, for a reason that does not depend on other hooks.
pub(super) fn not_called(why: String) -> Verdict {
    Verdict { said: Said::NotCalled, why: vec![why] }
}

fn matched(rule: usize, resource: &Resource, request: &Attributes) -> String {
    let (operation, qualified) = (request.operation.name(), resource.qualified());
    let own = format!("rules[{rule}] is for {operation} of {qualified}/{}", resource.version);
    if resource.api_version() == request.resource.api_version() {
        return own;
    }
    format!("{own}, which is the same by matchPolicy Equivalent: the hook is shown that version")
}

/// Returns the verdict for a hook none of whose rules matches. Where discovery has no hash for the kind, another version of it may match,
/// and the verdict is not certain.
fn no_rule(hook: &Webhook, request: &Attributes) -> Verdict {
    let resource = &request.resource;
    let others = request
        .registry
        .all()
        .filter(|other| other.plural == resource.plural && other.group == resource.group && other.version != resource.version);
    if hook.spec.match_policy == MatchPolicy::Equivalent && !has_hash(resource) && others.count() > 0 {
        let why = format!(
            "discovery has no storageVersionHash of {}: which versions are equivalent is not known",
            resource.qualified()
        );
        return Verdict { said: Said::Open { doubts: vec![Doubt::Unknown(why)], may_refuse: false }, why: Vec::new() };
    }
    not_called(format!("no rule is for {} of {}/{}", request.operation.name(), resource.qualified(), resource.version))
}

fn namespace(hook: &Webhook, stage: &Stage<'_>) -> Match {
    let (selector, request) = (&hook.spec.namespace_selector, stage.request);
    let found = in_namespace(selector, request, |_| stage.facts.namespace.as_ref().cloned());
    if request.is_about_namespace()
        && request.object.is_some()
        && !is_empty(selector)
        && let Err(doubt) = stage.object.tells_labels()
    {
        return Match::Open(doubt);
    }
    let name = if request.is_about_namespace() { &request.name } else { &request.namespace };
    match found {
        Ok(true) if is_empty(selector) || name.is_empty() => Match::Holds(String::new()),
        Ok(true) => Match::Holds(format!("namespaceSelector selects `{name}`")),
        Ok(false) => Match::Fails(format!("namespaceSelector does not select `{name}`")),
        Err(why) => Match::Open(Doubt::Unknown(why.to_string())),
    }
}

/// Compares the `objectSelector` with both states of the object: one that matches is enough.
fn object(hook: &Webhook, stage: &Stage<'_>) -> Match {
    let (selector, request) = (&hook.spec.object_selector, stage.request);
    if is_empty(selector) {
        return Match::Holds(String::new());
    }
    let old_counts = stage.old.tells_labels().is_ok() && request.old.as_deref().is_some_and(|old| selects(selector, old));
    if old_counts {
        return Match::Holds("objectSelector selects the stored object".to_owned());
    }
    for state in [stage.object, stage.old] {
        if let Err(doubt) = state.tells_labels() {
            return Match::Open(doubt);
        }
    }
    match selects_object(selector, request) {
        true => Match::Holds("objectSelector selects the object".to_owned()),
        false => Match::Fails("objectSelector does not select the object".to_owned()),
    }
}

/// Returns the request with `object` as its new state.
pub(super) fn with_object(request: &Attributes, object: Json) -> Attributes {
    Attributes { object: Some(object), ..request.clone() }
}
