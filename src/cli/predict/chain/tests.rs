//! The order of hooks, and what earlier ones mean for later ones.

use plimsoll_apiserver::admission::webhook::of_object;
use plimsoll_apiserver::authn::User;
use plimsoll_apiserver::resources::{Registry, Scope};
use plimsoll_sidecar::cluster::Fault;
use serde_json::{Value as Json, json};

use super::*;
use crate::cli::predict::line::Certainty;
use crate::cli::predict::registered::Registered;
use crate::cli::predict::request::{Asked, attributes};
use crate::cli::predict::review::ReviewError;
use crate::cli::predict::schema::SchemaError;
use crate::cli::predict::served::bare;

/// Returns hooks for new ConfigMaps; `members` replace fields, one entry for each hook.
fn hooks(members: &[Json]) -> Vec<Arc<Webhook>> {
    let hook = |(at, members): (usize, &Json)| {
        let mut hook = json!({
            "name": format!("h{at}.example.com"), "clientConfig": {"url": "https://localhost"},
            "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
        });
        hook.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        hook
    };
    let webhooks: Vec<Json> = members.iter().enumerate().map(hook).collect();
    of_object("c".to_owned(), json!({"webhooks": webhooks}).to_string().as_bytes()).unwrap()
}

fn forbidden() -> Fault {
    Fault::Answered { code: 403, reason: "Forbidden".to_owned(), message: "not yours".to_owned() }
}

fn facts(mutating: &[Json], validating: &[Json], stored: Option<Json>) -> Facts {
    let request = attributes(Asked {
        operation: Operation::Create,
        registry: Arc::new(Registry::default()),
        resource: Arc::new(bare("", "v1", "ConfigMap", "configmaps", Scope::Namespaced)),
        object: json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "n", "labels": {"a": "b"}}}),
        old: None,
        user: User::default(),
    });
    Facts {
        request,
        registered: Registered { mutating: hooks(mutating), validating: hooks(validating), ..Registered::default() },
        is_embedded: false,
        old_is_written: false,
        user: Err(ReviewError::Refused(forbidden())),
        namespace: Ok(json!({"metadata": {"name": "n"}})),
        schema: Err(SchemaError::Refused(forbidden())),
        stored,
        notes: Vec::new(),
    }
}

/// Returns for each hook `yes`, `no`, `refused`, or what it depends on.
fn said(facts: &Facts) -> Vec<String> {
    let line = |line: Line| match (line.called, line.refuses) {
        (_, true) => "refused".to_owned(),
        (Some(called), _) => if called { "yes" } else { "no" }.to_owned(),
        (None, _) => line.depends_on.join("; "),
    };
    report(facts).lines.into_iter().map(line).collect()
}

fn on(text: &str) -> Json {
    json!({"matchConditions": [{"name": "m", "expression": text}]})
}

#[test]
fn an_earlier_mutating_hook_makes_what_reads_the_object_uncertain() {
    let labelled = json!({"objectSelector": {"matchLabels": {"a": "b"}}});
    let found = said(&facts(&[labelled.clone(), labelled.clone(), json!({"rules": []})], &[labelled, json!({})], None));
    assert_eq!(found, ["yes", "c/h0.example.com", "no", "c/h0.example.com, c/h1.example.com", "yes"]);
}

#[test]
fn a_condition_without_a_verdict_ends_the_request_if_the_hook_fails_closed() {
    let wrong = on("object.metadata.labels.a > 1");
    let mut open = wrong.clone();
    open["failurePolicy"] = "Ignore".into();
    assert_eq!(said(&facts(&[wrong.clone(), json!({})], &[json!({})], None)), ["refused", "no", "no"]);
    assert_eq!(said(&facts(&[open, json!({})], &[json!({})], None)), ["no", "yes", "yes"]);
    // Validating hooks are all chosen before one is called.
    assert_eq!(said(&facts(&[], &[json!({}), wrong], None)), ["no", "refused"]);
}

#[test]
fn whoever_may_end_the_request_makes_the_others_uncertain() {
    let open = on("request.userInfo.username == 'x'");
    let other = "whether c/h0.example.com refuses the request";
    let found = said(&facts(&[open, json!({})], &[json!({})], None));
    let unread = "the SelfSubjectReview cannot be read: 403 Forbidden: not yours (condition `m` reads request.userInfo.username)";
    assert_eq!(found, [unread, other, other]);
    let mut report = report(&facts(&[on("request.options.kind == 'x'"), on("authorizer != null")], &[], None));
    let [options, unbuilt] = std::mem::take(&mut report.lines).try_into().unwrap();
    assert_eq!((options.certainty, unbuilt.certainty), (Certainty::Depends, Certainty::Unknown));
}

#[test]
fn a_dry_run_shows_validating_hooks_what_they_will_see() {
    let mode = on("object.metadata.labels.mode == 'fast'");
    let ask = |stored| said(&facts(&[json!({})], std::slice::from_ref(&mode), stored));
    let of = |mode: &str| Some(json!({"metadata": {"labels": {"mode": mode}}}));
    assert_eq!((ask(of("fast"))[1].as_str(), ask(of("slow"))[1].as_str()), ("yes", "no"));
    assert!(ask(None)[1].starts_with("c/h0.example.com"));
    // A mutating hook that is alone: it has been called, if what is shown is what it is called for.
    let alone = |stored| said(&facts(std::slice::from_ref(&mode), &[], stored));
    assert_eq!(alone(of("fast")), ["yes"]);
    assert!(alone(of("slow"))[0].starts_with("defaulting"));
}

#[test]
fn a_dry_run_is_no_guide_where_a_mutating_hook_may_do_something_else_in_it() {
    let mode = on("object.metadata.labels.mode == 'fast'");
    let stored = Some(json!({"metadata": {"labels": {"mode": "fast"}}}));
    for text in ["!request.dryRun", "request.options.kind == 'CreateOptions'", "'%d'.format([1]) == '1'"] {
        let facts = facts(&[on(text)], std::slice::from_ref(&mode), stored.clone());
        assert_ne!(said(&facts)[1], "yes", "{text}");
        assert!(report(&facts).notes[0].contains("no guide, because a condition of c/h0.example.com"), "{text}");
    }
}

#[test]
fn nothing_is_called_where_there_is_no_namespace() {
    let mut facts = facts(&[json!({})], &[json!({})], None);
    facts.namespace = Err(NamespaceError::Absent("n".to_owned()));
    assert_eq!(said(&facts), ["no", "no"]);
    facts.namespace = Err(NamespaceError::Refused { name: "n".to_owned(), source: forbidden() });
    assert_eq!(said(&facts), ["yes", "yes"], "nobody asks for it");
    let selector = json!({"namespaceSelector": {"matchLabels": {"x": "y"}}});
    facts.registered.validating = hooks(&[selector]);
    assert_eq!(said(&facts), ["yes", "the namespace `n` cannot be read: 403 Forbidden: not yours"]);
}
