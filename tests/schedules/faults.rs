//! The faults themselves: what a schedule switches on does what its name says, and ends when it is switched off.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use reqwest::{Certificate, Client};
use serde_json::Value as Json;
use tempfile::TempDir;
use tokio::time::timeout;

use super::super::e2e::{Faults, Kubectl, Proxy, Server, Started, unique};

const PATIENCE: Duration = Duration::from_secs(1);
const NAMESPACES: &str = "/api/v1/namespaces";

struct Way {
    client: Client,
    url: String,
    token: String,
}

type Events = BoxStream<'static, reqwest::Result<bytes::Bytes>>;

#[test]
fn each_fault_of_the_proxy_does_what_its_name_says() {
    let Some(server) = Started::start(Server::Real, "") else { return };
    let (kubectl, directory) = (server.admin(), TempDir::new().unwrap());
    let proxy = Proxy::start(kubectl.kubeconfig());
    let kubeconfig = directory.path().join("kubeconfig");
    proxy.kubeconfig(kubectl.kubeconfig(), &kubeconfig);
    let way = Way::new(&std::fs::read_to_string(kubeconfig).unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        requests(&proxy, &way).await;
        streams(&proxy, &way, &kubectl).await;
    });
}

async fn requests(proxy: &Proxy, way: &Way) {
    assert_eq!(way.get().await, Some(200));
    proxy.set(|faults| faults.unauthorized = true);
    assert_eq!(way.get().await, Some(401));
    proxy.set(|faults| *faults = Faults { too_many: 50, ..Faults::default() });
    let mut refused = 0;
    for _ in 0..20 {
        refused += usize::from(way.get().await == Some(429));
    }
    assert!((5..=15).contains(&refused), "{refused} of 20");
    proxy.set(|faults| *faults = Faults { slow: Duration::from_millis(300), ..Faults::default() });
    let start = tokio::time::Instant::now();
    assert_eq!(way.get().await, Some(200));
    assert!(start.elapsed() > Duration::from_millis(300));
    for fault in [Faults { cut: true, ..Faults::default() }, Faults { half_open: true, ..Faults::default() }] {
        proxy.set(|faults| *faults = fault);
        assert_eq!(way.get().await, None, "{fault:?}");
        proxy.set(|faults| *faults = Faults::default());
        assert_eq!(way.get().await, Some(200), "after {fault:?}");
    }
}

async fn streams(proxy: &Proxy, way: &Way, kubectl: &Kubectl) {
    let mut events = way.watch().await.unwrap();
    while next(&mut events).await.is_some() {}
    let happens = || kubectl.run(&["create", "namespace", &unique("fault")]);
    happens();
    assert!(next(&mut events).await.is_some(), "an event passes at once");

    for fault in [Faults { stall_watches: true, ..Faults::default() }, Faults { half_open: true, ..Faults::default() }] {
        proxy.set(|faults| *faults = fault);
        happens();
        assert!(next(&mut events).await.is_none(), "silence: {fault:?}");
        assert!(way.watch().await.is_none(), "a new watch is as silent: {fault:?}");
        assert_eq!(way.get().await, fault.stall_watches.then_some(200), "lists: {fault:?}");
        proxy.set(|faults| *faults = Faults::default());
        assert!(next(&mut events).await.is_some_and(|event| event.is_ok()), "it goes on after {fault:?}");
    }
    proxy.set(|faults| faults.cut = true);
    assert!(!matches!(next(&mut events).await, Some(Ok(_))), "a stream is cut");
}

/// `None`: silence.
async fn next(events: &mut Events) -> Option<reqwest::Result<bytes::Bytes>> {
    timeout(PATIENCE, events.next()).await.ok().flatten()
}

impl Way {
    fn new(kubeconfig: &str) -> Self {
        // Whoever comes first installs it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let config: Json = serde_json::from_str(kubeconfig).unwrap();
        let cluster = &config["clusters"][0]["cluster"];
        let ca = std::fs::read(cluster["certificate-authority"].as_str().unwrap()).unwrap();
        let client = Client::builder().tls_certs_only([Certificate::from_pem(&ca).unwrap()]).build().unwrap();
        let (url, token) = (cluster["server"].as_str().unwrap(), config["users"][0]["user"]["token"].as_str().unwrap());
        Self { client, url: url.into(), token: token.into() }
    }

    async fn get(&self) -> Option<u16> {
        let answer = self.ask("?limit=1");
        timeout(PATIENCE, answer).await.ok().flatten().map(|answer| answer.status().as_u16())
    }

    async fn watch(&self) -> Option<Events> {
        let answer = timeout(PATIENCE, self.ask("?watch=true")).await.ok().flatten()?;
        Some(answer.bytes_stream().boxed())
    }

    async fn ask(&self, query: &str) -> Option<reqwest::Response> {
        self.client.get(format!("{}{NAMESPACES}{query}", self.url)).bearer_auth(&self.token).send().await.ok()
    }
}
