//! OPA's data API: documents in and out, statuses and bodies as OPA has them.

use serde_json::json;

use super::support::{Engine, bare, engine};

const RULES: &str = "package app\nallow if input.user == \"ann\"\nlist := data.things\nhelper(x) := x\n";

async fn statuses(engine: &Engine, table: &[(&str, &str, &str, u16)]) {
    for (method, path, body, status) in table {
        let answer = engine.ask(method, path, (*body).to_owned()).await;
        assert_eq!(answer.status, *status, "{method} {path} {body}: {answer:?}");
        if *status >= 400 && *status != 405 {
            let error = answer.json();
            assert!(error["code"].is_string() && error["message"].is_string(), "{method} {path}: {error}");
        }
    }
}

#[tokio::test]
async fn writes_have_opas_statuses() {
    let engine = bare(&[]);
    statuses(
        &engine,
        &[
            ("PUT", "/v1/data/a/b", r#"{"c":1}"#, 204),
            ("PUT", "/v1/data/a/b/c/d", "1", 404),
            ("PUT", "/v1/data/a/x", "{", 400),
            ("PUT", "/v1/data", "1", 400),
            ("PATCH", "/v1/data/a", r#"[{"op":"add","path":"b/e","value":null},{"op":"remove","path":"b/c"}]"#, 204),
            ("PATCH", "/v1/data/a", r#"[{"op":"add","path":"n","value":1},{"op":"remove","path":"missing"}]"#, 404),
            ("PATCH", "/v1/data/a", r#"[{"op":"test","path":"b","value":1}]"#, 400),
            ("PATCH", "/v1/data/a", "{}", 400),
            ("DELETE", "/v1/data/missing", "", 404),
            ("DELETE", "/v1/data", "", 405),
        ],
    )
    .await;
    assert_eq!(engine.get("/v1/data/a").await.json(), json!({"result": {"b": {"e": null}}}), "a patch is all or nothing");
    statuses(&engine, &[("DELETE", "/v1/data/a/b", "", 204)]).await;
    assert_eq!(engine.get("/v1/data/a").await.json(), json!({"result": {}}));
}

#[tokio::test]
async fn a_write_that_changes_nothing_publishes_nothing() {
    let engine = bare(&[]);
    engine.put_data("a", &json!({"b": [1]})).await;
    let before = engine.get("/v1/data").await.header("plimsoll-revision").to_owned();
    engine.put_data("a", &json!({"b": [1]})).await;
    assert_eq!(engine.get("/v1/data").await.header("plimsoll-revision"), before);
}

#[tokio::test]
async fn undefined_and_missing_are_as_in_opa() {
    let engine = engine(&[("app.rego", RULES)], &[]);
    let v1 = engine.ask("POST", "/v1/data/app/allow", r#"{"input":{"user":"bob"}}"#).await;
    assert_eq!((v1.status, v1.json()), (200, json!({})));
    for (path, message) in [("app/allow", "document undefined: data.app.allow"), ("app2", "document missing: data.app2")] {
        let v0 = engine.ask("POST", &format!("/v0/data/{path}"), "{}").await;
        assert_eq!(v0.status, 404);
        assert_eq!(v0.json(), json!({"code": "undefined_document", "message": message}));
    }
}

#[tokio::test]
async fn input_reaches_policy_in_every_form() {
    let engine = engine(&[("app.rego", RULES)], &[]);
    let ann = r#"{"user":"ann"}"#;
    assert_eq!(engine.ask("POST", "/v0/data/app/allow", ann).await.json(), json!(true));
    let v1 = engine.ask("POST", "/v1/data/app/allow", format!("{{\"input\":{ann}}}")).await;
    assert_eq!(v1.json(), json!({"result": true}));
    let get = engine.get("/v1/data/app/allow?input=%7B%22user%22:%22ann%22%7D").await;
    assert_eq!(get.json(), json!({"result": true}));
    let missing = engine.ask("POST", "/v1/data/app/allow", "{}").await.json();
    assert_eq!(missing["warning"]["code"], "api_usage_warning");
    let malformed = [
        ("POST", "/v0/data/app/allow", "{", "unexpected parse error for input"),
        ("POST", "/v1/data/app/allow", "{", "body contains malformed input document"),
        ("GET", "/v1/data/app/allow?input={", "", "parameter contains malformed input document"),
    ];
    for (method, path, body, message) in malformed {
        let answer = engine.ask(method, path, body).await;
        assert_eq!(answer.status, 400, "{method} {path}");
        assert!(answer.json()["message"].as_str().unwrap().starts_with(message), "{answer:?}");
    }
}

#[tokio::test]
async fn t16_rules_see_the_data_that_was_written() {
    let engine = engine(&[("app.rego", RULES)], &[]);
    engine.put_data("things", &json!(["x"])).await;
    assert_eq!(engine.get("/v1/data/app/list").await.json(), json!({"result": ["x"]}));
    let whole = engine.get("/v1/data").await.json();
    assert_eq!((&whole["result"]["things"], &whole["result"]["app"]["list"]), (&json!(["x"]), &json!(["x"])));
    let conflict = engine.ask("PUT", "/v1/data/app/list", "1").await;
    assert_eq!(conflict.status, 400, "{conflict:?}");
}

#[tokio::test]
async fn paths_are_read_as_opa_reads_them() {
    let engine = bare(&[]);
    engine.put_data("a%2Fb/c", &json!(1)).await;
    assert_eq!(engine.get("/v1/data").await.json()["result"], json!({"a/b": {"c": 1}}));
    statuses(
        &engine,
        &[
            ("GET", "/v1/data/a%22b", "", 400),
            ("GET", "/v1/data/a//b", "", 307),
            ("GET", "/v1/data/a%0Ab", "", 400),
            ("GET", "/nothing", "", 404),
            ("GET", "/v1/database", "", 404),
            ("POST", "/plimsoll/v1/status", "", 405),
            ("PUT", "/v0/data/a", "1", 405),
            ("GET", "/v0/data/a", "", 405),
            ("HEAD", "/v1/data/a", "", 405),
            ("HEAD", "/health", "", 200),
            ("POST", "/health", "", 405),
        ],
    )
    .await;
    let redirect = engine.get("/v1/data/a/?pretty").await;
    assert_eq!((redirect.status, redirect.header("location")), (301, "/v1/data/a?pretty"));
    assert_eq!(engine.ask("PUT", "/v0/data/a", "1").await.text, "");
}

#[tokio::test]
async fn if_none_match_writes_only_what_is_new() {
    let engine = bare(&[]);
    let put = async |value: &str| {
        let request = engine.client.put(format!("{}/v1/data/a", engine.api)).header("if-none-match", "*");
        request.body(value.to_owned()).send().await.unwrap().status().as_u16()
    };
    assert_eq!((put("1").await, put("2").await), (204, 304));
    assert_eq!(engine.get("/v1/data/a").await.json(), json!({"result": 1}));
}

#[tokio::test]
async fn answers_say_what_they_were_made_of() {
    let engine = bare(&[]);
    engine.put_data("a", &json!(1)).await;
    let answer = engine.get("/v1/data/a?pretty&metrics&provenance=true").await;
    assert!(answer.text.starts_with("{\n  ") && answer.text.ends_with("}\n"), "{}", answer.text);
    let body = answer.json();
    assert!(body["metrics"]["timer_server_handler_ns"].is_u64(), "{body}");
    assert_eq!(body["provenance"]["revision"], answer.header("plimsoll-revision"));
    assert_eq!(body["provenance"]["epoch"], answer.header("plimsoll-epoch"));
    for path in ["/nothing", "/v1/data/a%22", "/health", "/plimsoll/v1/placements", "/v1/data/"] {
        let answer = engine.get(path).await;
        assert!(!answer.header("plimsoll-epoch").is_empty() && !answer.header("plimsoll-revision").is_empty(), "{path}");
    }
}

#[tokio::test]
async fn an_evaluation_error_has_opas_body() {
    let conflict = "package app\nx := 1 if input.a\nx := 2 if input.b\n";
    let engine = engine(&[("app.rego", conflict)], &[]);
    let answer = engine.ask("POST", "/v1/data/app/x", r#"{"input":{"a":true,"b":true}}"#).await;
    let body = answer.json();
    assert_eq!((answer.status, &body["code"]), (500, &json!("internal_error")));
    assert_eq!(body["message"], "error(s) occurred while evaluating query");
    assert_eq!(body["errors"][0]["code"], "eval_conflict_error", "{body}");
    assert!(body["errors"][0]["location"]["file"].as_str().unwrap().ends_with("app.rego"), "{body}");
}

#[tokio::test]
async fn bodies_may_be_compressed() {
    let engine = bare(&[]);
    let request = engine.client.put(format!("{}/v1/data/a", engine.api)).header("content-encoding", "gzip");
    let status = request.body(gzip(br#"{"b":1}"#)).send().await.unwrap().status();
    assert_eq!(status, 204);
    assert_eq!(engine.get("/v1/data/a").await.json(), json!({"result": {"b": 1}}));
}

/// A gzip file of one stored block: no compressor is needed.
fn gzip(text: &[u8]) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap();
    let crc = !text.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 })
    });
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1];
    file.extend(length.to_le_bytes());
    file.extend((!length).to_le_bytes());
    file.extend(text);
    file.extend(crc.to_le_bytes());
    file.extend(u32::from(length).to_le_bytes());
    file
}
