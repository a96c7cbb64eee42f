//! What can still be seen of the fleet: stale sources under deny, warn and ignore, and sources that come and go.

use serde_json::{Value as Json, json};

use super::decisions::{BY_NAME, KEYS};
use super::review::{Reviewer, review_v1};
use super::sources::{CLUSTERS, cluster, clusters, declare, sync};
use super::support::{Answer, Engine, bare, engine, eventually, replica_set};

/// Shorter than what a test waits for, longer than what an engine needs to answer.
const STALE: &str = "--stale-after=400ms";
const REQUIRED: &str = "--require-source=fleet";
const POLICY: (&str, &str) = ("p.rego", BY_NAME);

/// Names the pods that are there.
const READS_PODS: (&str, &str) =
    ("pods.rego", "package kubernetes.placement\n\nwarnings contains name if data.kubernetes.pods[_][name]\n");

async fn loaded(engine: &Engine) -> String {
    let session = declare(engine, "fleet", clusters()).await.session;
    let answer = sync(engine, "fleet", &session, CLUSTERS, "replace", &[cluster("eu")]).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    session
}

async fn proves(engine: &Engine, session: &str) {
    assert_eq!(sync(engine, "fleet", session, CLUSTERS, "delta", &[]).await.status, 200);
}

async fn v0(engine: &Engine, object: &Json) -> Answer {
    engine.ask("POST", "/v0/data/kubernetes/placement", object.to_string()).await
}

async fn v1(engine: &Engine, object: &Json) -> Answer {
    engine.ask("POST", "/v1/data/kubernetes/placement", json!({"input": object}).to_string()).await
}

/// Waits until the source is stale by name, and gives the status that says so.
async fn stale(engine: &Engine) -> Json {
    eventually("the source is stale", async || {
        let status = engine.get("/plimsoll/v1/status").await.json();
        (status["sources"]["fleet"]["stale"] == true).then_some(status)
    })
    .await
}

fn gauge(metrics: &str, line: &str) -> f64 {
    let found = metrics.lines().find_map(|text| text.strip_prefix(line));
    found.unwrap_or_else(|| panic!("{line}: {metrics}")).trim().parse().unwrap()
}

#[tokio::test]
async fn under_deny_nothing_is_decided_on_a_fleet_that_is_out_of_sight() {
    let reviewer = Reviewer::start(&[POLICY], &[KEYS, REQUIRED, STALE]);
    let engine = &reviewer.engine;
    let session = loaded(engine).await;
    let status = stale(engine).await;
    assert_eq!(
        (&status["ready"], &status["onStale"], &status["staleAfterSeconds"]),
        (&json!(false), &json!("deny"), &json!(0.4))
    );
    let object = replica_set("placed");
    let [v0_answer, v1_answer] = [v0(engine, &object).await, v1(engine, &object).await];
    for answer in [&v0_answer, &v1_answer] {
        assert_eq!((answer.status, &answer.json()["code"]), (503, &json!("stale")), "{answer:?}");
        for part in ["source `fleet`", CLUSTERS, "s ago", "--stale-after", "--on-stale"] {
            assert!(answer.text.contains(part), "{part}: {answer:?}");
        }
    }
    let mut created = review_v1("CREATE", &object, &Json::Null);
    for (path, version) in [("/mutate", "v1"), ("/validate", "v1"), ("/mutate", "v1beta1")] {
        created["apiVersion"] = format!("admission.k8s.io/{version}").into();
        let answer = reviewer.ask(path, &created).await;
        let status = &answer.json()["response"]["status"];
        assert_eq!((answer.status, &status["code"]), (200, &json!(503)), "{path}: {answer:?}");
        assert!(status["message"].as_str().unwrap().contains("source `fleet`"), "{answer:?}");
    }
    let ready = engine.get("/health/ready").await;
    assert!(ready.status == 500 && ready.text.contains("source `fleet`"), "{ready:?}");
    assert_eq!(engine.get("/health/live").await.status, 200, "a restart would heal nothing");
    let metrics = engine.get("/metrics").await.text;
    assert_eq!((gauge(&metrics, "plimsoll_source_stale{source=\"fleet\"}"), gauge(&metrics, "plimsoll_ready")), (1.0, 0.0));
    assert!(gauge(&metrics, "plimsoll_source_age_seconds{source=\"fleet\"}") > 0.4);

    eventually("it heals by itself", async || {
        proves(engine, &session).await;
        (v0(engine, &object).await.status == 200).then_some(())
    })
    .await;
    eventually("so does readiness", async || {
        proves(engine, &session).await;
        (engine.get("/health/ready").await.status == 200).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_is_out_of_sight_traps_no_existing_object() {
    let reviewer = Reviewer::start(&[POLICY], &[KEYS, REQUIRED, STALE]);
    loaded(&reviewer.engine).await;
    stale(&reviewer.engine).await;
    let mut old = replica_set("placed");
    old["metadata"]["finalizers"] = json!(["example.com/f"]);
    let mut unfinalized = old.clone();
    unfinalized["metadata"]["finalizers"] = json!([]);
    let mut deleting = old.clone();
    deleting["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    let mut scaled = deleting.clone();
    scaled["spec"]["replicas"] = 1.into();
    let mut exempt = replica_set("placed");
    exempt["metadata"]["namespace"] = "kube-system".into();
    let reviews = [
        review_v1("UPDATE", &unfinalized, &old),
        review_v1("UPDATE", &scaled, &deleting),
        review_v1("DELETE", &Json::Null, &old),
        review_v1("CREATE", &exempt, &Json::Null),
    ];
    for review in &reviews {
        for path in ["/mutate", "/validate"] {
            let answer = reviewer.ask(path, review).await.json();
            assert_eq!(answer["response"]["allowed"], true, "{path} {review}: {answer}");
        }
    }
    assert_eq!(v0(&reviewer.engine, &exempt).await.json(), json!({}));
    let plain = reviewer.engine.ask("POST", "/v0/data/kubernetes/placement?raw", old.to_string()).await;
    assert_eq!(plain.status, 200, "OPA's own paths know nothing of it: {plain:?}");
}

#[tokio::test]
async fn under_warn_and_ignore_it_is_decided_and_stays_ready() {
    for (option, warns) in [("--on-stale=warn", true), ("--on-stale=ignore", false)] {
        let reviewer = Reviewer::start(&[POLICY], &[KEYS, REQUIRED, STALE, option]);
        let engine = &reviewer.engine;
        loaded(engine).await;
        let status = stale(engine).await;
        assert_eq!(status["ready"], true, "{status}");
        assert!(status["stale"][0].as_str().unwrap().contains("source `fleet`"), "{status}");
        assert_eq!(engine.get("/health/ready").await.status, 200);
        let object = replica_set("placed");
        let [v0_answer, v1_answer] = [v0(engine, &object).await, v1(engine, &object).await];
        assert_eq!((v0_answer.status, v1_answer.status), (200, 200));
        let documents = [v0_answer.json(), v1_answer.json()["result"].clone()];
        for document in &documents {
            assert_eq!(document["annotations"]["example.com/where"], "eu", "{document}");
            let said = document["warnings"][0].as_str().is_some_and(|text| text.contains("source `fleet`"));
            assert_eq!(said, warns, "{document}");
        }
        for path in ["/mutate", "/validate"] {
            let mut admitted = object.clone();
            let annotations = documents[0]["annotations"].clone();
            admitted["metadata"]["annotations"] = annotations;
            let answer = reviewer.ask(path, &review_v1("CREATE", &admitted, &Json::Null)).await.json();
            assert_eq!(answer["response"]["allowed"], true, "{answer}");
            assert_eq!(answer["response"]["warnings"][0].as_str().is_some_and(|text| text.contains("stale")), warns, "{answer}");
        }
        let metrics = engine.get("/metrics").await.text;
        assert_eq!(gauge(&metrics, "plimsoll_stale_decisions_total{protocol=\"v0\"}"), 1.0);
        assert_eq!(gauge(&metrics, "plimsoll_stale_decisions_total{protocol=\"review_v1\"}"), 2.0);
    }
}

#[tokio::test]
async fn an_engine_that_was_stopped_does_not_believe_what_it_knew() {
    let engine = engine(&[POLICY], &[KEYS, REQUIRED, "--stale-after=1s"]);
    let session = loaded(&engine).await;
    let object = replica_set("placed");
    eventually("it decides", async || {
        proves(&engine, &session).await;
        (v0(&engine, &object).await.status == 200).then_some(())
    })
    .await;
    let stopped = std::time::Instant::now();
    engine.signal("STOP");
    eventually("it was stopped for longer than a source is believed", async || {
        (stopped.elapsed() > std::time::Duration::from_millis(1_100)).then_some(())
    })
    .await;
    engine.signal("CONT");
    let answer = v0(&engine, &object).await;
    assert_eq!((answer.status, &answer.json()["code"]), (503, &json!("stale")), "the first answer already: {answer:?}");
}

#[tokio::test]
async fn a_source_that_nobody_requires_takes_nobody_away() {
    let engine = engine(&[POLICY], &[KEYS, REQUIRED]);
    loaded(&engine).await;
    let pods = json!([{"gvr": "v1/pods", "kind": "Pod"}]);
    let session = declare(&engine, "guest", pods).await.session;
    assert_eq!(engine.get("/health/ready").await.status, 200);
    assert_eq!(v0(&engine, &replica_set("placed")).await.status, 200, "no policy reads what is not there");

    std::fs::write(engine.policy_file(READS_PODS.0), READS_PODS.1).unwrap();
    let refused = eventually("the policy is in force", async || {
        let answer = v0(&engine, &replica_set("placed")).await;
        (answer.status != 200).then_some(answer)
    })
    .await;
    assert_eq!((refused.status, &refused.json()["code"]), (503, &json!("not_ready")), "{refused:?}");
    assert!(refused.text.contains("v1/pods of source `guest`"), "{refused:?}");
    assert_eq!(engine.get("/health/ready").await.status, 200);
    let status = engine.get("/plimsoll/v1/status").await.text;
    assert!(status.contains("policies read v1/pods of source `guest`"), "{status}");
    assert_eq!(sync(&engine, "guest", &session, "v1/pods", "replace", &[]).await.status, 200);
    assert_eq!(v0(&engine, &replica_set("placed")).await.status, 200);
}

#[tokio::test]
async fn a_silent_source_on_which_nothing_depends_is_named_and_harms_nobody() {
    let engine = bare(&[STALE]);
    loaded(&engine).await;
    let status = stale(&engine).await;
    assert_eq!((&status["ready"], status.get("stale")), (&json!(true), None), "{status}");
    assert_eq!(engine.get("/health/ready").await.status, 200);
    assert_eq!(gauge(&engine.get("/metrics").await.text, "plimsoll_source_stale{source=\"fleet\"}"), 1.0);
}

#[tokio::test]
async fn a_source_is_deleted_with_its_objects_and_its_session() {
    let engine = engine(&[POLICY], &[KEYS, REQUIRED]);
    let session = loaded(&engine).await;
    let set = json!({"modules": {"lib.rego": "package lib\n\nx := 1\n"}}).to_string();
    assert_eq!(engine.ask("PUT", "/plimsoll/v1/policies/fleet", set).await.status, 200);
    let deleted = engine.ask("DELETE", "/plimsoll/v1/sources/fleet", "").await;
    assert_eq!((deleted.status, deleted.text.as_str()), (204, ""), "{deleted:?}");
    assert_eq!(engine.get("/v1/data/kubernetes/clusters").await.json(), json!({}));
    assert_eq!(engine.get("/v1/data/lib/x").await.json()["result"], 1, "its policies stay");
    let ready = engine.get("/health/ready").await;
    assert!(ready.status == 500 && ready.text.contains("required source `fleet` is not declared"), "{ready:?}");
    let late = sync(&engine, "fleet", &session, CLUSTERS, "replace", &[cluster("eu")]).await;
    assert_eq!(late.status, 409, "as a session that was superseded: {late:?}");
    assert_eq!(sync(&engine, "fleet", "made-up", CLUSTERS, "replace", &[]).await.status, 404);
    assert_eq!(engine.ask("DELETE", "/plimsoll/v1/sources/fleet", "").await.status, 404);

    loaded(&engine).await;
    assert_eq!(engine.get("/health/ready").await.status, 200, "it comes back by declaring itself");
    assert_eq!(engine.ask("DELETE", "/plimsoll/v1/sources/fleet?policies", "").await.status, 204);
    assert_eq!(engine.get("/v1/data/lib/x").await.json(), json!({}), "asked for");
}

#[tokio::test]
async fn data_that_a_policy_reads_leaves_only_when_its_source_is_deleted() {
    let engine = engine(&[POLICY, ("fleet.rego", FLEET)], &[KEYS, REQUIRED, STALE]);
    loaded(&engine).await;
    let session = declare(&engine, "fleet", json!([{"gvr": "v1/pods", "kind": "Pod"}])).await.session;
    let prove_pods = async || sync(&engine, "fleet", &session, "v1/pods", "replace", &[]).await;
    assert_eq!(prove_pods().await.status, 200);
    assert!(engine.get("/v1/data/kubernetes/clusters/eu").await.json()["result"].is_object());
    let refused = eventually("what is left grows old", async || {
        prove_pods().await;
        let answer = v0(&engine, &replica_set("placed")).await;
        (answer.status == 503).then_some(answer)
    })
    .await;
    assert!(refused.text.contains(CLUSTERS) && refused.text.contains("no longer declares"), "{refused:?}");
    assert_eq!(engine.ask("DELETE", "/plimsoll/v1/sources/fleet", "").await.status, 204);
    assert_eq!(engine.get("/v1/data/kubernetes/clusters").await.json(), json!({}));
}

/// Reads the clusters.
const FLEET: &str = "package kubernetes.placement\n\nwarnings contains name if data.kubernetes.clusters[name].none\n";
