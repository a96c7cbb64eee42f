//! The hook on its own, with a store in memory and a kubeconfig written for the test.

use std::cell::RefCell;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use plimsoll_apiserver::admission::engine::Limits;
use plimsoll_apiserver::admission::events::Events;
use plimsoll_apiserver::admission::metrics::Metrics;
use plimsoll_apiserver::admission::scheduling_policy::{Config, Protocol};
use plimsoll_apiserver::admission::{Attributes, InForce, Mutating, Operation, Reinvocation, SchedulingPolicy};
use plimsoll_apiserver::authn::User;
use plimsoll_apiserver::resources::{Registry, Resource};
use plimsoll_apiserver::status::Status;
use plimsoll_apiserver::storage::{Options, Store};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// The document's path, as in the tutorial.
pub(crate) const PATH: &str = "/v0/data/kubernetes/placement";

/// A hook and what it writes to.
pub(crate) struct Hook {
    pub(crate) policy: SchedulingPolicy,
    pub(crate) store: Store,
    pub(crate) metrics: Metrics,
    registry: prometheus::Registry,
    _folder: TempDir,
}

/// What differs from the tutorial's configuration.
pub(crate) struct Setup<'a> {
    pub(crate) server: String,
    pub(crate) authority: Option<&'a str>,
    /// Members of the kubeconfig's user.
    pub(crate) user: Json,
    pub(crate) protocol: Protocol,
    pub(crate) limits: Limits,
}

impl Setup<'_> {
    pub(crate) fn new(origin: &str) -> Self {
        Self {
            server: format!("{origin}{PATH}"),
            authority: None,
            user: json!({"token": "deadbeefsecret"}),
            protocol: Protocol::Raw,
            limits: Limits::default(),
        }
    }

    pub(crate) fn hook(&self) -> Hook {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        self.write(folder.path());
        let mut config = Config::new(folder.path().join("kubeconfig"));
        // Waits of milliseconds: their lengths are tested on paused time.
        (config.retry_backoff, config.protocol) = (1, self.protocol);
        let registry = prometheus::Registry::new();
        let metrics = Metrics::register(&registry).unwrap();
        let store = Store::open(Options::default()).unwrap();
        let events = Events::new(store.clone(), metrics.clone());
        let policy = SchedulingPolicy::with_limits(&config, self.limits, events, metrics.clone()).unwrap();
        Hook { policy, store, metrics, registry, _folder: folder }
    }

    fn write(&self, folder: &Path) {
        let mut cluster = json!({"server": self.server});
        if let Some(pem) = self.authority {
            std::fs::write(folder.join("ca.pem"), pem).unwrap();
            cluster["certificate-authority"] = "ca.pem".into();
        }
        let file = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "default",
            "clusters": [{"name": "opa-api", "cluster": cluster}],
            "users": [{"name": "scheduling-policy", "user": self.user}],
            "contexts": [{"name": "default", "context": {"cluster": "opa-api", "user": "scheduling-policy"}}],
        });
        std::fs::write(folder.join("kubeconfig"), file.to_string()).unwrap();
    }
}

impl Hook {
    /// Of an engine at this origin.
    pub(crate) fn of(origin: &str) -> Self {
        Setup::new(origin).hook()
    }

    pub(crate) async fn admit(&self, request: &mut Attributes) -> Result<(), Status> {
        self.policy.admit(request).await
    }

    /// All Events.
    pub(crate) fn events(&self) -> Vec<Json> {
        let snapshot = self.store.snapshot();
        let records = snapshot.list("core/events", None, None);
        records.map(|record| serde_json::from_slice(&record.value).unwrap()).collect()
    }

    /// A counter's value, by the text of its line.
    pub(crate) fn counted(&self, line: &str) -> Option<u64> {
        let text = prometheus::TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap();
        text.lines().find_map(|found| found.strip_prefix(line)?.trim().parse().ok())
    }
}

/// The tutorial's ReplicaSet, on its way to be created.
pub(crate) fn nginx() -> Attributes {
    let object = json!({
        "apiVersion": "extensions/v1beta1", "kind": "ReplicaSet",
        "metadata": {"name": "nginx-pci", "namespace": "shop", "annotations": {"requires-pci": "true"}},
        "spec": {"replicas": 3, "minReadySeconds": 7},
    });
    Attributes {
        operation: Operation::Create,
        registry: Arc::default(),
        options: Json::Null,
        configuration: InForce::default(),
        reinvocation: Reinvocation::default(),
        reveals: false,
        resource: served("extensions", "v1beta1", "replicasets"),
        subresource: String::new(),
        namespace: "shop".into(),
        name: "nginx-pci".into(),
        object: Some(object),
        old: None,
        user: User::default(),
        dry_run: false,
        deadline: Instant::now() + Duration::from_secs(30),
        warnings: RefCell::default(),
        trail: Default::default(),
    }
}

/// A row of the table of kinds.
pub(crate) fn served(group: &str, version: &str, plural: &str) -> Arc<Resource> {
    static TABLE: LazyLock<Registry> = LazyLock::new(|| Registry::built_in().unwrap());
    TABLE.find(group, version, plural).unwrap()
}

/// The object's annotations.
pub(crate) fn annotations(request: &Attributes) -> Json {
    request.object.as_ref().unwrap()["metadata"]["annotations"].clone()
}
