//! OPA's clients for Python and JavaScript, unchanged, from their registries; and a stand-in for kube-mgmt.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value as Json, json};

use super::support::{Engine, bare, plimsoll};

/// Where `tests/clients/opa-clients` put them.
fn clients() -> Option<PathBuf> {
    let found = std::env::var_os("PLIMSOLL_OPA_CLIENTS").map(PathBuf::from);
    if found.is_none() {
        let required = std::env::var("PLIMSOLL_E2E").is_ok_and(|value| value == "required");
        let how = "PLIMSOLL_OPA_CLIENTS is not set; `export PLIMSOLL_OPA_CLIENTS=$(tests/clients/opa-clients)`";
        assert!(!required, "{how}");
        let _ = writeln!(std::io::stderr(), "skipped: {how}");
    }
    found
}

fn program(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/clients/opa").join(name)
}

fn succeeds(command: &mut Command) {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(done.status.success(), "{said}");
}

#[test]
fn the_python_client_works() {
    let Some(clients) = clients() else { return };
    let engine = bare(&[]);
    let (host, port) = engine.api.trim_start_matches("http://").split_once(':').unwrap();
    let mut command = Command::new("python3");
    command.args(["-m", "unittest", "-v", "test_opa"]).current_dir(program("")).env("PYTHONDONTWRITEBYTECODE", "1");
    succeeds(command.env("PYTHONPATH", clients.join("python")).env("OPA_HOST", host).env("OPA_PORT", port));
}

#[test]
fn the_javascript_client_works() {
    let Some(clients) = clients() else { return };
    let engine = bare(&[]);
    let mut command = Command::new("node");
    succeeds(command.arg("--test").arg(program("opa.test.mjs")).current_dir(clients).env("OPA_URL", &engine.api));
}

/// kube-mgmt's requests, as its source makes them (`pkg/opa`, `pkg/data`, `pkg/configmap`): policies by
/// `namespace/name/key`, a whole kind by PUT, single objects by PATCH on `/v1/data` with the path in the operation.
struct KubeMgmt<'e> {
    engine: &'e Engine,
}

impl KubeMgmt<'_> {
    async fn send(&self, method: &str, path: &str, body: String) -> (u16, String) {
        let url = format!("{}{path}", self.engine.api);
        let request = self.engine.client.request(reqwest::Method::from_bytes(method.as_bytes()).unwrap(), url);
        let answer = request.header("authorization", "Bearer kube-mgmt-token").body(body).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }

    async fn policy(&self, id: &str, text: &str) -> (u16, String) {
        self.send("PUT", &format!("/v1/policies/{id}"), text.to_owned()).await
    }

    async fn load(&self, kind: &str, objects: &Json) {
        assert_eq!(self.send("PUT", &format!("/v1/data/kubernetes/{kind}"), objects.to_string()).await.0, 204);
    }

    async fn change(&self, op: &str, path: &str, value: Option<Json>) -> u16 {
        let mut patch = json!({"op": op, "path": path});
        patch.as_object_mut().unwrap().extend(value.map(|value| ("value".to_owned(), value)));
        self.send("PATCH", "/v1/data", json!([patch]).to_string()).await.0
    }

    async fn names(&self) -> Json {
        let answer = self.send("GET", "/v1/data/placement/names", String::new()).await.1;
        serde_json::from_str::<Json>(&answer).unwrap()["result"].clone()
    }
}

const PLACEMENT: &str = "package placement\n\nnames contains name if some name, _ in data.kubernetes.pods.shop\n";

async fn loaded(engine: &Engine) -> KubeMgmt<'_> {
    let manager = KubeMgmt { engine };
    assert_eq!(manager.policy("opa/placement/main.rego", PLACEMENT).await, (200, "{}\n".to_owned()));
    manager.load("pods", &json!({"shop": {"a": {"metadata": {"name": "a"}}, "b": {"metadata": {"name": "b"}}}})).await;
    assert_eq!(manager.names().await, json!(["a", "b"]));
    manager
}

fn engine_for_it() -> Engine {
    let dir = tempfile::tempdir().unwrap();
    let token = dir.path().join("token");
    std::fs::write(&token, "kube-mgmt-token").unwrap();
    let option = format!("--write-token-file={}", token.display());
    super::support::start(dir, &[&option])
}

#[tokio::test]
async fn kube_mgmt_loads_storms_and_removes() {
    let engine = engine_for_it();
    let manager = loaded(&engine).await;
    let error = manager.policy("opa/placement/broken.rego", "package broken\n\np := x\n").await;
    assert_eq!(error.0, 400);
    let error: Json = serde_json::from_str(&error.1).unwrap();
    assert_eq!(error["errors"][0]["location"]["file"], "opa/placement/broken.rego", "what it writes into its annotation");

    for round in 0..200 {
        let name = format!("pod-{}", round % 20);
        let path = format!("kubernetes/pods/shop/{name}");
        assert_eq!(manager.change("add", &path, Some(json!({"metadata": {"name": name}, "round": round}))).await, 204);
    }
    for round in 0..20 {
        assert_eq!(manager.change("remove", &format!("kubernetes/pods/shop/pod-{round}"), None).await, 204);
    }
    assert_eq!(manager.change("remove", "kubernetes/pods/shop/pod-1", None).await, 404);
    assert_eq!(manager.names().await, json!(["a", "b"]));

    assert_eq!(manager.send("DELETE", "/v1/policies/opa/placement/main.rego", String::new()).await.0, 200);
    assert_eq!(manager.names().await, Json::Null);
}

#[tokio::test]
async fn kube_mgmt_fills_a_restarted_engine_again() {
    let first = engine_for_it();
    loaded(&first).await;
    drop(first);
    let second = engine_for_it();
    let manager = KubeMgmt { engine: &second };
    assert_eq!(manager.names().await, Json::Null, "OPA keeps nothing in memory either");
    loaded(&second).await;
}

#[tokio::test]
async fn a_unix_socket_is_served() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("engine.sock");
    let address = format!("unix://{}", socket.display());
    let engine = super::support::start(dir, &[&format!("--addr={address}"), "--unix-socket-perm=700"]);
    assert_eq!(engine.api, address);
    let client = super::support::client().unix_socket(socket.clone()).build().unwrap();
    let put = client.put("http://localhost/v1/data/a").body("1").send().await.unwrap();
    assert_eq!(put.status(), 204);
    let got: Json = client.get("http://localhost/v1/data/a").send().await.unwrap().json().await.unwrap();
    assert_eq!(got, json!({"result": 1}));
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&socket).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700);
    let refused = plimsoll(&["serve", "--addr=unix://relative"]).output().unwrap();
    assert!(!refused.status.success());
}

#[tokio::test]
async fn several_addresses_are_served() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("opa.sock");
    let address = format!("--addr=unix://{}", socket.display());
    let engine = super::support::start(dir, &["--addr=127.0.0.1:0", "--addr=127.0.0.1:0", &address]);
    engine.put_data("a", &serde_json::json!(1)).await;
    let second = engine.listening["api2"].as_str().unwrap();
    assert_ne!(second, engine.api);
    let answer = engine.client.get(format!("{second}/v1/data/a")).send().await.unwrap();
    assert_eq!(answer.text().await.unwrap(), "{\"result\":1}\n");
    let client = super::support::client().unix_socket(socket).build().unwrap();
    let answer = client.get("http://localhost/v1/data/a").send().await.unwrap();
    assert_eq!(answer.text().await.unwrap(), "{\"result\":1}\n");
}
