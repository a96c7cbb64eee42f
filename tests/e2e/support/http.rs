//! Plain HTTP to the processes under test.

use std::cell::OnceCell;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::runtime::{Builder, Runtime};

const PATIENCE: Duration = Duration::from_secs(10);
/// Shorter than servers keep idle connections: nothing runs here between two requests that could see one close.
const IDLE: Duration = Duration::from_secs(2);

thread_local! {
    static RUNTIME: OnceCell<(Runtime, reqwest::Client)> = const { OnceCell::new() };
}

/// Status and body of a GET, or why there was no answer.
pub(crate) fn try_get(url: &str) -> Result<(u16, String), String> {
    try_get_within(url, PATIENCE)
}

/// The same, of a process that may stand still.
pub(crate) fn try_get_within(url: &str, patience: Duration) -> Result<(u16, String), String> {
    ask(reqwest::Method::GET, url, patience)
}

/// A DELETE that was answered 204.
pub(crate) fn delete(url: &str) -> Result<(), String> {
    let (status, body) = ask(reqwest::Method::DELETE, url, PATIENCE)?;
    if status == 204 { Ok(()) } else { Err(format!("{url}: {status} {body}")) }
}

/// The JSON of a POST that was answered 200.
#[allow(dead_code, reason = "benchmarks do not ask")]
pub(crate) fn try_post(url: &str, body: &Json) -> Result<Json, String> {
    json(url, send(reqwest::Method::POST, url, PATIENCE, Some(body))?)
}

fn ask(method: reqwest::Method, url: &str, patience: Duration) -> Result<(u16, String), String> {
    send(method, url, patience, None)
}

fn send(method: reqwest::Method, url: &str, patience: Duration, body: Option<&Json>) -> Result<(u16, String), String> {
    RUNTIME.with(|cell| {
        let (runtime, client) = cell.get_or_init(|| {
            // Whoever comes first installs it.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let client = reqwest::Client::builder().pool_idle_timeout(IDLE).build().unwrap();
            (Builder::new_current_thread().enable_all().build().unwrap(), client)
        });
        runtime.block_on(async {
            let request = client.request(method, url).timeout(patience);
            let request = match body {
                Some(body) => request.header("content-type", "application/json").body(body.to_string()),
                None => request,
            };
            let response = request.send().await.map_err(|error| format!("{url}: {error}"))?;
            let status = response.status().as_u16();
            Ok((status, response.text().await.map_err(|error| format!("{url}: {error}"))?))
        })
    })
}

/// The JSON of a GET that was answered 200.
pub(crate) fn try_json(url: &str) -> Result<Json, String> {
    json(url, try_get(url)?)
}

fn json(url: &str, (status, body): (u16, String)) -> Result<Json, String> {
    if status != 200 {
        return Err(format!("{url}: {status} {body}"));
    }
    serde_json::from_str(&body).map_err(|error| format!("{url}: {error} in {body}"))
}

/// The sum of the samples of a Prometheus metric whose labels contain `labels`.
pub(crate) fn sample(text: &str, metric: &str, labels: &str) -> f64 {
    text.lines()
        .filter(|line| line.strip_prefix(metric).is_some_and(|rest| rest.starts_with(['{', ' '])) && line.contains(labels))
        .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
        .sum()
}
