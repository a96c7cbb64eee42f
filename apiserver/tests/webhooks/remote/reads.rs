//! One read: all or nothing, whatever the other side answers.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_apiserver::admission::remote::{Metrics, Remote, Settings};
use prometheus::Registry;
use serde_json::{Value as Json, json};

use crate::webhooks::engine::{Act, Engine, nobody, ok, status};

const GROUP: &str = "apis/admissionregistration.k8s.io";

fn remote(server: &str) -> Remote {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kubeconfig");
    let text = json!({
        "clusters": [{"name": "c", "cluster": {"server": format!("{server}/k8s/clusters/c-1/")}}],
        "users": [{"name": "u", "user": {"token": "geheim"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}], "current-context": "x",
    });
    std::fs::write(&file, text.to_string()).unwrap();
    let settings = Settings { stale_after: Duration::from_secs(600), ..Settings::new(file) };
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

fn discovery(served: &[&str]) -> Act {
    let resources: Vec<Json> = served.iter().map(|name| json!({"name": name})).collect();
    ok(json!({"kind": "APIResourceList", "resources": resources}))
}

/// Two mutating configurations, out of order, and nothing else.
fn good() -> [Act; 3] {
    [hooks("Mutating", &["b", "a"]), hooks("Validating", &[]), status(404)]
}

#[actix_web::test]
async fn kinds_are_read_one_after_the_other_and_sorted_by_name() {
    let initializers = json!([{"metadata": {"name": "c"}, "initializers": [{"name": "i.example.com"}]}]);
    let acts = [
        hooks("Mutating", &["b", "a"]),
        ok(json!({"kind": "ValidatingWebhookConfigurationList", "metadata": {"resourceVersion": "8"}, "items": null})),
        discovery(&["initializerconfigurations", "other"]),
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
        "v1/mutatingwebhookconfigurations",
        "v1/validatingwebhookconfigurations",
        "v1alpha1",
        "v1alpha1/initializerconfigurations",
    ];
    let expected = paths.map(|path| format!("GET /k8s/clusters/c-1/{GROUP}/{path} HTTP/1.1"));
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
    let refused = || Act::Reply(403, "", json!({"kind": "Status", "message": "User geheim cannot list"}).to_string());
    let broken = json!([{"metadata": {"name": "broken"}, "webhooks": [{"name": 7}]}]);
    let part = json!({"kind": "MutatingWebhookConfigurationList", "metadata": {"continue": "x"}, "items": []});
    let served = || discovery(&["initializerconfigurations"]);
    // What is answered, and what is said of it.
    let table: Vec<(Vec<Act>, &str)> = vec![
        (vec![refused()], "v1/mutatingwebhookconfigurations: the API server answered 403"),
        (vec![status(404)], "v1/mutatingwebhookconfigurations: the API server answered 404"),
        (vec![mutating(), status(500)], "v1/validatingwebhookconfigurations: the API server answered 500"),
        (vec![mutating(), validating(), refused()], "v1alpha1: the API server answered 403"),
        (vec![mutating(), validating(), served(), refused()], "v1alpha1/initializerconfigurations: the API server answered 403"),
        (vec![mutating(), validating(), ok(json!({"kind": "Status", "resources": []}))], "it is no APIResourceList"),
        (vec![list("ValidatingWebhookConfiguration", json!([]))], "is called MutatingWebhookConfigurationList"),
        (vec![ok(part)], "only a part of the list was sent"),
        (vec![list("MutatingWebhookConfiguration", json!([{"webhooks": []}]))], "an item has no name"),
        (
            vec![list("MutatingWebhookConfiguration", broken.clone()), validating(), status(404)],
            "webhook configuration `broken` cannot be read",
        ),
        (
            vec![mutating(), list("ValidatingWebhookConfiguration", broken), status(404)],
            "webhook configuration `broken` cannot be read",
        ),
        (
            vec![
                mutating(),
                validating(),
                served(),
                list("InitializerConfiguration", json!([{"metadata": {"name": "i"}, "initializers": 1}])),
            ],
            "initializer configuration `i` cannot be read",
        ),
        (vec![ok("<html>")], "expected value at line 1"),
        (vec![Act::Reply(302, "location: /elsewhere\r\n", String::new())], "answered 302"),
        (vec![Act::Close], "GET apis/"),
        (vec![mutating(), Act::Endless], "the answer is larger than 67108864 bytes"),
    ];
    let engine = Engine::start(good());
    let remote = remote(&engine.origin());
    assert!(remote.refresh().await);
    for (acts, said) in table {
        engine.set(acts);
        assert!(!remote.refresh().await, "{said}");
        let error = remote.failure().unwrap().to_string();
        assert!(error.contains(said) && !error.contains("geheim"), "{said}: {error}");
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
