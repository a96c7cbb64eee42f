//! One read: all or nothing, whatever the other side answers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_apiserver::admission::remote::{Metrics, Remote, Settings};
use prometheus::Registry;
use serde_json::{Value as Json, json};

use super::LONG;
use crate::webhooks::engine::{Act, Engine, nobody, ok, status};
use crate::webhooks::eventually::eventually;

const GROUP: &str = "apis/admissionregistration.k8s.io";

/// Writes a kubeconfig into a folder, and names it.
fn settings(folder: &Path, server: &str) -> Settings {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let file = folder.join("kubeconfig");
    let text = json!({
        "clusters": [{"name": "c", "cluster": {"server": format!("{server}/k8s/clusters/c-1/")}}],
        "users": [{"name": "u", "user": {"token": "geheim"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}], "current-context": "x",
    });
    std::fs::write(&file, text.to_string()).unwrap();
    Settings { stale_after: LONG, timeout: LONG, ..Settings::new(file) }
}

fn remote(server: &str) -> Remote {
    within(server, LONG)
}

/// With answers in so much time. The kubeconfig is gone afterwards; what was read of it stays in use.
fn within(server: &str, timeout: Duration) -> Remote {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { timeout, ..settings(folder.path(), server) };
    Remote::new(settings, Metrics::register(&Registry::new()).unwrap()).unwrap()
}

fn list(kind: &str, items: Json) -> Act {
    ok(json!({"kind": format!("{kind}List"), "metadata": {"resourceVersion": "7"}, "items": items}))
}

fn hooks(kind: &str, names: &[&str]) -> Act {
    let hook = |name: &str| json!({"name": format!("{name}.example.com"), "clientConfig": {"url": "https://localhost"}, "sideEffects": "None"});
    let items: Vec<Json> = names.iter().map(|name| json!({"metadata": {"name": name}, "webhooks": [hook(name)]})).collect();
    list(&format!("{kind}WebhookConfiguration"), json!(items))
}

/// The versions of the group.
fn group(versions: &[&str]) -> Act {
    let versions: Vec<Json> = versions.iter().map(|version| json!({"version": version})).collect();
    ok(json!({"kind": "APIGroup", "versions": versions}))
}

fn discovery(served: &[&str]) -> Act {
    let resources: Vec<Json> = served.iter().map(|name| json!({"name": name})).collect();
    ok(json!({"kind": "APIResourceList", "resources": resources}))
}

/// Two mutating configurations, out of order, and nothing else.
fn good() -> [Act; 3] {
    [group(&["v1", "v1beta1"]), hooks("Mutating", &["b", "a"]), hooks("Validating", &[])]
}

#[actix_web::test]
async fn kinds_are_read_one_after_the_other_and_sorted_by_name() {
    let initializers = json!([{"metadata": {"name": "c"}, "initializers": [{"name": "i.example.com"}]}]);
    let acts = [
        group(&["v1alpha1", "v1beta1"]),
        discovery(&["initializerconfigurations", "other"]),
        hooks("Mutating", &["b", "a"]),
        ok(json!({"kind": "ValidatingWebhookConfigurationList", "metadata": {"resourceVersion": "8"}, "items": null})),
        list("InitializerConfiguration", initializers),
    ];
    let engine = Engine::start(acts.into_iter().chain(good()));
    let remote = remote(&engine.origin());
    assert!(remote.refresh().await, "{:?}", remote.failure());
    let read = remote.now().unwrap();
    let names: Vec<&str> = read.hooks.mutating.iter().map(|hook| hook.configuration.as_str()).collect();
    assert_eq!((names, read.revision.as_str(), read.initializers.len()), (vec!["a", "b"], "7", 1));
    let heads: Vec<String> = engine.came().iter().map(|came| came.head.lines().next().unwrap().to_owned()).collect();
    let paths = [
        "",
        "/v1alpha1",
        "/v1beta1/mutatingwebhookconfigurations",
        "/v1beta1/validatingwebhookconfigurations",
        "/v1alpha1/initializerconfigurations",
    ];
    let expected = paths.map(|path| format!("GET /k8s/clusters/c-1/{GROUP}{path} HTTP/1.1"));
    assert_eq!(heads, expected, "below the server's own path, and consistent");
    assert!(engine.came()[0].head.to_lowercase().contains("authorization: bearer geheim"));
    // An API that is not there any more has no configurations.
    assert!(remote.refresh().await);
    assert!(remote.now().unwrap().initializers.is_empty());
}

#[actix_web::test]
async fn what_has_not_changed_is_the_same() {
    let engine = Engine::start(good().into_iter().chain(good()));
    let remote = remote(&engine.origin());
    assert!(remote.refresh().await);
    let first = remote.now().unwrap();
    assert!(remote.refresh().await);
    assert!(Arc::ptr_eq(&first.hooks.mutating[0], &remote.now().unwrap().hooks.mutating[0]));
}

#[actix_web::test]
async fn one_failure_leaves_all_as_it_was() {
    let (mutating, validating) = (|| hooks("Mutating", &["new"]), || hooks("Validating", &["new"]));
    let (v1, alpha) = (|| group(&["v1"]), || group(&["v1", "v1alpha1"]));
    let refused = || Act::Reply(403, "", json!({"kind": "Status", "message": "User geheim cannot list"}).to_string());
    let broken = json!([{"metadata": {"name": "geheim"}, "webhooks": [{"name": "geheim", "clientConfig": "geheim"}]}]);
    let part = json!({"kind": "MutatingWebhookConfigurationList", "metadata": {"continue": "x"}, "items": []});
    let odd = json!({"kind": "MutatingWebhookConfigurationList", "metadata": "geheim".repeat(1_000), "items": []});
    let served = || discovery(&["initializerconfigurations"]);
    let initializers = || list("InitializerConfiguration", json!([{"metadata": {"name": "i"}, "initializers": "geheim"}]));
    // What is answered, and what is said of it.
    let table: Vec<(Vec<Act>, &str)> = vec![
        (vec![status(404)], "GET apis/admissionregistration.k8s.io: the API server answered 404"),
        (vec![v1(), refused()], "v1/mutatingwebhookconfigurations: the API server answered 403"),
        (vec![v1(), mutating(), status(500)], "v1/validatingwebhookconfigurations: the API server answered 500"),
        (vec![alpha(), refused()], "v1alpha1: the API server answered 403"),
        (
            vec![alpha(), served(), mutating(), validating(), refused()],
            "v1alpha1/initializerconfigurations: the API server answered 403",
        ),
        (vec![alpha(), ok(json!({"resources": 1}))], "v1alpha1: the answer cannot be read, line 1"),
        (vec![v1(), list("ValidatingWebhookConfiguration", json!([])), validating()], "it is no list of that kind"),
        (vec![v1(), ok(part), validating()], "only a part of the list was sent"),
        (vec![v1(), ok(odd), validating()], "mutatingwebhookconfigurations: the answer cannot be read, line 1"),
        (vec![v1(), list("MutatingWebhookConfiguration", json!([{"metadata": {}}])), validating()], "an item has no name"),
        (
            vec![v1(), list("MutatingWebhookConfiguration", broken.clone()), validating()],
            "a webhook configuration cannot be read",
        ),
        (vec![v1(), mutating(), list("ValidatingWebhookConfiguration", broken)], "a webhook configuration cannot be read"),
        (vec![alpha(), served(), mutating(), validating(), initializers()], "an initializer configuration cannot be read"),
        (vec![ok("<html>")], "the answer cannot be read, line 1"),
        (vec![Act::Reply(302, "location: /elsewhere\r\n", String::new())], "answered 302"),
        (vec![Act::Close], "GET apis/"),
        (vec![v1(), Act::Endless], "the answer is larger than 16777216 bytes"),
    ];
    let engine = Engine::start(good());
    let remote = remote(&engine.origin());
    assert!(remote.refresh().await);
    for (acts, said) in table {
        engine.set(acts);
        assert!(!remote.refresh().await, "{said}");
        let error = remote.failure().unwrap().to_string();
        assert!(error.contains(said) && !error.contains("geheim"), "{said}: {error}");
        assert!(remote.failure().unwrap().detail().len() <= 300);
        let read = remote.now().unwrap();
        assert_eq!((read.hooks.mutating.len(), read.hooks.validating.len()), (2, 0), "{said}");
    }
    engine.set(good());
    assert!(remote.refresh().await && remote.failure().is_none());
}

#[actix_web::test]
async fn nobody_there_is_an_error_that_says_so() {
    let remote = remote(&nobody());
    assert!(!remote.refresh().await);
    let error = remote.now().unwrap_err();
    assert!(!error.ever && error.to_string().contains("refused"), "{error}");
    assert!(remote.policy("i.example.com").is_err());
}

#[actix_web::test]
async fn who_does_not_answer_in_time_is_no_read_and_keeps_none_from_the_next() {
    let engine = Engine::start([Act::Hang]);
    let remote = within(&engine.origin(), Duration::from_millis(100));
    assert!(!remote.refresh().await);
    assert_eq!(remote.failure().unwrap().to_string(), "no answer within 100ms");
    engine.set(good());
    eventually(async || remote.refresh().await.then_some(())).await;
    assert!(remote.is_fresh());
}

/// Who renews certificates or tokens writes them into the same files.
#[actix_web::test]
async fn a_kubeconfig_that_is_renewed_counts_after_a_failure() {
    let (gone, engine) = (nobody(), Engine::start(good()));
    let folder = tempfile::tempdir().unwrap();
    let remote = Remote::new(settings(folder.path(), &gone), Metrics::register(&Registry::new()).unwrap()).unwrap();
    assert!(!remote.refresh().await);
    settings(folder.path(), &engine.origin());
    assert!(!remote.refresh().await, "it was read before the file was written, and is read again now");
    assert!(remote.refresh().await, "{:?}", remote.failure());
    std::fs::write(folder.path().join("kubeconfig"), "nonsense").unwrap();
    engine.set([status(500), group(&[])]);
    assert!(!remote.refresh().await);
    assert!(remote.refresh().await, "what cannot be used leaves the way as it was");
}
