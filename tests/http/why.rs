//! Why objects are placed as they are.

use plimsoll_contract::why::{Reached, Why};
use serde_json::{Value as Json, json};

use super::sources::{declare, sync};
use super::support::{Engine, engine, eventually, replica_set};

const CLUSTERS: &str = "federation/v1beta1/clusters";
const REPLICA_SETS: &str = "apps/v1/replicasets";
const POLICY: &str = r#"package kubernetes.placement

placement := {"clusters": [name |
	some name, c in data.kubernetes.clusters
	c.metadata.labels.region == input.metadata.labels.region
]}

rejected[name] := "elsewhere" if {
	some name, c in data.kubernetes.clusters
	c.metadata.labels.region != input.metadata.labels.region
}

errors contains "no region" if not input.metadata.labels.region
"#;

fn cluster(name: &str, region: &str) -> Json {
    json!({"apiVersion": "federation/v1beta1", "kind": "Cluster",
        "metadata": {"name": name, "uid": name, "resourceVersion": "1", "labels": {"region": region}}})
}

async fn fleet(engine: &Engine) -> String {
    let kinds = json!([
        {"gvr": CLUSTERS, "kind": "Cluster", "namespaced": false, "fleet": true},
        {"gvr": REPLICA_SETS, "kind": "ReplicaSet", "place": true, "mode": "auto"},
    ]);
    let session = declare(engine, "fleet", kinds).await.session;
    sync(engine, "fleet", &session, CLUSTERS, "replace", &[cluster("a", "eu"), cluster("b", "us")]).await;
    let mut stored = replica_set("web");
    stored["metadata"]["uid"] = "u".into();
    stored["metadata"]["resourceVersion"] = "7".into();
    stored["metadata"]["labels"] = json!({"region": "eu"});
    let answer = sync(engine, "fleet", &session, REPLICA_SETS, "replace", &[stored]).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    session
}

async fn why(engine: &Engine, query: &str) -> Why {
    let answer = engine.get(&format!("/plimsoll/v1/why?{query}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    serde_json::from_value(answer.json()).unwrap()
}

#[tokio::test]
async fn an_object_that_is_there_is_explained() {
    let engine = engine(&[("p.rego", POLICY)], &[]);
    fleet(&engine).await;
    let said = why(&engine, "kind=ReplicaSet&namespace=shop&name=web").await;
    assert_eq!((said.outcome.name(), said.name.as_str(), said.sources.len()), ("place", "web", 1));
    let [a, b] = said.clusters.as_slice() else { panic!("{said:?}") };
    assert!(a.is_in && !b.is_in && b.rejected.as_deref() == Some("elsewhere"), "{said:?}");
    let failing = b.alternatives[0].conditions.iter().find(|condition| condition.result == Reached::Fails).unwrap();
    assert_eq!((failing.location.row, &failing.found["c.metadata.labels.region"]), (5, &json!("us")));
    let one = why(&engine, "kind=replicasets&namespace=shop&name=web&cluster=b").await;
    assert_eq!(one.clusters.len(), 1);
}

#[tokio::test]
async fn where_an_object_stands_that_is_wanted_elsewhere_and_what_keeps_it_there_is_said() {
    let engine = engine(&[("p.rego", POLICY)], &[]);
    let session = fleet(&engine).await;
    let note = async || why(&engine, "kind=replicasets&namespace=shop&name=web").await.notes.into_iter().next();
    let said = eventually("it is decided", note).await;
    assert_eq!(said, "it is placed nowhere now; the sidecar has not written what policy wants yet");
    for (still, expected) in [
        (json!({"braked": {"fleet": true}}), "the brake is on: `plimsoll brake`"),
        (json!({"paused": {"namespaces": ["shop"]}}), "placement is paused there: `plimsoll brake resume`"),
    ] {
        let word = json!({"session": session, "holder": "me", "policy": "", "still": still}).to_string();
        assert_eq!(engine.ask("PUT", "/plimsoll/v1/sources/fleet/leader", word).await.status, 204);
        let said = note().await.unwrap();
        assert!(said.contains(expected), "{said}");
    }
}

#[tokio::test]
async fn an_object_that_is_sent_is_explained() {
    let engine = engine(&[("p.rego", POLICY)], &[]);
    fleet(&engine).await;
    let question = json!({"object": replica_set("new"), "clusters": ["a"]});
    let answer = engine.ask("POST", "/plimsoll/v1/why", question.to_string()).await;
    let said: Why = serde_json::from_value(answer.json()).unwrap();
    assert_eq!((said.outcome.name(), said.said[0].message.as_deref()), ("denied", Some("no region")));
    assert_eq!(said.said[0].alternatives[0].location.row, 13);
}

#[tokio::test]
async fn bad_questions_are_clear_errors() {
    let engine = engine(&[("p.rego", POLICY)], &[]);
    fleet(&engine).await;
    let table = [
        ("", 400, "a `kind` and a `name`"),
        ("kind=Pod&name=x", 400, "Pod"),
        ("kind=ReplicaSet&namespace=shop&name=gone", 404, "there is no apps/v1/replicasets shop/gone"),
        ("kind=ReplicaSet&name=web&colour=red", 400, "colour"),
    ];
    for (query, status, part) in table {
        let answer = engine.get(&format!("/plimsoll/v1/why?{query}")).await;
        assert!(answer.status == status && answer.text.contains(part), "{query}: {answer:?}");
    }
    for (body, part) in
        [(json!({"object": 7}), "no Kubernetes object"), (json!({"objects": {}}), "objects"), (json!([]), "question")]
    {
        let answer = engine.ask("POST", "/plimsoll/v1/why", body.to_string()).await;
        assert!(answer.status == 400 && answer.text.contains(part), "{body}: {answer:?}");
    }
}
