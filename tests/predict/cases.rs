//! What is tried: a request, and configurations of hooks, as proptest makes them.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value as Json, json};

/// Where nothing but markers is.
pub(crate) const MARKERS: &str = "predict-markers";
/// Of every object.
pub(crate) const NAME: &str = "predict-object";
/// Namespaces and their labels.
pub(crate) const NAMESPACES: [(&str, &str); 3] = [("predict-a", "gold"), ("predict-b", "silver"), ("predict-c", "")];

/// One request among some hooks.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) operation: &'static str,
    pub(crate) resource: Resource,
    pub(crate) namespace: &'static str,
    /// As it is stored; of updates and deletes.
    pub(crate) old: Json,
    /// As it is sent.
    pub(crate) object: Json,
    pub(crate) user: &'static str,
    pub(crate) configurations: Vec<Configuration>,
}

/// A kind, and the version that is asked in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) api_version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) plural: &'static str,
}

/// A configuration of hooks, without the addresses that the driver gives them.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    pub(crate) mutating: bool,
    pub(crate) hooks: Vec<Hook>,
}

/// A hook.
#[derive(Clone, Debug)]
pub(crate) struct Hook {
    pub(crate) spec: Json,
    /// Whether it changes what it is asked about.
    pub(crate) patches: bool,
}

const RESOURCES: [Resource; 4] = [
    Resource { api_version: "v1", kind: "ConfigMap", plural: "configmaps" },
    Resource { api_version: "apps/v1", kind: "Deployment", plural: "deployments" },
    Resource { api_version: "example.com/v1", kind: "Widget", plural: "widgets" },
    Resource { api_version: "example.com/v1beta1", kind: "Widget", plural: "widgets" },
];

/// Conditions that need no more than the request and what is written.
const PLAIN: [&str; 9] = [
    "request.operation != 'DELETE'",
    "request.userInfo.username == 'alice'",
    "request.namespace == 'predict-a'",
    "request.name.startsWith('predict')",
    "request.resource.resource == 'widgets' || request.kind.kind == 'Deployment'",
    "!request.dryRun",
    "oldObject == null",
    "request.requestResource.version == 'v1'",
    "'system:masters' in request.userInfo.groups",
];

/// Conditions on the object, some of which need more than is written.
const ON_OBJECT: [&str; 9] = [
    "object == null || object.metadata.name != 'other'",
    "has(object.metadata.labels) && 'tier' in object.metadata.labels && object.metadata.labels.tier == 'web'",
    "object.metadata.labels.tier == 'web'",
    "object.spec.replicas > 2",
    "has(object.spec.mode) && object.spec.mode == 'fast'",
    "object.data.all(key, key.startsWith('k'))",
    "object.metadata.?annotations.orValue({}).size() > 0",
    "oldObject != null && oldObject.metadata.namespace == 'predict-b'",
    "object.spec.template.spec.containers.all(c, c.image.startsWith('registry'))",
];

/// A request among one to three configurations.
pub(crate) fn case() -> impl Strategy<Value = Case> {
    let request = (select(RESOURCES.to_vec()), select(vec!["create", "create", "update", "delete"]), select(NAMESPACES.to_vec()));
    let objects = (body(), body());
    let configurations = prop::collection::vec(configuration(), 1..4);
    (request, objects, select(vec!["alice", "bob"]), configurations).prop_map(
        |(request, (old, new), user, mut configurations)| {
            let (resource, operation, (namespace, _)) = request;
            // What is deleted has no new state to change: a patch ends the request.
            let hooks = configurations.iter_mut().flat_map(|configuration| &mut configuration.hooks);
            hooks.for_each(|hook| hook.patches &= operation != "delete");
            let (old, object) = (object(resource, namespace, &old), object(resource, namespace, &new));
            Case { operation, resource, namespace, old, object, user, configurations }
        },
    )
}

/// What differs between objects: labels, annotations, a number, a mode.
type Body = (Vec<(&'static str, &'static str)>, bool, Option<u8>, Option<&'static str>);

fn body() -> impl Strategy<Value = Body> {
    let labels = subsequence(vec![("app", "shop"), ("tier", "web"), ("empty", "")], 0..=3);
    (labels, any::<bool>(), prop::option::of(1..5_u8), prop::option::of(select(vec!["fast", "safe"])))
}

fn object(resource: Resource, namespace: &str, (labels, annotated, number, mode): &Body) -> Json {
    let mut metadata = json!({"name": NAME, "namespace": namespace});
    if !labels.is_empty() {
        metadata["labels"] = labels.iter().map(|(key, value)| ((*key).to_owned(), Json::from(*value))).collect();
    }
    if *annotated {
        metadata["annotations"] = json!({"example.com/note": "yes"});
    }
    let mut object = json!({"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata});
    match resource.kind {
        "ConfigMap" => object["data"] = json!({"key": mode.unwrap_or("none"), "other": "x"}),
        "Deployment" => {
            object["spec"] = json!({
                "selector": {"matchLabels": {"app": "x"}},
                "template": {
                    "metadata": {"labels": {"app": "x"}},
                    "spec": {"containers": [{"name": "c", "image": "registry.example.com/c"}]},
                },
            });
        }
        _ => object["spec"] = json!({"size": 1}),
    }
    if let Some(number) = number.filter(|_| resource.kind != "ConfigMap") {
        object["spec"]["replicas"] = number.into();
    }
    if let Some(mode) = mode.filter(|_| resource.kind == "Widget") {
        object["spec"]["mode"] = mode.into();
    }
    object
}

fn configuration() -> impl Strategy<Value = Configuration> {
    (any::<bool>(), prop::collection::vec(hook(), 1..4)).prop_map(|(mutating, mut hooks)| {
        for hook in &mut hooks {
            hook.patches &= mutating;
            if mutating && hook.patches {
                hook.spec["reinvocationPolicy"] = "IfNeeded".into();
            }
        }
        Configuration { mutating, hooks }
    })
}

fn hook() -> impl Strategy<Value = Hook> {
    let policies = (select(vec!["Equivalent", "Equivalent", "Exact"]), select(vec!["Fail", "Ignore", "Ignore", "Ignore"]));
    let selectors = (namespace_selector(), object_selector());
    (prop::collection::vec(rule(), 1..3), policies, selectors, conditions(), prop::bool::weighted(0.1)).prop_map(
        |(rules, (matched, failure), (namespaces, objects), conditions, patches)| Hook {
            spec: json!({
                "rules": rules, "matchPolicy": matched, "failurePolicy": failure, "namespaceSelector": namespaces,
                "objectSelector": objects, "matchConditions": conditions, "sideEffects": "None", "admissionReviewVersions": ["v1"],
            }),
            patches,
        },
    )
}

fn rule() -> impl Strategy<Value = Json> {
    let operations =
        select(vec![json!(["*"]), json!(["*"]), json!(["*"]), json!(["CREATE"]), json!(["CREATE", "UPDATE"]), json!(["DELETE"])]);
    let all = (json!(["", "apps", "example.com"]), json!(["configmaps", "deployments", "widgets"]));
    let resources = select(vec![
        all.clone(),
        all,
        (json!(["*"]), json!(["*"])),
        (json!(["*"]), json!(["*"])),
        (json!(["*"]), json!(["*/*"])),
        (json!([""]), json!(["configmaps"])),
        (json!(["apps"]), json!(["deployments", "deployments/scale"])),
        (json!(["example.com"]), json!(["*"])),
        (json!(["apps"]), json!(["deployments/scale"])),
    ]);
    let versions = select(vec!["v1", "*", "*", "v1beta1"]);
    (operations, resources, versions, select(vec!["*", "*", "*", "*", "Namespaced", "Cluster"])).prop_map(
        |(operations, (groups, resources), version, scope)| {
            json!({"operations": operations, "apiGroups": groups, "apiVersions": [version], "resources": resources, "scope": scope})
        },
    )
}

/// Never the markers' namespace.
fn namespace_selector() -> impl Strategy<Value = Json> {
    let expressions = select(vec![
        json!([]),
        json!([{"key": "class", "operator": "In", "values": ["gold"]}]),
        json!([{"key": "class", "operator": "Exists"}]),
        json!([{"key": "class", "operator": "NotIn", "values": ["silver"]}]),
        json!([]),
        json!([]),
        json!([]),
    ]);
    expressions.prop_map(|mut expressions| {
        let markers = json!({"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": [MARKERS]});
        expressions.as_array_mut().unwrap().push(markers);
        json!({"matchExpressions": expressions})
    })
}

fn object_selector() -> impl Strategy<Value = Json> {
    select(vec![
        json!({}),
        json!({}),
        json!({}),
        json!({}),
        json!({"matchLabels": {"tier": "web"}}),
        json!({"matchExpressions": [{"key": "app", "operator": "Exists"}]}),
        json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["shop"]}]}),
    ])
}

/// Mostly none, or such as can be told.
fn conditions() -> impl Strategy<Value = Json> {
    let texts = prop_oneof![
        7 => Just(Vec::new()),
        4 => subsequence(PLAIN.to_vec(), 1..=2),
        2 => subsequence(ON_OBJECT.to_vec(), 1..=1),
        1 => (select(PLAIN.to_vec()), select(ON_OBJECT.to_vec())).prop_map(|(a, b)| vec![a, b]),
    ];
    texts.prop_map(|texts| {
        texts.iter().enumerate().map(|(at, text)| json!({"name": format!("c{at}"), "expression": text})).collect()
    })
}
