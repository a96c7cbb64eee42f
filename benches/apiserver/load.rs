//! The requests: bytes in, bytes out, so that the client's own parsing is not what is measured.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::{AsyncBufReadExt, StreamExt, TryStreamExt, stream};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::tables::{self, Outcome};

const NAMESPACE: &str = "bench";
const PATH: &str = "/apis/apps/v1/namespaces/bench/replicasets";
const WRITERS: usize = 16;
const LIMIT: Duration = Duration::from_secs(120);

type Request = http::Request<Vec<u8>>;

/// A client of one server.
pub(super) struct Load {
    client: Client,
    kubeconfig: Kubeconfig,
}

impl Load {
    /// In a namespace of its own.
    pub(super) async fn new(kubeconfig: &Path) -> Outcome<Self> {
        let kubeconfig = Kubeconfig::read_from(kubeconfig)?;
        let load = Self { client: connect(&kubeconfig).await?, kubeconfig };
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
        load.send("POST", "/api/v1/namespaces", &namespace).await?;
        Ok(load)
    }

    async fn send(&self, method: &str, path: &str, body: &Json) -> Outcome<String> {
        Ok(self.client.request_text(request(method, path, body.to_string().into_bytes())?).await?)
    }

    /// Every object once, from several connections; how long each took, and all together.
    pub(super) async fn create(&self, objects: usize) -> Outcome<(Vec<Duration>, Duration)> {
        let bodies = (0..objects).map(|n| ("POST", PATH.to_owned(), object(n, 1)));
        self.work(bodies.collect()).await
    }

    /// The first objects again, with another image.
    pub(super) async fn update(&self, objects: usize) -> Outcome<(Vec<Duration>, Duration)> {
        let bodies = (0..objects).map(|n| ("PUT", format!("{PATH}/{}", name(n)), object(n, 2)));
        self.work(bodies.collect()).await
    }

    async fn work(&self, requests: Vec<(&'static str, String, Json)>) -> Outcome<(Vec<Duration>, Duration)> {
        let all = Instant::now();
        let one = |(method, path, body): (&'static str, String, Json)| async move {
            let body = body.to_string().into_bytes();
            let started = Instant::now();
            self.client.request_text(request(method, &path, body)?).await?;
            Outcome::Ok(started.elapsed())
        };
        let times = stream::iter(requests).map(one).buffer_unordered(WRITERS).try_collect().await?;
        Ok((times, all.elapsed()))
    }

    /// All objects in one answer.
    pub(super) async fn list(&self, objects: usize) -> Outcome<Duration> {
        let started = Instant::now();
        let text = self.client.request_text(request("GET", PATH, Vec::new())?).await?;
        let time = started.elapsed();
        let found = text.matches("\"registry.example.org/").count();
        if found == objects { Ok(time) } else { Err(format!("{found} of {objects} objects in the list").into()) }
    }

    /// One change, until every watcher has seen it; so many times.
    pub(super) async fn fan_out(&self, watchers: usize, rounds: usize) -> Outcome<Vec<Duration>> {
        let list: Json =
            serde_json::from_str(&self.client.request_text(request("GET", &format!("{PATH}?limit=1"), Vec::new())?).await?)?;
        let since = list.pointer("/metadata/resourceVersion").and_then(Json::as_str).unwrap_or_default().to_owned();
        let (sender, mut seen) = mpsc::unbounded_channel();
        // Several connections, as the watchers of several processes are.
        let mut clients = Vec::new();
        for _ in 0..8 {
            clients.push(connect(&self.kubeconfig).await?);
        }
        let clients = Arc::new(clients);
        let mut watching = Vec::with_capacity(watchers);
        for number in 0..watchers {
            let client = clients.get(number % clients.len()).cloned().ok_or("no client")?;
            let path = format!("{PATH}?watch=1&resourceVersion={since}&timeoutSeconds=600");
            let mut lines = client.request_stream(request("GET", &path, Vec::new())?).await?.lines();
            let sender = sender.clone();
            watching.push(tokio::spawn(async move {
                while let Some(Ok(_)) = lines.next().await {
                    // The end of the measurement.
                    if sender.send(Instant::now()).is_err() {
                        return;
                    }
                }
            }));
        }
        let mut times = Vec::with_capacity(rounds);
        for round in 0..rounds {
            let started = Instant::now();
            self.send("PUT", &format!("{PATH}/{}", name(0)), &object(0, 10 + round)).await?;
            let mut last = started;
            for _ in 0..watchers {
                last = last.max(timeout(LIMIT, seen.recv()).await?.ok_or("the watchers are gone")?);
            }
            times.push(last.duration_since(started));
        }
        watching.iter().for_each(|task| task.abort());
        Ok(times)
    }
}

async fn connect(kubeconfig: &Kubeconfig) -> Outcome<Client> {
    let config = Config::from_custom_kubeconfig(kubeconfig.clone(), &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}

fn request(method: &str, path: &str, body: Vec<u8>) -> Outcome<Request> {
    Ok(http::Request::builder().method(method).uri(path).header("content-type", "application/json").body(body)?)
}

fn name(n: usize) -> String {
    format!("workload-{n:06}")
}

fn object(n: usize, version: usize) -> Json {
    let mut object = tables::replica_set(n, 1, version);
    if let Some(metadata) = object.get_mut("metadata").and_then(Json::as_object_mut) {
        metadata.insert("namespace".into(), NAMESPACE.into());
        metadata.remove("uid");
        metadata.remove("resourceVersion");
    }
    object
}
