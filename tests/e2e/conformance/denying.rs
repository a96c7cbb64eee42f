//! Validating webhooks refuse: objects of every sort, streams, and whatever a webhook cannot be asked about.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::definition::Definition;
use super::registration::{Kind, rule};
use super::world::{CONFIG_MAPS, World, accepted, config_map, path_in, pod, refused};

/// What the hook refuses.
const UNWANTED: &str = "webhook-disallow";

pub(super) fn pods_and_config_maps(world: &World) {
    let pods =
        world.webhook("deny-unwanted-pod-container-name-and-label.k8s.io", "/pods", &rule(&["CREATE"], "", &["v1"], &["pods"]));
    let unreachable = world.unreachable("fail-open.k8s.io", "Ignore");
    world.register(Kind::Validating, &[pods, world.denying_config_maps(), unreachable]);
    denied_pods(world);
    denied_config_maps(world);
}

fn denied_pods(world: &World) {
    let labelled = |name: &str, container: &str, label: &str| {
        let mut pod = pod(name, container);
        pod["metadata"]["labels"] = json!({"webhook-e2e-test": label});
        pod
    };
    let answer = world.create("pods", &labelled("disallowed-pod", UNWANTED, UNWANTED));
    refused(&answer, &["the pod contains unwanted container name", "the pod contains unwanted label"]);
    // The webhook does not answer; within its ten seconds the server does.
    let answer = world.create("pods", &labelled("hanging-pod", "wait-forever", "wait-forever"));
    refused(&answer, &["webhook", "deadline"]);
    assert_eq!(world.get(&world.path("pods", "hanging-pod")).code, 404);
}

fn denied_config_maps(world: &World) {
    let unwanted = json!({"webhook-e2e-test": UNWANTED});
    let why = &["the configmap contains unwanted key and value"];
    refused(&world.create(CONFIG_MAPS, &config_map("disallowed-configmap", &unwanted)), why);
    let mut stored = accepted(world.create(CONFIG_MAPS, &config_map("allowed-configmap", &json!({"admit": "this"}))));
    let path = world.path(CONFIG_MAPS, "allowed-configmap");
    stored["data"]["webhook-e2e-test"] = UNWANTED.into();
    refused(&world.send(Method::PUT, &path, &stored), why);
    refused(&world.merge(&path, &json!({"data": unwanted})), why);
    let skipped = format!("{}-exempted", world.name);
    world.create_namespace(&skipped, &["skip-webhook-admission", &world.name]);
    accepted(world.send(Method::POST, &path_in(&skipped, CONFIG_MAPS, ""), &config_map("disallowed-configmap", &unwanted)));
}

/// `kubectl attach`, over websockets and over SPDY, is refused in the webhook's words.
pub(super) fn attaching(world: &World) {
    let webhook = world.webhook("deny-attaching-pod.k8s.io", "/pods/attach", &rule(&["CONNECT"], "", &["v1"], &["pods/attach"]));
    world.register(Kind::Validating, &[webhook]);
    accepted(world.create("pods", &pod("to-be-attached-pod", "container1")));
    let attach = |more: &[&str]| {
        let arguments = ["attach", "--namespace", &world.namespace, "to-be-attached-pod", "-c=container1"];
        world.kubectl.try_run(&[arguments.as_slice(), more].concat()).unwrap_err()
    };
    let said = attach(&["-i"]);
    assert!(said.contains("attaching to pod 'to-be-attached-pod' is not allowed"), "{said}");
    // Without standard input the webhook has nothing against it.
    let said = attach(&[]);
    assert!(said.contains("pod to-be-attached-pod does not have a host assigned"), "{said}");
}

pub(super) fn custom_resources(world: &World) {
    let kind = Definition::of(world, &["v1"], None);
    let rule = rule(&["CREATE", "UPDATE", "DELETE"], &kind.group, &["v1"], &[&kind.plural]);
    world.register(Kind::Validating, &[world.webhook("deny-unwanted-custom-resource-data.k8s.io", "/custom-resource", &rule)]);
    let data = |value: &str| json!({"webhook-e2e-test": value});
    let unwanted = &["the custom resource contains unwanted data"];
    refused(&world.send(Method::POST, &kind.path("v1", ""), &kind.object("v1", "cr-instance-1", &data(UNWANTED))), unwanted);
    let kept = kind.object("v1", "cr-instance-2", &data("webhook-nondeletable"));
    let mut stored = accepted(world.send(Method::POST, &kind.path("v1", ""), &kept));
    let path = kind.path("v1", "cr-instance-2");
    stored["data"] = data(UNWANTED);
    refused(&world.send(Method::PUT, &path, &stored), unwanted);
    refused(&world.delete(&path), &["the custom resource cannot be deleted because it contains unwanted key and value"]);
    stored["data"] = data("webhook-allow");
    accepted(world.send(Method::PUT, &path, &stored));
    accepted(world.delete(&path));
    kind.delete(world);
}

/// By a label of the definition alone: other behaviours define kinds at the same time.
pub(super) fn definitions(world: &World) {
    let rule = rule(&["CREATE"], "apiextensions.k8s.io", &["*"], &["customresourcedefinitions"]);
    let mut webhook = world.webhook("deny-crd-with-unwanted-label.k8s.io", "/crd", &rule);
    webhook["namespaceSelector"] = json!({});
    webhook["objectSelector"] = json!({"matchLabels": {world.name.as_str(): "true"}});
    world.register(Kind::Validating, &[webhook]);
    let (path, mut definition) = (Definition::COLLECTION, Definition::written(world, &["v1"], None));
    definition["metadata"]["labels"] = json!({world.name.as_str(): "true", "webhook-e2e-test": UNWANTED});
    refused(&world.send(Method::POST, path, &definition), &["the crd contains unwanted label"]);
    let name = definition["metadata"]["name"].as_str().unwrap();
    assert_eq!(world.get(&format!("{path}/{name}")).code, 404);
}

/// The webhook takes five seconds; what it may take, and what becomes of the request if that is not enough.
pub(super) fn timeouts(world: &World) {
    let create = || world.create(CONFIG_MAPS, &config_map("e2e-test-slow-webhook-configmap", &json!({})));
    for (policy, seconds, passes) in
        [("Fail", json!(1), false), ("Ignore", json!(1), true), ("Fail", json!(10), true), ("Fail", Json::Null, true)]
    {
        let rule = rule(&["CREATE"], "", &["v1"], &[CONFIG_MAPS]);
        let mut webhook = world.webhook("allow-configmap-with-delay-webhook.k8s.io", "/always-allow-delay-5s", &rule);
        (webhook["failurePolicy"], webhook["timeoutSeconds"]) = (policy.into(), seconds);
        world.register(Kind::Validating, &[webhook]);
        let answer = create();
        if passes {
            accepted(answer);
            accepted(world.delete(&world.path(CONFIG_MAPS, "e2e-test-slow-webhook-configmap")));
        } else {
            refused(&answer, &["/always-allow-delay-5s?timeout=1s", "context deadline exceeded"]);
        }
        world.unregister(Kind::Validating);
    }
}

/// A webhook that cannot be called refuses everything, if it fails closed.
pub(super) fn fail_closed(world: &World) {
    let mut webhook = world.unreachable("fail-closed.k8s.io", "Fail");
    webhook["namespaceSelector"]["matchExpressions"] =
        json!([{"key": "fail-closed-webhook", "operator": "In", "values": ["true"]}]);
    world.register(Kind::Validating, &[webhook]);
    let closed = format!("{}-fail-closed", world.name);
    world.create_namespace(&closed, &["fail-closed-webhook", &world.name]);
    let answer = world.send(Method::POST, &path_in(&closed, CONFIG_MAPS, ""), &config_map("foo", &json!({})));
    assert_eq!((answer.code, &answer.body["reason"]), (500, &json!("InternalError")), "{answer:?}");
}
