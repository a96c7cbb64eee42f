//! What one request may cost.

use super::support::bare;

#[tokio::test]
async fn bodies_are_bounded() {
    let engine = bare(&[]);
    let large = format!("\"{}\"", "x".repeat(8 << 20));
    for path in ["/v0/data/a", "/v1/data/a"] {
        let answer = engine.ask("POST", path, large.clone()).await;
        assert!(answer.status == 400 && answer.text.contains("request body too large: 8 MiB exceeds"), "{path}: {answer:?}");
    }
    let put = engine.ask("PUT", "/v1/data/a", large).await;
    assert_eq!(put.status, 204, "writes may be larger: {put:?}");
}

#[tokio::test]
async fn depth_is_bounded() {
    let engine = bare(&[]);
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let table =
        [("PUT", "/v1/data/a", deep(10_000)), ("POST", "/v0/data/a", deep(300)), ("POST", "/v1/data/a", input(&deep(300)))];
    for (method, path, body) in table {
        let answer = engine.ask(method, path, body).await;
        assert!(answer.status == 400 && answer.text.contains("nested too deeply"), "{method} {path}: {answer:?}");
    }
    assert_eq!(engine.ask("PUT", "/v1/data/a", deep(60)).await.status, 204);
}

fn input(text: &str) -> String {
    format!(r#"{{"input":{text}}}"#)
}

#[tokio::test]
async fn a_line_of_a_sync_is_bounded() {
    let engine = bare(&[]);
    let declared = super::sources::declare(&engine, "fleet", super::sources::clusters()).await;
    let mut large = super::sources::cluster("a");
    large["spec"]["x"] = "x".repeat(8 << 20).into();
    let session = &declared.session;
    let answer = super::sources::sync(&engine, "fleet", session, super::sources::CLUSTERS, "replace", &[large]).await;
    assert!(answer.status == 400 && answer.text.contains("8 MiB"), "{answer:?}");
}
