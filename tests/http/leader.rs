//! What sidecars tell of the Lease: who may, and how it is shown.

use std::fs;

use serde_json::{Value as Json, json};

use super::sources::{clusters, declare};
use super::support::{Answer, Engine, bare, start};

async fn tell(engine: &Engine, source: &str, session: &str) -> Answer {
    let body = json!({"session": session, "holder": "pod-b", "policy": "sha256:0a"}).to_string();
    engine.ask("PUT", &format!("/plimsoll/v1/sources/{source}/leader"), body).await
}

async fn shown(engine: &Engine) -> Json {
    engine.get("/plimsoll/v1/status").await.json()["sources"]["fleet"]["leader"].clone()
}

#[tokio::test]
async fn the_leader_of_a_source_is_shown_in_its_status() {
    let engine = bare(&[]);
    let declared = declare(&engine, "fleet", clusters()).await;
    assert_eq!(shown(&engine).await, Json::Null);
    let told = tell(&engine, "fleet", &declared.session).await;
    assert_eq!((told.status, told.text.as_str()), (204, ""), "{told:?}");
    assert_eq!(shown(&engine).await, json!({"holder": "pod-b", "policy": "sha256:0a"}));
}

#[tokio::test]
async fn only_the_session_of_a_source_may_tell_its_leader() {
    let engine = bare(&[]);
    let older = declare(&engine, "fleet", clusters()).await;
    let newer = declare(&engine, "fleet", clusters()).await;
    assert_eq!(tell(&engine, "other", &newer.session).await.status, 404);
    let ended = tell(&engine, "fleet", &older.session).await;
    assert!(ended.status == 409 && ended.text.contains("fleet"), "{ended:?}");
    assert_eq!(shown(&engine).await, Json::Null, "a refused word changes nothing");
    let path = "/plimsoll/v1/sources/fleet/leader";
    for body in ["", "{}", r#"{"session":"x","holder":"y","policy":1}"#] {
        assert_eq!(engine.ask("PUT", path, body).await.status, 400, "{body}");
    }
    let long = json!({"session": newer.session, "holder": "x".repeat(300_000), "policy": "p"}).to_string();
    assert_eq!(engine.ask("PUT", path, long).await.status, 400);
    assert_eq!(engine.get(path).await.status, 405);
}

#[tokio::test]
async fn a_word_that_names_many_namespaces_or_more_than_is_known_here_is_taken() {
    let engine = bare(&[]);
    let declared = declare(&engine, "fleet", clusters()).await;
    let names: Vec<String> = (0..1_000).map(|number| format!("n{number:062}")).collect();
    let scopes = json!({"namespaces": names, "clusters": ["c1"]});
    let still = json!({"braked": scopes, "paused": scopes, "frozen": {"fleet": true}});
    let word = json!({"session": declared.session, "holder": "b", "policy": "sha256:0b", "still": still, "since": 1});
    let told = engine.ask("PUT", "/plimsoll/v1/sources/fleet/leader", word.to_string()).await;
    assert_eq!(told.status, 204, "{told:?}");
    assert_eq!(shown(&engine).await, json!({"holder": "b", "policy": "sha256:0b"}));
    let status = engine.get("/plimsoll/v1/status").await.json();
    let known = json!({"namespaces": names});
    assert_eq!(status["still"], json!({"braked": known, "paused": known}));
}

#[tokio::test]
async fn telling_the_leader_needs_the_right_to_write() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["read", "write"] {
        fs::write(dir.path().join(name), format!("{name}-token\n")).unwrap();
    }
    let engine = start(dir, &["--read-token-file=read", "--write-token-file=write"]);
    let ask = async |token: &str, path: &str, body: Json| {
        let url = format!("{}/plimsoll/v1/sources/fleet{path}", engine.api);
        let request = engine.client.put(url).bearer_auth(token).body(body.to_string());
        Answer::of(request.send().await.unwrap()).await
    };
    let declared = ask("write-token", "", json!({"kinds": clusters()})).await.json();
    let word = json!({"session": declared["session"], "holder": "a", "policy": "p"});
    assert_eq!(ask("read-token", "/leader", word.clone()).await.status, 403);
    assert_eq!(ask("write-token", "/leader", word).await.status, 204);
}
