//! Policy sets: by the API, all or nothing; by files, watched.

use std::fs;

use serde_json::json;

use super::support::{Engine, bare, engine, eventually};

async fn put(engine: &Engine, set: &str, modules: &[(&str, &str)]) -> super::support::Answer {
    let modules: serde_json::Map<_, _> = modules.iter().map(|(key, text)| ((*key).to_owned(), json!(text))).collect();
    engine.ask("PUT", &format!("/plimsoll/v1/policies/{set}"), json!({"modules": modules}).to_string()).await
}

#[tokio::test]
async fn a_set_is_taken_as_a_whole_or_not_at_all() {
    let engine = bare(&[]);
    let accepted = put(&engine, "team", &[("a.rego", "package a\nx := 1\n")]).await;
    assert_eq!(accepted.status, 200, "{accepted:?}");
    assert!(accepted.json()["digest"].as_str().unwrap().starts_with("sha256:"));
    let broken = [("a.rego", "package a\nx := 2\n"), ("b.rego", "package b\ny := z\n"), ("c.rego", "package c\n{{{\n")];
    let rejected = put(&engine, "team", &broken).await;
    let body = rejected.json();
    assert_eq!((rejected.status, &body["code"]), (400, &json!("invalid_parameter")));
    let first = &body["errors"][0];
    assert!(first["location"]["row"].is_u64() && first["code"].as_str().unwrap().starts_with("rego_"), "{body}");
    let files: Vec<_> = body["errors"].as_array().unwrap().iter().map(|error| error["location"]["file"].clone()).collect();
    assert!(files.contains(&json!("c.rego")), "{body}");
    assert_eq!(engine.get("/v1/data/a/x").await.json(), json!({"result": 1}), "the last good set stays");
    let status = engine.get("/plimsoll/v1/status").await.json();
    assert!(!status["policies"]["team"]["errors"].as_array().unwrap().is_empty(), "{status}");
    let metrics = engine.get("/metrics").await.text;
    assert!(!metrics.contains("plimsoll_policy_set_errors{set=\"team\"} 0"), "{metrics}");
}

#[tokio::test]
async fn a_check_answers_as_a_put_would_and_changes_nothing() {
    let engine = bare(&[]);
    let lib = r#"{"modules":{"a.rego":"package a\nx := 1\n"}}"#;
    assert_eq!(engine.ask("PUT", "/plimsoll/v1/policies/lib", lib).await.status, 200);
    let before = engine.get("/plimsoll/v1/status").await.json();
    let check = async |set: &str, text: &str| {
        let body = json!({"modules": {"b.rego": text}}).to_string();
        engine.ask("POST", &format!("/plimsoll/v1/policies/{set}/check"), body).await
    };
    let good = check("team", "package b\ny := data.a.x\n").await;
    assert!(good.status == 200 && good.json()["revision"] == before["revision"], "{good:?}");
    let bad = check("team", "package b\n\ny := z\n").await;
    let place = json!({"file": "b.rego", "row": 3, "col": 6});
    assert_eq!((bad.status, &bad.json()["errors"][0]["location"]), (400, &place), "{bad:?}");
    let conflict = check("team", "package a\nx := 2 if input.b\nx contains 1\n").await;
    assert_eq!(conflict.status, 400, "a set is compiled with all others: {conflict:?}");
    assert_eq!(check("lib", "package a\nx contains 1\n").await.status, 200, "in place of the set of its name");
    assert_eq!(check("files", "package b\n").await.status, 400);
    let after = engine.get("/plimsoll/v1/status").await.json();
    assert_eq!((&after["revision"], &after["policies"]), (&before["revision"], &before["policies"]));
    assert_eq!(engine.get("/v1/data/b").await.json(), json!({}));
}

#[tokio::test]
async fn bad_sets_are_refused_with_a_reason() {
    let engine = bare(&[]);
    let table = [
        (put(&engine, "files", &[]).await, "--policies"),
        (put(&engine, "a%20b", &[]).await, "name `a b`"),
        (engine.ask("PUT", "/plimsoll/v1/policies/team", r#"{"modules":{},"x":1}"#).await, "unknown field `x`"),
    ];
    for (answer, part) in table {
        assert!(answer.status == 400 && answer.text.contains(part), "{answer:?}");
    }
}

#[tokio::test]
async fn a_source_that_sends_policies_needs_its_session() {
    let engine = bare(&["--require-source=team"]);
    let body = r#"{"kinds":[],"policies":true}"#;
    let declared = engine.ask("PUT", "/plimsoll/v1/sources/team", body).await.json();
    assert_eq!(put(&engine, "team", &[]).await.status, 409);
    assert_eq!(engine.get("/health/ready").await.status, 500);
    let with_session = json!({"modules": {}, "session": declared["session"]}).to_string();
    assert_eq!(engine.ask("PUT", "/plimsoll/v1/policies/team", with_session).await.status, 200);
    assert_eq!(engine.get("/health/ready").await.status, 200);
}

#[tokio::test]
async fn files_are_watched_and_a_broken_one_keeps_the_last_good_set() {
    let engine = engine(&[("a.rego", "package a\nx := 1\n")], &[]);
    let x = async || engine.get("/v1/data/a/x").await.json()["result"].clone();
    assert_eq!(x().await, json!(1));
    fs::write(engine.policy_file("a.rego"), "package a\nx := 2\n").unwrap();
    eventually("the change is in force", async || (x().await == json!(2)).then_some(())).await;
    fs::write(engine.policy_file("a.rego"), "package a\nx := {\n").unwrap();
    let errors = async || engine.get("/plimsoll/v1/status").await.json()["policies"]["files"]["errors"].clone();
    eventually("the error is shown", async || errors().await.is_array().then_some(())).await;
    assert_eq!(x().await, json!(2));
    assert_eq!(engine.get("/health/ready").await.status, 200);
}

#[tokio::test]
async fn an_engine_that_starts_with_a_broken_policy_lives_and_is_not_ready() {
    let engine = engine(&[("a.rego", "package a\nx := {\n")], &[]);
    assert_eq!(engine.get("/health/live").await.status, 200);
    let ready = engine.get("/health/ready").await;
    assert!(ready.status == 500 && ready.json()["reasons"].as_array().is_some_and(|reasons| !reasons.is_empty()));
    // OPA does not start with it: nobody is told that there is no `deny`.
    let asked = [
        ("GET", "/v1/data/a/x", ""),
        ("POST", "/v1/data/a/x", "{}"),
        ("POST", "/v0/data/a/x", "{}"),
        ("POST", "/", "{}"),
        ("GET", "/v1/query?q=data.a.x=x", ""),
        ("POST", "/v1/query", r#"{"query": "data.a.x = x"}"#),
    ];
    for (method, path, body) in asked {
        let answer = engine.ask(method, path, body).await;
        assert_eq!((answer.status, &answer.json()["code"]), (500, &json!("internal_error")), "{method} {path}: {answer:?}");
        assert!(answer.text.contains("not loaded: policy set `files`") && answer.text.contains("a.rego:3"), "{answer:?}");
    }
    fs::write(engine.policy_file("a.rego"), "package a\nx := 1\n").unwrap();
    engine.ready().await;
    fs::write(engine.policy_file("a.rego"), "package a\nx := {\n").unwrap();
    let errors = async || engine.get("/plimsoll/v1/status").await.json()["policies"]["files"]["errors"].clone();
    eventually("the error is shown", async || errors().await.is_array().then_some(())).await;
    assert_eq!(engine.get("/v1/data/a/x").await.json(), json!({"result": 1}), "the last good one stays");
}

#[tokio::test]
async fn what_clients_put_is_not_waited_for_and_local_bundles_are() {
    let client = bare(&[]);
    assert_eq!(client.ask("PUT", "/v1/policies/p", "package p\nq := (((").await.status, 400);
    assert_eq!(client.get("/v1/data/p/q").await.json(), json!({}));
    let engine = bare(&["--bundle=/nonexistent/bundle"]);
    let answer = engine.ask("POST", "/v1/data/p/q", "{}").await;
    assert!(answer.status == 500 && answer.text.contains("not loaded: policy set `bundle//nonexistent/bundle`"), "{answer:?}");
}

/// Each would be found at evaluation, or never, or end the process.
#[tokio::test]
async fn every_bad_policy_is_refused_with_its_place_and_the_last_good_set_stays() {
    let engine = bare(&[]);
    assert_eq!(put(&engine, "team", &[("good.rego", "package good\nx := 1\n")]).await.status, 200);
    let deep = format!("package bad\n\np := {}1{}\n", "[".repeat(200_000), "]".repeat(200_000));
    for (text, code, row) in [
        ("package bad\n\np if {\n\tx > 1\n}\n", "rego_unsafe_var_error", 4),
        ("package bad\n\np if no.such.function(1)\n", "rego_type_error", 3),
        ("package bad\n\np if startswith(\"a\")\n", "rego_type_error", 3),
        ("package bad\n\np if q\n\nq if p\n", "rego_recursion_error", 3),
        ("package bad\n\nf(x) := f(x)\n", "rego_recursion_error", 3),
        ("package bad\n\np := 1\n\np contains 2\n", "rego_type_error", 3),
        ("package bad\n\np if http.send({})\n", "rego_type_error", 3),
        (&deep, "rego_parse_error", 3),
    ] {
        let answer = put(&engine, "team", &[("bad.rego", text)]).await;
        let shown = text.get(..60).unwrap_or(text);
        assert_eq!(answer.status, 400, "{shown}: {answer:?}");
        let error = answer.json()["errors"][0].clone();
        assert_eq!((&error["code"], &error["location"]["file"]), (&json!(code), &json!("bad.rego")), "{shown}: {error}");
        assert!(error["location"]["row"] == row && error["location"]["col"].as_u64() > Some(0), "{shown}: {error}");
        assert_eq!(engine.get("/v1/data/good/x").await.json(), json!({"result": 1}), "{shown}");
    }
}

#[tokio::test]
async fn a_builtin_that_would_allocate_without_bound_ends_its_evaluation_only() {
    let engine = bare(&[]);
    let long = "concat(\"\", [\"aaaaaaaaaa\" | numbers.range(1, 10000)[_]])";
    let q = format!("q := count(replace(s, \"a\", s)) if s := {long}\n");
    let text = format!("package greedy\n\np := count(numbers.range(1, 1000000000000))\n\n{q}\nr := 1\n");
    assert_eq!(put(&engine, "team", &[("greedy.rego", &text)]).await.status, 200);
    for (document, row) in [("p", 3), ("q", 5)] {
        let answer = engine.get(&format!("/v1/data/greedy/{document}")).await;
        assert_eq!(answer.status, 500, "{answer:?}");
        assert!(answer.text.contains(&format!("greedy.rego:{row}:")), "{answer:?}");
    }
    assert_eq!(engine.get("/v1/data/greedy/r").await.json(), json!({"result": 1}));
}
