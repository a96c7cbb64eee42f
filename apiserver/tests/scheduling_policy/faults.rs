//! Faults of the engine: each with its attempts, the user's message, one Event, and an object that nobody touched (T14, T15).

use std::time::{Duration, Instant};

use plimsoll_apiserver::admission::engine::Limits;
use serde_json::json;

use super::engine::{Act, Engine, nobody, ok, status};
use super::hook::{Hook, PATH, Setup, annotations, nginx};

/// One row of the table.
pub(super) struct Fault {
    pub(super) name: &'static str,
    /// `None`: nobody listens.
    pub(super) acts: Option<Vec<Act>>,
    attempts: u64,
    cause: &'static str,
    /// In the user's message.
    says: &'static str,
    /// In the user's message, too.
    pub(super) advises: &'static str,
}

fn fault(name: &'static str, act: Act, attempts: u64, cause: &'static str, texts: [&'static str; 2]) -> Fault {
    let [says, advises] = texts;
    Fault { name, acts: Some(vec![act]), attempts, cause, says, advises }
}

pub(super) fn table() -> Vec<Fault> {
    let half = "HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\n{\"annotations\":";
    let message = r#"{"code":"internal_error","message":"policy.rego:3: conflict"}"#;
    let huge = "HTTP/1.1 200 X\r\ncontent-length: 1000000000\r\n\r\n ";
    vec![
        Fault {
            name: "refused",
            acts: None,
            attempts: 5,
            cause: "connect",
            says: "did not answer after 5 attempts: cannot connect",
            advises: "start the engine",
        },
        fault("reset", Act::Reset, 5, "broken", ["did not answer after 5 attempts: the connection broke", "log and load"]),
        fault("closed", Act::Close, 5, "broken", ["did not answer after 5 attempts", "log and load"]),
        fault("half a body", Act::Bytes(half.into()), 5, "broken", ["the connection broke", "log and load"]),
        fault("not HTTP", Act::Bytes("SSH-2.0-x\r\n".into()), 5, "broken", ["the connection broke", "log and load"]),
        fault("slow", Act::Hang, 5, "timed_out", ["did not answer after 5 attempts: no answer within 200ms", "log and load"]),
        fault("500", Act::Reply(500, "", message.into()), 5, "busy", ["policy.rego:3: conflict", "/health/ready"]),
        fault("503 without a body", status(503), 5, "busy", ["gave no decision after 5 attempts: 503", "/health/ready"]),
        fault("429", Act::Reply(429, "retry-after: 0\r\n", "".into()), 5, "busy", ["429 Too Many Requests", "/health/ready"]),
        fault(
            "429 for an hour",
            Act::Reply(429, "retry-after: 3600\r\n", "".into()),
            1,
            "busy",
            ["within the request's deadline (1 attempt): 429", "/health/ready"],
        ),
        fault("404", status(404), 1, "undefined", ["policy decision is undefined", "load a policy"]),
        fault("401", status(401), 1, "refused", ["401 Unauthorized", "credentials"]),
        fault("400", Act::Reply(400, "", message.into()), 1, "refused", ["400 Bad Request: policy.rego:3", "credentials"]),
        fault("garbage", ok("<html>"), 1, "unreadable", ["cannot be read", "let the policy give"]),
        fault("an array", ok("[]"), 1, "unreadable", ["cannot be read", "let the policy give"]),
        fault("truncated", ok(r#"{"annotations":{"a":"b"}"#), 1, "unreadable", ["cannot be read", "let the policy give"]),
        fault("wrong type", ok(r#"{"errors":"no"}"#), 1, "unreadable", ["cannot be read", "let the policy give"]),
        fault("huge", Act::Bytes(huge.into()), 1, "too_large", ["larger than 1048576 bytes", "give less"]),
        fault("endless", Act::Endless, 1, "too_large", ["larger than 1048576 bytes", "give less"]),
    ]
}

#[tokio::test]
async fn t14_each_fault_denies_with_its_attempts_a_message_and_an_event() {
    for row in table() {
        let engine = row.acts.clone().map(Engine::start);
        let mut setup = Setup::new(&engine.as_ref().map_or_else(nobody, Engine::origin));
        if row.name == "slow" {
            setup.limits = Limits { exchange: Duration::from_millis(200), ..Limits::default() };
        }
        let hook = setup.hook();
        let mut request = nginx();
        let refusal = hook.admit(&mut request).await.unwrap_err();
        check(&row, &hook, &refusal.message, &setup.server);
        assert_eq!(refusal.code, 403, "{}", row.name);
        assert_eq!(annotations(&request), json!({"requires-pci": "true"}), "{}", row.name);
        if let Some(engine) = engine {
            assert_eq!(engine.came().len() as u64, row.attempts, "{}", row.name);
            assert!(engine.sent() < 64 << 20, "{}: {} bytes", row.name, engine.sent());
        }
    }
}

fn check(row: &Fault, hook: &Hook, message: &str, server: &str) {
    let name = row.name;
    let head = format!(r#"replicasets.extensions "nginx-pci" is forbidden: SchedulingPolicy: engine {server} "#);
    assert!(message.starts_with(&head), "{name}: {message}");
    assert!(message.contains(row.says) && message.contains(row.advises), "{name}: {message}");
    assert!(!message.contains("deadbeefsecret"), "{name}: {message}");
    assert_eq!(hook.metrics.attempts(), row.attempts, "{name}");
    let counted =
        |end| hook.counted(&format!("plimsoll_scheduling_policy_faults_total{{cause=\"{}\",end=\"{end}\"}}", row.cause));
    assert_eq!(counted("retried").unwrap_or(0), row.attempts - 1, "{name}");
    assert_eq!(counted("final"), Some(1), "{name}");
    assert_eq!(hook.counted(r#"plimsoll_scheduling_policy_decisions_total{outcome="failed"}"#), Some(1), "{name}");
    let [event] = hook.events().try_into().unwrap();
    assert_eq!((&event["type"], &event["reason"]), (&json!("Warning"), &json!("PlacementFailed")), "{name}");
    assert!(message.ends_with(event["message"].as_str().unwrap()), "{name}: {event}");
}

#[tokio::test]
async fn t14_what_passes_is_survived() {
    let good = ok(json!({"annotations": {"a": "b"}}));
    let scripts = [
        vec![Act::Reset, good.clone()],
        vec![status(500), status(503), Act::Close, status(429), good.clone()],
        vec![Act::Bytes("HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\n{".into()), good.clone()],
    ];
    for script in scripts {
        let engine = Engine::start(script.clone());
        let hook = Hook::of(&engine.origin());
        let mut request = nginx();
        hook.admit(&mut request).await.unwrap();
        assert_eq!(annotations(&request), json!({"requires-pci": "true", "a": "b"}));
        assert_eq!((engine.came().len(), hook.events().len()), (script.len(), 0), "{script:?}");
        let bodies: Vec<String> = engine.came().into_iter().map(|came| came.body).filter(|body| !body.is_empty()).collect();
        assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "each attempt sends the same");
    }
}

#[tokio::test]
async fn t14_a_hanging_engine_ends_with_the_requests_deadline() {
    let engine = Engine::start([Act::Hang]);
    let hook = Hook::of(&engine.origin());
    let mut request = nginx();
    request.deadline = Instant::now() + Duration::from_millis(500);
    let refusal = hook.admit(&mut request).await.unwrap_err();
    assert!(Instant::now() < request.deadline, "the answer is there before the deadline");
    assert!(refusal.message.contains("did not answer within the request's deadline (1 attempt): no answer within "), "{refusal}");
    assert_eq!(hook.events().len(), 1);
}

#[tokio::test]
async fn redirects_are_not_followed_and_their_target_learns_nothing() {
    let target = Engine::start([ok("{}")]);
    let location: &'static str = format!("location: {}{PATH}\r\n", target.origin()).leak();
    for code in [301, 302, 303, 307, 308] {
        let engine = Engine::start([Act::Reply(code, location, String::new())]);
        let hook = Hook::of(&engine.origin());
        let refusal = hook.admit(&mut nginx()).await.unwrap_err();
        assert!(refusal.message.contains("redirects are not followed"), "{refusal}");
        assert_eq!(engine.came().len(), 1, "{code}");
    }
    assert_eq!(target.connections(), 0);
}

#[tokio::test]
async fn a_dry_run_asks_and_leaves_no_event() {
    let engine = Engine::start([status(404)]);
    let hook = Hook::of(&engine.origin());
    let mut request = nginx();
    request.dry_run = true;
    assert_eq!(hook.admit(&mut request).await.unwrap_err().code, 403);
    assert_eq!((engine.came().len(), hook.events().len()), (1, 0));
}
