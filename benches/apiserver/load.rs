//! The requests: bytes in, bytes out, so that the client's own parsing is not what is measured.

use std::path::Path;
use std::time::{Duration, Instant};

use futures::{AsyncBufReadExt, StreamExt, TryStreamExt, stream};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::tables::{self, Outcome};

const NAMESPACE: &str = "bench";
const PATH: &str = "/apis/apps/v1/namespaces/bench/replicasets";
const WRITERS: usize = 16;
const LIMIT: Duration = Duration::from_secs(120);

type Request = http::Request<Vec<u8>>;

/// How long each request took, and all together.
pub(super) type Times = (Vec<Duration>, Duration);

/// Those who wait for changes, and when they saw them.
pub(super) struct Watchers {
    tasks: Vec<JoinHandle<()>>,
    seen: mpsc::UnboundedReceiver<Instant>,
}

/// A client of one server.
pub(super) struct Load {
    client: Client,
}

impl Load {
    /// In a namespace of its own.
    pub(super) async fn new(kubeconfig: &Path) -> Outcome<Self> {
        let load = Self { client: connect(Kubeconfig::read_from(kubeconfig)?).await? };
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
        load.send("POST", "/api/v1/namespaces", &namespace).await?;
        Ok(load)
    }

    /// One request with a body in JSON.
    pub(super) async fn send(&self, method: &str, path: &str, body: &Json) -> Outcome<String> {
        Ok(self.client.request_text(request(method, path, body.to_string().into_bytes())?).await?)
    }

    /// Every object once, from several connections.
    pub(super) async fn create(&self, objects: usize) -> Outcome<Times> {
        self.work((0..objects).map(|n| request("POST", PATH, text(n, 1)))).await
    }

    /// Objects from a number on, by so many at once.
    pub(super) async fn create_from(&self, first: usize, objects: usize, writers: usize) -> Outcome<Times> {
        self.work_by((first..first + objects).map(|n| request("POST", PATH, text(n, 1))), writers).await
    }

    /// A create that stores nothing.
    pub(super) async fn probe(&self) -> Outcome<()> {
        self.send("POST", &format!("{PATH}?dryRun=All"), &object(999_999, 1)).await.map(drop)
    }

    /// The first objects again, with another image.
    pub(super) async fn update(&self, objects: usize) -> Outcome<Times> {
        self.work((0..objects).map(|n| request("PUT", &format!("{PATH}/{}", name(n)), text(n, 2)))).await
    }

    async fn work(&self, requests: impl Iterator<Item = Outcome<Request>>) -> Outcome<Times> {
        self.work_by(requests, WRITERS).await
    }

    async fn work_by(&self, requests: impl Iterator<Item = Outcome<Request>>, writers: usize) -> Outcome<Times> {
        // All of them first: what it costs to write them is no server's cost.
        let requests: Vec<Request> = requests.collect::<Outcome<_>>()?;
        let all = Instant::now();
        let one = |request: Request| async move {
            let started = Instant::now();
            self.client.request_text(request).await?;
            Outcome::Ok(started.elapsed())
        };
        let times = stream::iter(requests).map(one).buffer_unordered(writers).try_collect().await?;
        Ok((times, all.elapsed()))
    }

    /// All objects in one answer, so many times.
    pub(super) async fn lists(&self, objects: usize, rounds: usize) -> Outcome<Times> {
        let mut times = Vec::with_capacity(rounds);
        for _ in 0..rounds {
            times.push(self.list(objects).await?);
        }
        let all = times.iter().sum();
        Ok((times, all))
    }

    async fn list(&self, objects: usize) -> Outcome<Duration> {
        let started = Instant::now();
        let text = self.client.request_text(request("GET", PATH, Vec::new())?).await?;
        let time = started.elapsed();
        let found = text.matches("\"registry.example.org/").count();
        if found == objects { Ok(time) } else { Err(format!("{found} of {objects} objects in the list").into()) }
    }

    /// One change, until every watcher has seen it; so many times.
    pub(super) async fn fan_out(&self, watchers: &mut Watchers, rounds: usize) -> Outcome<Times> {
        let mut times = Vec::with_capacity(rounds);
        for round in 0..rounds {
            let started = Instant::now();
            self.send("PUT", &format!("{PATH}/{}", name(0)), &object(0, 10 + round)).await?;
            let mut last = started;
            for _ in &watchers.tasks {
                last = last.max(timeout(LIMIT, watchers.seen.recv()).await?.ok_or("the watchers are gone")?);
            }
            times.push(last.duration_since(started));
        }
        let all = times.iter().sum();
        Ok((times, all))
    }

    /// So many watchers, each with a connection of its own, as those of several programs are.
    pub(super) async fn watch(&self, watchers: usize) -> Outcome<Watchers> {
        let list = self.client.request_text(request("GET", &format!("{PATH}?limit=1"), Vec::new())?).await?;
        let list: Json = serde_json::from_str(&list)?;
        let since = list.pointer("/metadata/resourceVersion").and_then(Json::as_str).unwrap_or_default();
        let path = format!("{PATH}?watch=1&resourceVersion={since}&timeoutSeconds=600");
        let (sender, seen) = mpsc::unbounded_channel();
        let mut tasks = Vec::with_capacity(watchers);
        for _ in 0..watchers {
            let mut lines = self.client.request_stream(request("GET", &path, Vec::new())?).await?.lines();
            let sender = sender.clone();
            tasks.push(tokio::spawn(async move {
                while let Some(Ok(_)) = lines.next().await {
                    // The end of the measurement.
                    if sender.send(Instant::now()).is_err() {
                        return;
                    }
                }
            }));
        }
        Ok(Watchers { tasks, seen })
    }
}

impl Drop for Watchers {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// HTTP/1.1: each request that waits for its answer has a connection to itself, at either server.
async fn connect(kubeconfig: Kubeconfig) -> Outcome<Client> {
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}

fn request(method: &str, path: &str, body: Vec<u8>) -> Outcome<Request> {
    Ok(http::Request::builder().method(method).uri(path).header("content-type", "application/json").body(body)?)
}

fn name(n: usize) -> String {
    format!("workload-{n:06}")
}

fn text(n: usize, version: usize) -> Vec<u8> {
    object(n, version).to_string().into_bytes()
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
