//! Patches, and what the answers to them show.

use std::time::Duration;

use plimsoll_contract::kind::Mode;
use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::placement::{Placement, seen};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::{SOON, failure, granted};
use crate::metrics::Metrics;
use crate::plan::answer::{Answer, Reverted};
use crate::plan::pace::Pace;
use crate::plan::row::{Patch, plan, tests::row};
use crate::scripted::{Call, Came, End, Scripted, call, stream};
use crate::write::apply::Apply;
use crate::write::lease::{Grant, Term, right};
use crate::write::throttle::Throttle;

const WEB: &str = "/apis/apps/v1/namespaces/shop/replicasets/web";
const LIMIT: Duration = Duration::from_secs(10);

/// What was decided on; the decision sets `example/key` to `v`.
fn object(version: &str) -> Value {
    json!({ "metadata": { "name": "web", "uid": "u1", "resourceVersion": version, "generation": 3, "annotations": { "a": "b" } } })
}

fn written(version: &str) -> Value {
    let mut object = object(version);
    object["metadata"]["annotations"]["example/key"] = json!("v");
    object
}

fn patch() -> Patch {
    let row = row(Outcome::Place, Mode::Auto, true);
    plan(&Placement { seen: seen(&object("7")["metadata"]), ..row }).patch.unwrap()
}

fn patching(status: u16, body: Value) -> Call {
    call(&["PATCH ", WEB], status, body)
}

fn reading(status: u16, body: Value) -> Call {
    call(&["GET ", WEB], status, body)
}

struct Writing {
    server: Scripted,
    apply: Apply,
    throttle: Throttle,
    metrics: Metrics,
    leading: Grant,
}

async fn start(calls: Vec<Call>) -> Writing {
    let server = Scripted::start(calls).await;
    let (leading, receiver) = granted();
    let metrics = Metrics::new().unwrap();
    let throttle = Throttle::new(Pace::new(4, Duration::from_millis(10), Duration::from_millis(50)), metrics.clone());
    let apply = Apply::new(server.client(), receiver, LIMIT, metrics.clone());
    Writing { server, apply, throttle, metrics, leading }
}

impl Writing {
    async fn write(&self, patch: &Patch) -> Answer {
        let permit = self.throttle.begin().await;
        timeout(SOON, self.apply.clone().write(patch, permit)).await.unwrap()
    }
}

/// How one patch ends on these answers, and what came.
async fn ends(calls: Vec<Call>, patch: &Patch) -> (Answer, Vec<Came>) {
    let writing = start(calls).await;
    let answer = writing.write(patch).await;
    (answer, writing.server.done().await)
}

fn version(came: &Came) -> Value {
    serde_json::from_str::<Value>(&came.body).unwrap()["metadata"]["resourceVersion"].clone()
}

#[tokio::test]
async fn a_decision_is_one_merge_patch_under_our_name() {
    let (answer, came) = ends(vec![call(&["PATCH ", WEB, "?&fieldManager=plimsoll "], 200, written("8"))], &patch()).await;
    assert_eq!(answer, Answer::Patched { version: "8".into() });
    assert!(came[0].head.contains("application/merge-patch+json"));
    assert_eq!(version(&came[0]), "7");
}

#[tokio::test]
async fn a_patch_that_is_undone_in_the_same_request_is_not_patched() {
    let keys = vec!["example/key".to_owned()];
    // A write that changed nothing keeps the version.
    let (answer, _) = ends(vec![patching(200, object("7"))], &patch()).await;
    assert_eq!(answer, Answer::Reverted(Reverted { keys: keys.clone(), managers: vec![] }));
    let mut other = written("8");
    other["metadata"]["annotations"]["example/key"] = json!("theirs");
    let fields = json!({"f:metadata": {"f:annotations": {"f:example/key": {}}}});
    other["metadata"]["managedFields"] = json!([{"manager": "argo", "operation": "Update", "fieldsV1": fields}]);
    let (answer, _) = ends(vec![patching(200, other)], &patch()).await;
    assert_eq!(answer, Answer::Reverted(Reverted { keys, managers: vec!["argo".into()] }));
}

#[tokio::test]
async fn an_object_whose_status_alone_changed_is_patched_as_it_is_now() {
    let calls = vec![
        patching(409, failure(409)),
        reading(200, object("8")),
        patching(409, failure(409)),
        reading(200, object("9")),
        patching(200, written("10")),
    ];
    let (answer, came) = ends(calls, &patch()).await;
    assert_eq!(answer, Answer::Patched { version: "10".into() });
    assert_eq!((version(&came[2]), version(&came[4])), (json!("8"), json!("9")));
}

#[tokio::test]
async fn a_conflict_that_no_other_version_explains_is_a_refusal_and_is_tried_again() {
    let (answer, _) = ends(vec![patching(409, failure(409)), reading(200, object("7"))], &patch()).await;
    let Answer::Refused { reason } = answer else { panic!("{answer:?}") };
    assert!(reason.contains("409") && reason.contains("because"), "{reason}");
}

#[tokio::test]
async fn an_object_that_differs_in_more_is_decided_again_first() {
    let changed = |pointer: &str, value: Value| {
        let mut object = object("8");
        *object.pointer_mut(pointer).unwrap() = value;
        object
    };
    for now in [
        changed("/metadata/generation", json!(4)),
        changed("/metadata/annotations/a", json!("c")),
        changed("/metadata/uid", json!("u2")),
    ] {
        let (answer, _) = ends(vec![patching(409, failure(409)), reading(200, now)], &patch()).await;
        assert_eq!(answer, Answer::Conflict { version: Some("8".into()) });
    }
    let without = Patch { seen: None, ..patch() };
    let (answer, _) = ends(vec![patching(409, failure(409))], &without).await;
    assert_eq!(answer, Answer::Conflict { version: None }, "kinds without generation are never looked up");
}

#[tokio::test]
async fn conflicts_end_after_a_few_tries_or_with_the_object() {
    let mut calls = vec![];
    for version in 8..12 {
        calls.extend([patching(409, failure(409)), reading(200, object(&version.to_string()))]);
    }
    let (answer, _) = ends(calls, &patch()).await;
    assert_eq!(answer, Answer::Conflict { version: Some("11".into()) });
    let (answer, _) = ends(vec![patching(409, failure(409)), reading(404, failure(404))], &patch()).await;
    assert_eq!(answer, Answer::Gone);
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_shows_nothing() {
    for body in [json!("what"), json!({ "metadata": { "name": "x".repeat(9 << 20) } })] {
        let writing = start(vec![patching(200, body)]).await;
        assert_eq!(writing.write(&patch()).await, Answer::Unreachable);
        let text = writing.metrics.text().unwrap();
        assert!(text.contains("plimsoll_sidecar_slowed 0"), "an API server that answers is not in trouble");
    }
}

#[tokio::test]
async fn what_the_api_server_cannot_bear_slows_all_writes() {
    let busy = call(&["PATCH ", WEB], 429, "Too many requests, please try again later.").header("retry-after", "1");
    let writing = start(vec![busy, patching(200, written("8"))]).await;
    let other = writing.throttle.try_begin().unwrap();
    assert_eq!(writing.write(&patch()).await, Answer::Unreachable);
    let wait = writing.throttle.try_begin().unwrap_err();
    assert!(wait > Duration::from_millis(500) && wait <= Duration::from_secs(1), "{wait:?}");
    assert!(writing.metrics.text().unwrap().contains("plimsoll_sidecar_slowed 1"));
    drop(other);
    assert_eq!(writing.write(&patch()).await, Answer::Patched { version: "8".into() }, "the probe, after the wait");
}

#[tokio::test]
async fn t11_a_write_under_way_is_broken_off_when_the_right_to_write_is_lost() {
    let writing = start(vec![stream(&["PATCH"], "", End::Hang)]).await;
    let permit = writing.throttle.begin().await;
    let apply = writing.apply.clone();
    let task = tokio::spawn(async move { apply.write(&patch(), permit).await });
    writing.server.done().await;
    writing.leading.set(Term::Over);
    assert_eq!(timeout(SOON, task).await.unwrap().unwrap(), Answer::Cancelled);
}

#[tokio::test]
async fn t11_a_write_is_not_sent_when_the_term_has_ended_though_nobody_said_so() {
    let writing = start(vec![]).await;
    let (grant, right) = right();
    // What a process finds that was stopped for longer than its term.
    grant.set(Term::Until(Instant::now()));
    let apply = Apply::new(writing.server.client(), right, LIMIT, writing.metrics.clone());
    assert_eq!(apply.write(&patch(), writing.throttle.begin().await).await, Answer::Cancelled);
    assert_eq!(writing.server.done().await.len(), 0);
}
