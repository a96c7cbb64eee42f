//! The outcome table: one object, three ways to ask, one answer.

use serde_json::{Value as Json, json};

use super::review::{Reviewer, review_v1};
use super::support::{Engine, replica_set};

/// Decides by the object's name.
pub(crate) const BY_NAME: &str = r#"package kubernetes.placement

annotations["example.com/where"] := "eu" if input.metadata.name == "placed"

annotations["example.com/many"] := {"b": 1, "a": [true]} if input.metadata.name == "placed"

placement := {"clusters": {}} if input.metadata.name == "nowhere"

errors contains "not here" if input.metadata.name == "denied"

errors contains "nor there" if input.metadata.name == "denied"

placement := {"clusters": {"a": {"weight": 0.5}}} if input.metadata.name == "invalid"

annotations["example.com/where"] := "us" if input.metadata.name == "failed"

annotations["example.com/where"] := "eu" if input.metadata.name == "failed"
"#;

/// What `BY_NAME` needs.
pub(crate) const KEYS: &str = "--annotation-keys=example.com/where,example.com/many";

async fn all_three(reviewer: &Reviewer, object: &Json) -> [(u16, Json); 3] {
    let engine = &reviewer.engine;
    let v0 = engine.ask("POST", "/v0/data/kubernetes/placement", object.to_string()).await;
    let v1 = engine.ask("POST", "/v1/data/kubernetes/placement", json!({"input": object}).to_string()).await;
    let review = reviewer.ask("/mutate", &review_v1("CREATE", object, &Json::Null)).await;
    [v0, v1, review].map(|answer| (answer.status, answer.json()))
}

#[tokio::test]
async fn every_outcome_is_answered_as_the_table_says() {
    let reviewer = Reviewer::start(&[("p.rego", BY_NAME)], &[KEYS]);

    let [v0, v1, review] = all_three(&reviewer, &replica_set("placed")).await;
    let annotation = |key: &str| v0.1["annotations"][key].as_str().unwrap_or_default();
    assert_eq!((v0.0, annotation("example.com/where")), (200, "eu"), "{v0:?}");
    assert_eq!(annotation("example.com/many"), r#"{"a":[true],"b":1}"#);
    assert_eq!((v1.0, &v1.1["result"]), (200, &v0.1));
    assert_eq!((review.0, &review.1["response"]["allowed"]), (200, &json!(true)));
    assert_eq!(review.1["response"]["patchType"], "JSONPatch");

    let [v0, v1, review] = all_three(&reviewer, &replica_set("other")).await;
    assert_eq!((v0.0, v1.0), (200, 200));
    assert_eq!(v0.1["errors"], json!([]));
    assert_eq!((&review.1["response"]["allowed"], review.1["response"].get("patch")), (&json!(true), None));

    let [v0, _, review] = all_three(&reviewer, &replica_set("nowhere")).await;
    let key = "federation.kubernetes.io/replica-set-preferences";
    assert!(v0.1["annotations"][key].as_str().unwrap().contains(r#""clusters":{}"#), "{v0:?}");
    assert_eq!(review.1["response"]["allowed"], true);
    assert!(review.1["response"]["warnings"][0].as_str().unwrap().contains("nowhere"), "{review:?}");

    let [v0, v1, review] = all_three(&reviewer, &replica_set("denied")).await;
    assert_eq!((v0.0, &v0.1["errors"]), (200, &json!(["nor there", "not here"])));
    assert_eq!((v1.0, &v1.1["result"]["errors"], v0.1.get("annotations")), (200, &v0.1["errors"], None));
    assert_eq!(review.1["response"]["status"]["code"], 403);
    assert_eq!(review.1["response"]["status"]["message"], "reason(s): nor there; not here");

    let [v0, _, review] = all_three(&reviewer, &replica_set("invalid")).await;
    let message = v0.1["errors"][0].as_str().unwrap();
    assert!(message.contains("0.5") && message.contains("p.rego"), "{message}");
    assert_eq!((v0.0, v0.1.get("annotations")), (200, None), "{v0:?}");
    assert_eq!(review.1["response"]["status"]["code"], 403);

    let [v0, v1, review] = all_three(&reviewer, &replica_set("failed")).await;
    assert_eq!((v0.0, v1.0, &v0.1["code"]), (500, 500, &json!("internal_error")));
    assert_eq!((review.0, &review.1["response"]["status"]["code"]), (200, &json!(500)));
}

#[tokio::test]
async fn t01_unarmed_and_exempt_are_let_through_untouched() {
    let reviewer = Reviewer::start(&[("p.rego", BY_NAME)], &[KEYS, "--exempt-namespace=own"]);
    let mut exempt = replica_set("denied");
    for namespace in ["kube-system", "own"] {
        exempt["metadata"]["namespace"] = namespace.into();
        let [v0, v1, review] = all_three(&reviewer, &exempt).await;
        assert_eq!((v0, v1), ((200, json!({})), (200, json!({"result": {}}))));
        assert_eq!((&review.1["response"]["allowed"], review.1["response"].get("patch")), (&json!(true), None));
    }
    let unarmed = Reviewer::start(&[("p.rego", "package something.other\nx := 1\n")], &[]);
    let [v0, v1, review] = all_three(&unarmed, &replica_set("denied")).await;
    assert_eq!((v0, v1), ((200, json!({})), (200, json!({"result": {}}))));
    assert_eq!(review.1["response"]["allowed"], true);
}

#[tokio::test]
async fn t03_what_a_source_exempts_for_its_kinds_is_let_through_as_soon_as_it_is_declared() {
    let reviewer = Reviewer::start(&[("p.rego", BY_NAME)], &[KEYS]);
    let mut object = replica_set("denied");
    object["metadata"]["namespace"] = "cilium".into();
    let declare = async |kind: &str, exempt: Json| {
        let kinds = json!([{"gvr": format!("apps/v1/{}s", kind.to_lowercase()), "kind": kind, "place": true, "required": false}]);
        let body = json!({"kinds": kinds, "exemptNamespaces": exempt}).to_string();
        let answer = reviewer.engine.ask("PUT", "/plimsoll/v1/sources/one", body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    };
    for (kind, exempt, expected) in [
        ("ReplicaSet", json!(["cert-manager", "cilium"]), true),
        ("ReplicaSet", json!(["cert-manager"]), false),
        ("Deployment", json!(["cilium"]), false),
    ] {
        declare(kind, exempt.clone()).await;
        let [v0, v1, review] = all_three(&reviewer, &object).await;
        let found = (v0.1 == json!({}), v1.1 == json!({"result": {}}), review.1["response"]["allowed"] == true);
        assert_eq!(found, (expected, expected, expected), "{kind} {exempt}: {v0:?}");
    }
}

#[tokio::test]
async fn t02_nothing_is_decided_before_everything_is_loaded() {
    let reviewer = Reviewer::start(&[("p.rego", BY_NAME)], &[KEYS, "--require-source=fleet"]);
    let [v0, v1, review] = all_three(&reviewer, &replica_set("placed")).await;
    assert_eq!((v0.0, v1.0, review.0), (503, 503, 503));
    assert_eq!((&v0.1["code"], &review.1["kind"]), (&json!("not_ready"), &json!("Status")));
    let ready = reviewer.engine.get("/health/ready").await;
    assert!(ready.status == 500 && ready.text.contains("fleet"), "{ready:?}");
    let missing = tempfile::tempdir().unwrap();
    let option = format!("--policies={}", missing.path().join("gone").display());
    let engine = super::support::bare(&[&option]);
    let v0 = engine.ask("POST", "/v0/data/kubernetes/placement", replica_set("placed").to_string()).await;
    assert_eq!(v0.status, 503, "{v0:?}");
}

#[tokio::test]
async fn an_undefined_rule_is_no_empty_decision() {
    let policy = "package kubernetes.placement\nmaybe := {\"annotations\": {}} if input.metadata.name == \"x\"\n";
    let reviewer = Reviewer::start(&[("p.rego", policy)], &["--placement-path=kubernetes/placement/maybe"]);
    let object = replica_set("y");
    let v0 = reviewer.engine.ask("POST", "/v0/data/kubernetes/placement/maybe", object.to_string()).await;
    let v1 = reviewer.engine.ask("POST", "/v1/data/kubernetes/placement/maybe", json!({"input": object}).to_string()).await;
    let review = reviewer.ask("/mutate", &review_v1("CREATE", &object, &Json::Null)).await.json();
    assert_eq!((v0.status, &v0.json()["code"]), (404, &json!("undefined_document")));
    assert_eq!((v1.status, v1.json()), (200, json!({})));
    assert_eq!(review["response"]["status"]["message"], "policy decision is undefined");
}

#[tokio::test]
async fn other_questions_at_the_placement_path_are_plain_opa() {
    let engine: Engine = super::support::engine(&[("p.rego", BY_NAME)], &[KEYS]);
    let plain = |body: &Json| body["annotations"]["example.com/many"].is_object();
    let raw = engine.ask("POST", "/v0/data/kubernetes/placement?raw", replica_set("placed").to_string()).await.json();
    assert!(plain(&raw), "values are as policy wrote them: {raw}");
    let no_object = json!({"metadata": {"name": "placed"}}).to_string();
    let no_object = engine.ask("POST", "/v0/data/kubernetes/placement", no_object).await.json();
    assert!(plain(&no_object), "{no_object}");
    let rule = engine.ask("POST", "/v0/data/kubernetes/placement/errors", replica_set("denied").to_string()).await.json();
    assert_eq!(rule, json!(["nor there", "not here"]));
    let decided = engine.ask("POST", "/v0/data/kubernetes/placement", replica_set("placed").to_string()).await.json();
    assert!(!plain(&decided), "{decided}");
}
