//! AdmissionReview over TLS, in all versions.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::{Certificate, Client};
use serde_json::{Value as Json, json};

use super::authority::Authority;
use super::decisions::{BY_NAME, KEYS};
use super::support::{Answer, Engine, client, replica_set, start};

/// An engine with a review listener, and a client that trusts it.
pub(crate) struct Reviewer {
    pub(crate) engine: Engine,
    client: Client,
    url: String,
}

impl Reviewer {
    pub(crate) fn start(policies: &[(&str, &str)], args: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::new();
        authority.issue(dir.path(), "review");
        std::fs::create_dir(dir.path().join("policies")).unwrap();
        for (name, text) in policies {
            std::fs::write(dir.path().join("policies").join(name), text).unwrap();
        }
        let at = |name: &str| dir.path().join(name).display().to_string();
        let own = [
            format!("--policies={}", at("policies")),
            "--review-addr=127.0.0.1:0".to_owned(),
            format!("--review-cert-file={}", at("review.crt")),
            format!("--review-key-file={}", at("review.key")),
        ];
        let all: Vec<&str> = own.iter().map(String::as_str).chain(args.iter().copied()).collect();
        let engine = start(dir, &all);
        let root = Certificate::from_pem(authority.pem().as_bytes()).unwrap();
        let client = client().tls_certs_only([root]).build().unwrap();
        let url = engine.review.clone().unwrap().replace("127.0.0.1", "localhost");
        Self { engine, client, url }
    }

    pub(crate) async fn ask(&self, path: &str, review: &Json) -> Answer {
        self.send(path, review.to_string()).await
    }

    pub(crate) fn request(&self, path: &str) -> reqwest::RequestBuilder {
        self.client.post(format!("{}{path}", self.url))
    }

    pub(crate) async fn send(&self, path: &str, body: String) -> Answer {
        Answer::of(self.request(path).body(body).send().await.unwrap()).await
    }

    /// As a web page of `origin` would.
    pub(crate) async fn send_as(&self, path: &str, origin: &str) -> Answer {
        let request = self.client.post(format!("{}{path}", self.url)).header("origin", origin).body("{}");
        Answer::of(request.send().await.unwrap()).await
    }

    /// What the API server would store.
    async fn admitted(&self, object: &Json) -> Json {
        let answer = self.ask("/mutate", &review_v1("CREATE", object, &Json::Null)).await.json();
        apply(object, &answer["response"])
    }
}

pub(crate) fn apply(object: &Json, response: &Json) -> Json {
    assert_eq!(response["allowed"], true, "{response}");
    let mut object = object.clone();
    if let Some(patch) = response["patch"].as_str() {
        let patch: json_patch::Patch = serde_json::from_slice(&BASE64_STANDARD.decode(patch).unwrap()).unwrap();
        json_patch::patch(&mut object, &patch).unwrap();
    }
    object
}

pub(crate) fn review_v1(operation: &str, object: &Json, old: &Json) -> Json {
    json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request(operation, object, old)})
}

fn request(operation: &str, object: &Json, old: &Json) -> Json {
    json!({
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
        "kind": {"group": "apps", "version": "v1", "kind": "ReplicaSet"},
        "resource": {"group": "apps", "version": "v1", "resource": "replicasets"},
        "operation": operation, "namespace": object["metadata"]["namespace"].as_str().unwrap_or("shop"), "name": "x",
        "object": object, "oldObject": old, "dryRun": false,
        "userInfo": {"username": "ann"}, "options": null,
    })
}

#[tokio::test]
async fn each_version_is_answered_in_its_own_form() {
    let reviewer = Reviewer::start(&[("p.rego", BY_NAME)], &[KEYS]);
    for version in ["v1", "v1beta1"] {
        let mut review = review_v1("CREATE", &replica_set("placed"), &Json::Null);
        review["apiVersion"] = format!("admission.k8s.io/{version}").into();
        let answer = reviewer.ask("/mutate", &review).await.json();
        assert_eq!((&answer["kind"], &answer["apiVersion"]), (&json!("AdmissionReview"), &review["apiVersion"]));
        assert_eq!(answer["response"]["uid"], review["request"]["uid"]);
        let stored = apply(&replica_set("placed"), &answer["response"]);
        assert_eq!(stored["metadata"]["annotations"]["example.com/where"], "eu");
        assert_eq!(answer["response"]["auditAnnotations"]["outcome"], "place");
    }
    let alpha = |name: &str| {
        let spec = request("CREATE", &replica_set(name), &Json::Null);
        json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1alpha1", "spec": spec})
    };
    let placed = reviewer.ask("/mutate", &alpha("placed")).await.json();
    assert_eq!(placed["status"], json!({"allowed": true}), "no patch: the sidecar writes");
    let denied = reviewer.ask("/mutate", &alpha("denied")).await.json();
    assert_eq!((&denied["status"]["allowed"], &denied["status"]["status"]["code"]), (&json!(false), &json!(403)));
}

#[tokio::test]
async fn what_is_no_review_is_a_bad_request() {
    let reviewer = Reviewer::start(&[("p.rego", BY_NAME)], &[KEYS]);
    let mut wrong_version = review_v1("CREATE", &replica_set("x"), &Json::Null);
    wrong_version["apiVersion"] = "admission.k8s.io/v2".into();
    let mut wrong_kind = review_v1("CREATE", &replica_set("x"), &Json::Null);
    wrong_kind["kind"] = "Pod".into();
    let no_request = json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1"});
    for body in [wrong_version.to_string(), wrong_kind.to_string(), no_request.to_string(), "{".into(), String::new()] {
        for path in ["/mutate", "/validate"] {
            let answer = reviewer.send(path, body.clone()).await;
            assert_eq!((answer.status, &answer.json()["kind"]), (400, &json!("Status")), "{body}");
        }
    }
    let review = review_v1("CREATE", &replica_set("x"), &Json::Null);
    assert_eq!(reviewer.ask("/mutate?timeout=abc", &review).await.status, 400);
    assert_eq!(reviewer.ask("/mutate?timeout=5s", &review).await.status, 200);
    assert_eq!(reviewer.ask("/v1/data", &review).await.status, 404, "reviews only");
    let get = reviewer.client.get(format!("{}/mutate", reviewer.url)).send().await.unwrap();
    assert_eq!(get.status(), 405);
}

#[tokio::test]
async fn an_existing_object_is_never_trapped() {
    let reviewer = Reviewer::start(&[("p.rego", BY_NAME)], &[KEYS]);
    let mut old = replica_set("denied");
    old["metadata"]["finalizers"] = json!(["example.com/f"]);
    let changed = |pointer: &str, value: Json| {
        let mut new = old.clone();
        *new.pointer_mut(pointer).unwrap() = value;
        new
    };
    let unfinalized = review_v1("UPDATE", &changed("/metadata/finalizers", json!([])), &old);
    let deleted = review_v1("DELETE", &Json::Null, &old);
    let mut scaled = review_v1("UPDATE", &json!({"kind": "Scale"}), &json!({"kind": "Scale"}));
    scaled["request"]["subResource"] = "scale".into();
    let mut terminating = old.clone();
    terminating["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    let terminated = review_v1("UPDATE", &changed("/spec/replicas", json!(1)), &terminating);
    for review in [unfinalized, deleted, scaled, terminated] {
        for path in ["/mutate", "/validate"] {
            let response = &reviewer.ask(path, &review).await.json()["response"];
            assert_eq!((&response["allowed"], response.get("patch")), (&json!(true), None), "{review}");
        }
    }
    let respecified = review_v1("UPDATE", &changed("/spec/replicas", json!(1)), &old);
    assert_eq!(reviewer.ask("/mutate", &respecified).await.json()["response"]["allowed"], false);
}

#[tokio::test]
async fn t04_a_second_review_of_an_admitted_object_changes_nothing() {
    let reviewer = Reviewer::start(&[("p.rego", BY_NAME)], &[KEYS]);
    let stored = reviewer.admitted(&replica_set("placed")).await;
    assert!(stored["metadata"]["annotations"]["plimsoll.io/applied"].is_string(), "{stored}");
    let mut old = stored.clone();
    old["metadata"]["annotations"] = json!({});
    for review in [review_v1("CREATE", &stored, &Json::Null), review_v1("UPDATE", &stored, &old)] {
        let response = &reviewer.ask("/mutate", &review).await.json()["response"];
        assert_eq!((&response["allowed"], response.get("patch")), (&json!(true), None));
    }
}

#[tokio::test]
async fn the_validating_endpoint_denies_what_is_not_as_decided() {
    let reviewer = Reviewer::start(&[("p.rego", BY_NAME)], &[KEYS]);
    let stored = reviewer.admitted(&replica_set("placed")).await;
    let verdict = async |object: &Json, version: &str| {
        let mut review = review_v1("CREATE", object, &Json::Null);
        review["apiVersion"] = format!("admission.k8s.io/{version}").into();
        if version == "v1alpha1" {
            review["spec"] = review["request"].take();
        }
        reviewer.ask("/validate", &review).await.json()
    };
    for version in ["v1", "v1beta1"] {
        let good = verdict(&stored, version).await;
        assert_eq!((&good["response"]["allowed"], good["response"].get("patch")), (&json!(true), None), "{good}");
    }
    assert_eq!(verdict(&stored, "v1alpha1").await["status"]["allowed"], true);
    let mut other = stored.clone();
    other["metadata"]["annotations"]["example.com/where"] = "us".into();
    let bad = verdict(&other, "v1").await;
    let message = bad["response"]["status"]["message"].as_str().unwrap();
    for part in ["example.com/where", "`eu`", "`us`", "another webhook"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(verdict(&other, "v1alpha1").await["status"]["allowed"], false);
    let unplaced = verdict(&replica_set("placed"), "v1").await;
    assert_eq!(unplaced["response"]["allowed"], false, "the mutating webhook was not asked: {unplaced}");
}

/// Their configurations name a Service and no path.
#[tokio::test]
async fn hooks_of_v1alpha1_find_the_validating_endpoint_without_a_path() {
    let reviewer = Reviewer::start(&[("p.rego", BY_NAME)], &[KEYS]);
    let stored = reviewer.admitted(&replica_set("placed")).await;
    for (object, allowed) in [(&stored, true), (&replica_set("placed"), false), (&replica_set("denied"), false)] {
        let spec = request("CREATE", object, &Json::Null);
        let review = json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1alpha1", "spec": spec});
        let answer = reviewer.ask("/?timeout=30s", &review).await.json();
        assert_eq!(answer["status"]["allowed"], allowed, "{answer}");
    }
    for version in ["v1", "v1beta1"] {
        let mut review = review_v1("CREATE", &stored, &Json::Null);
        review["apiVersion"] = format!("admission.k8s.io/{version}").into();
        let answer = reviewer.ask("/", &review).await;
        assert_eq!(answer.status, 400, "a later webhook without a path is configured wrongly");
        assert!(answer.json()["message"].as_str().unwrap().contains("/mutate or /validate"), "{:?}", answer.json());
    }
    let get = reviewer.client.get(format!("{}/", reviewer.url)).send().await.unwrap();
    assert_eq!(get.status(), 405);
}

#[tokio::test]
async fn the_namespace_comes_from_the_request_when_the_object_has_none() {
    let policy = "package kubernetes.placement\nerrors contains input.metadata.namespace\n";
    let reviewer = Reviewer::start(&[("p.rego", policy)], &[]);
    let mut object = replica_set("x");
    object["metadata"].as_object_mut().unwrap().remove("namespace");
    let response = reviewer.ask("/mutate", &review_v1("CREATE", &object, &Json::Null)).await.json();
    assert_eq!(response["response"]["status"]["message"], "reason(s): shop");
}

#[tokio::test]
async fn bodies_and_depth_are_bounded() {
    let reviewer = Reviewer::start(&[("p.rego", BY_NAME)], &[KEYS]);
    let large = reviewer.send("/mutate", " ".repeat((8 << 20) + 1)).await;
    assert_eq!((large.status, &large.json()["reason"]), (413, &json!("RequestEntityTooLarge")));
    let marker = json!("DEEP");
    let mut object = replica_set("placed");
    object["spec"] = marker;
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    let body = review_v1("CREATE", &object, &Json::Null).to_string().replace("\"DEEP\"", &deep);
    let response = &reviewer.send("/mutate", body).await.json()["response"];
    assert_eq!(response["status"]["code"], 403);
    assert!(response["status"]["message"].as_str().unwrap().contains("nested too deeply"), "{response}");
}
