//! What the hook answers at each of its paths: the rules of upstream's image.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::e2e::support::hook::{Reply, patched};

/// Of the slow path.
const DELAY: Duration = Duration::from_secs(5);
/// A key that says what becomes of an object.
const KEY: &str = "webhook-e2e-test";
/// The value that nobody may write.
const UNWANTED: &str = "webhook-disallow";

pub(super) fn judge(path: &str, request: &Json) -> Reply {
    match path {
        "/always-allow-delay-5s" => Reply::After(DELAY, allowed()),
        "/always-deny" => Reply::Now(denied("this webhook denies all requests")),
        "/add-label" => Reply::Now(labelled(request)),
        "/pods" => pod(request),
        "/pods/attach" => Reply::Now(attaching(request)),
        "/mutating-pods" => Reply::Now(with_init_container(request)),
        "/configmaps" => Reply::Now(data(request, "configmap", "contains unwanted key and value")),
        "/custom-resource" => Reply::Now(data(request, "custom resource", "contains unwanted data")),
        "/mutating-configmaps" | "/mutating-custom-resource" => Reply::Now(next_stage(request)),
        "/crd" => Reply::Now(definition(request)),
        _ => Reply::NotFound,
    }
}

fn allowed() -> Json {
    json!({"allowed": true})
}

fn denied(message: &str) -> Json {
    json!({"allowed": false, "status": {"message": message}})
}

fn labelled(request: &Json) -> Json {
    let patch = match &request["object"]["metadata"]["labels"] {
        Json::Object(labels) if !labels.is_empty() => {
            json!([{"op": "add", "path": "/metadata/labels/added-label", "value": "yes"}])
        }
        _ => json!([{"op": "add", "path": "/metadata/labels", "value": {"added-label": "yes"}}]),
    };
    patched(&patch)
}

fn pod(request: &Json) -> Reply {
    let object = &request["object"];
    let label = &object["metadata"]["labels"][KEY];
    if label == "wait-forever" {
        return Reply::Never;
    }
    let mut why = Vec::new();
    if label == UNWANTED {
        why.push("the pod contains unwanted label");
    }
    let containers = object["spec"]["containers"].as_array().unwrap();
    if containers.iter().any(|container| container["name"].as_str().unwrap().contains(UNWANTED)) {
        why.push("the pod contains unwanted container name");
    }
    Reply::Now(if why.is_empty() { allowed() } else { denied(&why.join("; ")) })
}

/// With standard input, to one container of one pod.
fn attaching(request: &Json) -> Json {
    let (options, of) = (&request["object"], (&request["resource"]["resource"], &request["subResource"], &request["name"]));
    let is_meant = of == (&json!("pods"), &json!("attach"), &json!("to-be-attached-pod"))
        && options["kind"] == "PodAttachOptions"
        && options["stdin"] == true
        && options["container"] == "container1";
    if is_meant { denied("attaching to pod 'to-be-attached-pod' is not allowed") } else { allowed() }
}

fn with_init_container(request: &Json) -> Json {
    let object = &request["object"];
    if object["metadata"]["name"] != "webhook-to-be-mutated" || object["spec"]["initContainers"].is_array() {
        return allowed();
    }
    let container = json!({"image": "webhook-added-image", "name": "webhook-added-init-container", "resources": {}});
    patched(&json!([{"op": "add", "path": "/spec/initContainers", "value": [container]}]))
}

/// Nothing unwanted is written, and what says so is not deleted. The reason stands where upstream's stands: in `reason`.
fn data(request: &Json, what: &str, unwanted: &str) -> Json {
    let deleted = request["operation"] == "DELETE";
    let object = if deleted { &request["oldObject"] } else { &request["object"] };
    let reason = match (deleted, object["data"][KEY].as_str()) {
        (false, Some(UNWANTED)) => format!("the {what} {unwanted}"),
        (true, Some("webhook-nondeletable")) => {
            format!("the {what} cannot be deleted because it contains unwanted key and value")
        }
        _ => return allowed(),
    };
    json!({"allowed": false, "status": {"reason": reason}})
}

/// Each stage follows from the one before.
fn next_stage(request: &Json) -> Json {
    let data = &request["object"]["data"];
    let stage = match (&data["mutation-start"], &data["mutation-stage-1"]) {
        (_, stage) if stage == "yes" => 2,
        (start, _) if start == "yes" => 1,
        _ => return allowed(),
    };
    patched(&json!([{"op": "add", "path": format!("/data/mutation-stage-{stage}"), "value": "yes"}]))
}

fn definition(request: &Json) -> Json {
    match &request["object"]["metadata"]["labels"][KEY] {
        label if label == UNWANTED => denied("the crd contains unwanted label"),
        _ => allowed(),
    }
}
