//! Which admission plugins run, and in which order.

use plimsoll_apiserver::admission::enablement::Enablement;
use plimsoll_apiserver::run::{Options, start};
use serde_json::json;

use super::server::{Kind, MAPS, Server, asked, map, review};

const NOWHERE: &str = "/api/v1/namespaces/nowhere/configmaps";

fn names(text: &str) -> Vec<String> {
    text.split(',').map(str::to_owned).collect()
}

pub(super) fn disabled(text: &str) -> Options {
    Options { plugins: Enablement { disable: names(text), ..Enablement::default() }, ..Options::default() }
}

fn exactly(text: &str) -> Options {
    Options { plugins: Enablement { exactly: Some(names(text)), ..Enablement::default() }, ..Options::default() }
}

/// The stages that a new ConfigMap has passed.
async fn passed(server: &Server) -> Vec<String> {
    let text = server.get("/metrics").await.body;
    let counts = text.as_str().unwrap().lines().filter_map(|line| {
        let labels = line.strip_prefix("apiserver_admission_controller_admission_duration_seconds_count{name=\"")?;
        labels.contains("operation=\"CREATE\"").then(|| labels.split('"').next().unwrap().to_owned())
    });
    let mut names: Vec<String> = counts.collect();
    names.sort();
    names.dedup();
    names
}

#[actix_web::test]
async fn only_plugins_that_are_on_judge_a_write() {
    let all = [
        "GenericAdmissionWebhook",
        "Initializers",
        "MutatingAdmissionWebhook",
        "NamespaceLifecycle",
        "ValidatingAdmissionWebhook",
    ];
    // How it is started, and what does not run then.
    let table: [(Options, &[&str]); 7] = [
        (Options::default(), &[]),
        (disabled("ValidatingAdmissionWebhook,NamespaceLifecycle"), &["NamespaceLifecycle", "ValidatingAdmissionWebhook"]),
        (disabled("MutatingAdmissionWebhook"), &["MutatingAdmissionWebhook"]),
        (disabled("GenericAdmissionWebhook,Initializers"), &["GenericAdmissionWebhook", "Initializers"]),
        (disabled("SchedulingPolicy,PolicyConfigMap"), &[]),
        (
            exactly("ValidatingAdmissionWebhook,Initializers,NamespaceLifecycle,MutatingAdmissionWebhook"),
            &["GenericAdmissionWebhook"],
        ),
        (exactly(""), &all),
    ];
    for (options, off) in table {
        let what = format!("{:?}", options.plugins);
        let server = Server::with(options).await;
        let hooks = [server.hook([review(json!({}))]), server.hook([review(json!({}))])];
        for (kind, hook) in [Kind::Mutating, Kind::Validating].into_iter().zip(&hooks) {
            server.register(kind, "h", &[server.spec("h", &hook.origin(), json!({}))]).await;
        }
        server.post(MAPS, &map("a")).await.expect(201);
        let runs = |name: &str| !off.contains(&name);
        let expected: Vec<&str> = all.into_iter().filter(|name| runs(name)).chain(["RBACEscalation"]).collect();
        let mut found = passed(&server).await;
        found.sort_by_key(|name| name == "RBACEscalation");
        assert_eq!(found, expected, "{what}");
        let asked = [hooks[0].came().len(), hooks[1].came().len()];
        assert_eq!(
            asked,
            ["MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"].map(|name| usize::from(runs(name))),
            "{what}"
        );
        let code = if runs("NamespaceLifecycle") { 404 } else { 201 };
        server.post(NOWHERE, &map("a")).await.expect(code);
        server.running.stop().await;
    }
}

#[actix_web::test]
async fn a_list_of_plugins_is_their_order() {
    for (list, asks) in [("NamespaceLifecycle,MutatingAdmissionWebhook", 0), ("MutatingAdmissionWebhook,NamespaceLifecycle", 1)] {
        let server = Server::with(exactly(list)).await;
        let hook = server.hook([review(json!({}))]);
        server.register(Kind::Mutating, "h", &[server.spec("h", &hook.origin(), json!({}))]).await;
        server.post(NOWHERE, &map("a")).await.expect(404);
        assert_eq!(asked(&hook).len(), asks, "{list}");
        server.running.stop().await;
    }
}

#[actix_web::test]
async fn without_their_plugin_initializers_are_off() {
    let initialized = json!({"metadata": {"name": "a", "initializers": {"pending": [{"name": "a.example.com"}]}}});
    let server = Server::with(disabled("Initializers")).await;
    let created = server.post(MAPS, &initialized).await.expect(201);
    assert_eq!(created.body["metadata"].get("initializers"), None);
    server.running.stop().await;
}

#[actix_web::test]
async fn what_contradicts_itself_does_not_start() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let enabled = |text: &str| Enablement { enable: names(text), ..Enablement::default() };
    let with = |plugins: Enablement| Options { plugins, ..Options::default() };
    let mut without = with(enabled("Initializers"));
    without.initializers.enabled = false;
    let table = [
        (disabled("PodSecurity"), "disable-admission-plugins plugin \"PodSecurity\" is unknown: known are NamespaceLifecycle, "),
        (
            with(Enablement { disable: names("Initializers"), ..enabled("Initializers") }),
            "[Initializers] in enable-admission-plugins and",
        ),
        (with(Enablement { exactly: Some(Vec::new()), ..enabled("Initializers") }), "flags are mutually exclusive"),
        (with(enabled("SchedulingPolicy")), "\"SchedulingPolicy\" is asked for and cannot run: configure SchedulingPolicy in"),
        (exactly("PolicyConfigMap"), "\"PolicyConfigMap\" is asked for and cannot run"),
        (without, "\"Initializers\" is asked for and cannot run: leave out --without-initializers"),
    ];
    for (options, part) in table {
        let refused = start(options).await.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.contains(part), "{part}: {refused}");
    }
}
