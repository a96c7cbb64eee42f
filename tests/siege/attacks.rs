//! What a besieger sends: each case by its name, its endpoint, and how much of it is sent.

use super::chance::Chance;

/// One request.
#[derive(Clone, Debug)]
pub(super) struct Attack {
    pub(super) name: &'static str,
    /// `api`, `review` or `diagnostic`.
    pub(super) listener: Listener,
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) kind: &'static str,
    pub(super) body: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listener {
    Api,
    Review,
    Diagnostic,
}

type Shape = (&'static str, &'static str, fn() -> Vec<u8>);

/// Name, media type, body.
const SHAPES: [Shape; 13] = [
    ("huge text", JSON, || format!("{{\"input\":\"{}\"}}", "x".repeat(7 << 20)).into_bytes()),
    ("huge of nodes", JSON, || format!("{{\"input\":[{}0]}}", "{\"a\":0},".repeat(100_000)).into_bytes()),
    ("too huge", JSON, || vec![b' '; 9 << 20]),
    ("deep", JSON, || format!("{}{}", "[".repeat(50_000), "]".repeat(50_000)).into_bytes()),
    ("deep objects", JSON, || format!("{}0{}", "{\"a\":".repeat(120), "}".repeat(120)).into_bytes()),
    ("amplifying YAML", YAML, || laughs(9).into_bytes()),
    ("huge number", JSON, || br#"{"input":1e999999999}"#.to_vec()),
    ("looping query", JSON, || {
        query("count([1 | some i in numbers.range(1, 3000); some j in numbers.range(1, 3000); i * j == 7])")
    }),
    ("doubling query", JSON, || query(&doubled("count(json.marshal(a40)) > 0"))),
    ("wide sprintf", JSON, || query("sprintf(\"%1000000000d\", [1])")),
    ("large powers", JSON, || query("x := bits.lsh(1, 1000000000)")),
    ("nested policy", TEXT, || format!("package siege.deep\nx := {}", "[".repeat(14)).into_bytes()),
    ("review", JSON, || review("x".repeat(2 << 20).as_str()).into_bytes()),
];

const JSON: &str = "application/json";
const YAML: &str = "application/x-yaml";
const TEXT: &str = "text/plain";

type Endpoint = (Listener, &'static str, &'static str);

/// Every endpoint that reads a body, and some that read none.
const ENDPOINTS: [Endpoint; 18] = [
    (Listener::Api, "POST", "/"),
    (Listener::Api, "POST", "/v0/data/kubernetes/placement"),
    (Listener::Api, "POST", "/v1/data/kubernetes/placement"),
    (Listener::Api, "POST", "/v1/data/siege"),
    (Listener::Api, "PUT", "/v1/data/siege/data"),
    (Listener::Api, "PATCH", "/v1/data/siege/data"),
    (Listener::Api, "DELETE", "/v1/data/siege/data"),
    (Listener::Api, "POST", "/v1/query"),
    (Listener::Api, "POST", "/v1/compile"),
    (Listener::Api, "PUT", "/v1/policies/siege/a"),
    (Listener::Api, "GET", "/v1/policies"),
    (Listener::Api, "PUT", "/plimsoll/v1/sources/siege"),
    (Listener::Api, "POST", "/plimsoll/v1/sources/siege/sync"),
    (Listener::Api, "GET", "/plimsoll/v1/placements"),
    (Listener::Review, "POST", "/mutate"),
    (Listener::Review, "POST", "/validate"),
    (Listener::Diagnostic, "GET", "/metrics"),
    (Listener::Diagnostic, "POST", "/health/ready"),
];

/// Any shape at any endpoint.
pub(super) fn any(chance: &mut Chance) -> Attack {
    let (name, kind, body) = SHAPES[chance.below(SHAPES.len())];
    let (listener, method, path) = match name {
        // Elsewhere it is only a body that is no JSON.
        _ if name.contains("query") || kind != JSON && chance.one_in(2) => at_home(name),
        "wide sprintf" | "large powers" => at_home("query"),
        _ => ENDPOINTS[chance.below(ENDPOINTS.len())],
    };
    Attack { name, listener, method, path, kind, body: body() }
}

fn at_home(name: &str) -> Endpoint {
    match name {
        "nested policy" => (Listener::Api, "PUT", "/v1/policies/siege/nested"),
        "amplifying YAML" => (Listener::Api, "POST", "/v1/data/siege"),
        _ => (Listener::Api, "POST", "/v1/query"),
    }
}

fn query(text: &str) -> Vec<u8> {
    serde_json::json!({ "query": text }).to_string().into_bytes()
}

/// `a40` is an array of 2^40 zeros, in 40 arrays of two.
fn doubled(last: &str) -> String {
    let step = |n: usize| format!("a{} := [a{n}, a{n}]; ", n + 1);
    format!("a0 := [0]; {}{last}", (0..40).map(step).collect::<String>())
}

/// Anchors of which each has the one before nine times.
fn laughs(levels: usize) -> String {
    let level = |n: usize| format!("a{}: &a{} [{}]\n", n + 1, n + 1, vec![format!("*a{n}"); 9].join(", "));
    format!("a0: &a0 [lol]\n{}", (0..levels).map(level).collect::<String>())
}

fn review(text: &str) -> String {
    let object = serde_json::json!({"apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {"name": "siege", "namespace": "siege", "annotations": {"requires-pci": "true", "text": text}}});
    let request = serde_json::json!({"uid": "1", "operation": "CREATE", "namespace": "siege", "name": "siege",
        "kind": {"group": "apps", "version": "v1", "kind": "ReplicaSet"},
        "resource": {"group": "apps", "version": "v1", "resource": "replicasets"},
        "userInfo": {"username": "siege"}, "object": object});
    serde_json::json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}).to_string()
}
