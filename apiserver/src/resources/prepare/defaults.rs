//! Defaults of built-in types that depend on what else is there, beside those that `schemas/defaults.json` lists. Source:
//! `kubernetes/pkg/apis/{core,apps,batch,rbac}/v1/defaults.go`.

use base64::Engine as _;
use serde_json::{Map, Value as Json, json};

use crate::resources::resource::Resource;
use crate::resources::schema::Schema;

type Object = Map<String, Json>;

/// Puts what a struct lacks: what it always has, what depends on that, and what is assumed of the rest.
pub(super) fn complete(schema: &Schema, object: &mut Object) {
    // An empty text is what a text is in Go before anybody sets it; protobuf always sends it.
    let absent = |object: &Object, name: &str| object.get(name).is_none_or(|value| value.is_null() || value == "");
    for (name, field) in &schema.properties {
        if let Some(default) = field.default.as_ref().filter(|_| absent(object, name)) {
            object.insert(name.clone(), default.clone());
        }
    }
    if let Some(definition) = &schema.definition {
        conditional(definition, object);
    }
    for (name, field) in &schema.properties {
        if let Some(assumed) = field.assumed.as_ref().filter(|_| absent(object, name)) {
            object.insert(name.clone(), assumed.clone());
        }
    }
}

fn conditional(definition: &str, object: &mut Object) {
    match definition.strip_prefix("io.k8s.api.").unwrap_or_default() {
        "core.v1.Container" | "core.v1.EphemeralContainer" => pull_policy(object, "image", "imagePullPolicy"),
        "core.v1.ImageVolumeSource" => pull_policy(object, "reference", "pullPolicy"),
        "core.v1.Volume" => volume(object),
        "core.v1.PodSpec" => account(object),
        "core.v1.Pod" => pod(object),
        "core.v1.Namespace" => namespace(object),
        "core.v1.NodeStatus" => copy(object, "capacity", "allocatable"),
        "core.v1.Secret" => secret(object),
        "core.v1.ServicePort" => target_port(object),
        "core.v1.ServiceSpec" => service(object),
        "apps.v1.DeploymentStrategy" | "apps.v1.DaemonSetUpdateStrategy" => rolling_update(object),
        "apps.v1.StatefulSetSpec" => claims(object),
        "apps.v1.StatefulSetUpdateStrategy" => stateful_update(object),
        "batch.v1.Job" => job(object),
        "rbac.v1.Subject" => subject(object),
        _ if definition.ends_with(".v1.CustomResourceDefinitionSpec") => custom(object),
        _ => {}
    }
}

/// Before 1.16 the selector was taken from the template's labels.
pub(super) fn select_from_template(resource: &Resource, object: &mut Json) {
    if resource.group != "extensions" || object.pointer("/spec/selector").is_some_and(|selector| !selector.is_null()) {
        return;
    }
    let Some(labels) = object.pointer("/spec/template/metadata/labels").filter(|labels| labels.is_object()).cloned() else {
        return;
    };
    if let Some(spec) = object.pointer_mut("/spec").and_then(Json::as_object_mut) {
        spec.insert("selector".to_owned(), json!({ "matchLabels": labels }));
    }
}

// --- core ---

fn text<'a>(object: &'a Object, field: &str) -> &'a str {
    object.get(field).and_then(Json::as_str).unwrap_or_default()
}

fn put(object: &mut Object, field: &str, value: impl Into<Json>) {
    object.insert(field.to_owned(), value.into());
}

/// Puts a value where there is none, or an empty text.
fn assume(object: &mut Object, field: &str, value: impl Into<Json>) {
    if object.get(field).is_none_or(|value| value.is_null() || value == "") {
        put(object, field, value);
    }
}

fn copy(object: &mut Object, from: &str, to: &str) {
    if let Some(value) = object.get(from).filter(|value| !value.is_null()).cloned() {
        assume(object, to, value);
    }
}

fn pull_policy(object: &mut Object, image: &str, policy: &str) {
    let always = tag(text(object, image)) == "latest";
    assume(object, policy, if always { "Always" } else { "IfNotPresent" });
}

/// The tag of an image reference: `latest` where neither a tag nor a digest is.
fn tag(image: &str) -> &str {
    let (name, digest) = image.split_once('@').unwrap_or((image, ""));
    let last = name.rsplit('/').next().unwrap_or(name);
    match last.split_once(':') {
        Some((_, tag)) => tag,
        None if digest.is_empty() && !image.is_empty() => "latest",
        None => "",
    }
}

fn volume(object: &mut Object) {
    if object.keys().all(|name| name == "name") {
        put(object, "emptyDir", json!({}));
    }
}

/// The account has an old name, which follows the new one.
fn account(object: &mut Object) {
    copy(object, "serviceAccount", "serviceAccountName");
    let name = text(object, "serviceAccountName").to_owned();
    if !name.is_empty() {
        put(object, "serviceAccount", name);
    }
}

/// Requests default to limits, in pods but not in templates.
fn pod(object: &mut Object) {
    let Some(spec) = object.get_mut("spec").and_then(Json::as_object_mut) else { return };
    assume(spec, "enableServiceLinks", true);
    let host_network = spec.get("hostNetwork") == Some(&Json::Bool(true));
    for list in ["containers", "initContainers"] {
        for container in spec.get_mut(list).and_then(Json::as_array_mut).into_iter().flatten() {
            requests(container);
            if host_network {
                host_ports(container);
            }
        }
    }
}

fn requests(container: &mut Json) {
    let Some(resources) = container.pointer_mut("/resources").and_then(Json::as_object_mut) else { return };
    let Some(limits) = resources.get("limits").and_then(Json::as_object).cloned() else { return };
    if limits.is_empty() {
        return;
    }
    let requests = resources.entry("requests").or_insert_with(|| json!({}));
    if requests.is_null() {
        *requests = json!({});
    }
    if let Some(requests) = requests.as_object_mut() {
        for (name, limit) in limits {
            requests.entry(name).or_insert(limit);
        }
    }
}

fn host_ports(container: &mut Json) {
    let ports = container.pointer_mut("/ports").and_then(Json::as_array_mut);
    for port in ports.into_iter().flatten().filter_map(Json::as_object_mut) {
        if port.get("hostPort").is_none_or(|host| host == 0) {
            let inside = port.get("containerPort").cloned().unwrap_or_default();
            put(port, "hostPort", inside);
        }
    }
}

fn namespace(object: &mut Object) {
    let Some(metadata) = object.get_mut("metadata").and_then(Json::as_object_mut) else { return };
    let name = text(metadata, "name").to_owned();
    if name.is_empty() {
        return;
    }
    let labels = metadata.entry("labels").or_insert_with(|| json!({}));
    if labels.is_null() {
        *labels = json!({});
    }
    if let Some(labels) = labels.as_object_mut() {
        put(labels, "kubernetes.io/metadata.name", name);
    }
}

/// `stringData` is for writing only: it goes into `data`.
fn secret(object: &mut Object) {
    let Some(Json::Object(plain)) = object.remove("stringData") else { return };
    let data = object.entry("data").or_insert_with(|| json!({}));
    if data.is_null() {
        *data = json!({});
    }
    if let Some(data) = data.as_object_mut() {
        for (name, value) in plain {
            let encoded = base64::engine::general_purpose::STANDARD.encode(value.as_str().unwrap_or_default());
            put(data, &name, encoded);
        }
    }
}

fn target_port(object: &mut Object) {
    let port = object.get("port").cloned().unwrap_or_default();
    if object.get("targetPort").is_none_or(|target| target.is_null() || target == 0 || target == "") {
        put(object, "targetPort", port);
    }
}

fn service(object: &mut Object) {
    let kind = if text(object, "type").is_empty() { "ClusterIP" } else { text(object, "type") }.to_owned();
    match text(object, "sessionAffinity") {
        "ClientIP" => assume(object, "sessionAffinityConfig", json!({"clientIP": {"timeoutSeconds": 10800}})),
        "" | "None" => {
            object.remove("sessionAffinityConfig");
        }
        _ => {}
    }
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        assume(object, "externalTrafficPolicy", "Cluster");
    }
    if kind != "ExternalName" {
        assume(object, "internalTrafficPolicy", "Cluster");
    }
    if kind == "LoadBalancer" {
        assume(object, "allocateLoadBalancerNodePorts", true);
    }
}

// --- apps ---

fn rolling_update(object: &mut Object) {
    if matches!(text(object, "type"), "" | "RollingUpdate") {
        assume(object, "rollingUpdate", json!({}));
    }
}

fn stateful_update(object: &mut Object) {
    if text(object, "type").is_empty() {
        put(object, "type", "RollingUpdate");
        assume(object, "rollingUpdate", json!({}));
    }
}

/// Claims of a StatefulSet are whole objects.
fn claims(object: &mut Object) {
    let claims = object.get_mut("volumeClaimTemplates").and_then(Json::as_array_mut);
    for claim in claims.into_iter().flatten().filter_map(Json::as_object_mut) {
        put(claim, "apiVersion", "v1");
        put(claim, "kind", "PersistentVolumeClaim");
    }
}

// --- batch ---

/// Not for the templates of CronJobs.
fn job(object: &mut Object) {
    let spec = object.entry("spec").or_insert_with(|| json!({}));
    if let Some(spec) = spec.as_object_mut() {
        job_spec(spec);
    }
    let labels = object.get("spec").and_then(|spec| spec.pointer("/template/metadata/labels")).cloned();
    if let (Some(labels), Some(metadata)) = (labels, object.get_mut("metadata").and_then(Json::as_object_mut))
        && labels.is_object()
        && metadata.get("labels").and_then(Json::as_object).is_none_or(Map::is_empty)
    {
        put(metadata, "labels", labels);
    }
}

fn job_spec(object: &mut Object) {
    let given = |object: &Object, field: &str| object.get(field).is_some_and(|value| !value.is_null());
    if !given(object, "completions") && !given(object, "parallelism") {
        put(object, "completions", 1);
    }
    assume(object, "parallelism", 1);
    let indexed = given(object, "backoffLimitPerIndex");
    assume(object, "backoffLimit", if indexed { i32::MAX } else { 6 });
    assume(object, "completionMode", "NonIndexed");
    assume(object, "suspend", false);
    let replacement = if given(object, "podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    assume(object, "podReplacementPolicy", replacement);
    assume(object, "manualSelector", false);
}

// --- apiextensions ---

fn custom(object: &mut Object) {
    if let Some(names) = object.get_mut("names").and_then(Json::as_object_mut) {
        let kind = text(names, "kind").to_owned();
        if !kind.is_empty() {
            assume(names, "singular", kind.to_lowercase());
            assume(names, "listKind", format!("{kind}List"));
        }
    }
    assume(object, "conversion", json!({"strategy": "None"}));
}

// --- rbac ---

fn subject(object: &mut Object) {
    if matches!(text(object, "kind"), "User" | "Group") {
        assume(object, "apiGroup", "rbac.authorization.k8s.io");
    }
}
