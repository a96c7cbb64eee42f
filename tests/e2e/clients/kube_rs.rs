//! What a controller written with kube-rs does: reflect, apply, lead, define a kind of its own.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::{ApiResource, GroupVersionKind, ObjectMeta};
use kube::runtime::reflector::{self, Store};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, Config, Error};
use serde_json::json;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::e2e::support::assets::Assets;
use crate::e2e::support::embedded::Embedded;
use crate::e2e::support::eventually::DEADLINE;
use crate::e2e::support::fixtures::unique;
use crate::e2e::support::pool;

async fn client(kubeconfig: &Path) -> Client {
    // Whoever comes first installs it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let kubeconfig = Kubeconfig::read_from(kubeconfig).unwrap();
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    Client::try_from(config).unwrap()
}

/// ConfigMaps in a namespace of its own.
async fn config_maps(client: &Client) -> Api<ConfigMap> {
    let name = unique("kube-rs");
    let namespace =
        Namespace { metadata: ObjectMeta { name: Some(name.clone()), ..ObjectMeta::default() }, ..Namespace::default() };
    Api::all(client.clone()).create(&PostParams::default(), &namespace).await.unwrap();
    Api::namespaced(client.clone(), &name)
}

fn config_map(name: &str, data: &[(&str, &str)]) -> ConfigMap {
    let data = data.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect::<BTreeMap<_, _>>();
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    ConfigMap { metadata, data: Some(data), ..ConfigMap::default() }
}

fn run(scenario: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(scenario);
}

/// The scenario on both servers.
macro_rules! on_both {
    ($($scenario:ident),*) => {
        mod real {
            $(#[test] fn $scenario() {
                let Some(server) = super::pool::api_server() else { return };
                super::run(async { super::$scenario(super::client(server.admin().kubeconfig()).await).await });
            })*
        }
        mod embedded {
            $(#[test] fn $scenario() {
                let Some(assets) = super::Assets::find() else { return };
                let server = super::Embedded::bare(&assets);
                super::run(async { super::$scenario(super::client(&server.kubeconfig()).await).await });
            })*
        }
    };
}

on_both!(a_reflector_holds_what_is_there, apply_shares_and_conflicts, a_lease_has_one_holder, the_life_of_a_kind);

// ---- watching ----

/// A reflector that runs until it is dropped.
struct Reflected {
    store: Store<ConfigMap>,
    running: AbortHandle,
}

impl Drop for Reflected {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Reflected {
    fn start(api: Api<ConfigMap>, config: watcher::Config) -> Self {
        let (store, writer) = reflector::store();
        let stream = watcher(api, config).default_backoff().reflect(writer);
        let running = tokio::spawn(stream.for_each(|_| std::future::ready(()))).abort_handle();
        Self { store, running }
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.store.state().iter().filter_map(|object| object.metadata.name.clone()).collect();
        names.retain(|name| name != "kube-root-ca.crt");
        names.sort();
        names
    }

    async fn until(&self, expected: &[&str]) {
        let equal = async {
            while self.names() != expected {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(DEADLINE, equal).await.unwrap_or_else(|_| panic!("expected {expected:?}, found {:?}", self.names()));
    }
}

async fn a_reflector_holds_what_is_there(client: Client) {
    let maps = config_maps(&client).await;
    maps.create(&PostParams::default(), &config_map("before", &[])).await.unwrap();
    let paged = Reflected::start(maps.clone(), watcher::Config::default().page_size(1));
    // One request for the list and what follows it.
    let streamed = Reflected::start(maps.clone(), watcher::Config::default().streaming_lists());
    for reflected in [&paged, &streamed] {
        reflected.until(&["before"]).await;
    }
    maps.create(&PostParams::default(), &config_map("after", &[])).await.unwrap();
    maps.delete("before", &DeleteParams::default()).await.unwrap();
    for reflected in [&paged, &streamed] {
        reflected.until(&["after"]).await;
    }
}

#[test]
fn reflectors_survive_a_restart_and_a_410() {
    let Some(assets) = Assets::find() else { return };
    let mut server = Embedded::kept(&assets);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (maps, reflected, old) = runtime.block_on(async {
        let client = client(&server.kubeconfig()).await;
        let maps = config_maps(&client).await;
        let old = maps.create(&PostParams::default(), &config_map("old", &[])).await.unwrap().metadata.resource_version.unwrap();
        let reflected = Reflected::start(maps.clone(), watcher::Config::default());
        reflected.until(&["old"]).await;
        maps.create(&PostParams::default(), &config_map("kept", &[])).await.unwrap();
        maps.delete("old", &DeleteParams::default()).await.unwrap();
        reflected.until(&["kept"]).await;
        (maps, reflected, old)
    });
    server.restart();
    runtime.block_on(async {
        maps.create(&PostParams::default(), &config_map("new", &[])).await.unwrap();
        reflected.until(&["kept", "new"]).await;
        // The history does not reach back beyond the restart; that is said in the stream.
        let stream = maps.watch(&WatchParams::default().timeout(10), &old).await.unwrap();
        let first = timeout(DEADLINE, std::pin::pin!(stream).next()).await.unwrap();
        assert!(matches!(&first, Some(Ok(WatchEvent::Error(status))) if status.code == 410), "{first:?}");
    });
}

// ---- writing ----

async fn apply_shares_and_conflicts(client: Client) {
    let maps = config_maps(&client).await;
    let (one, two) = (PatchParams::apply("one"), PatchParams::apply("two"));
    let typed = |data: &[(&str, &str)]| Patch::Apply(config_map("shared", data));
    maps.patch("shared", &one, &typed(&[("a", "1")])).await.unwrap();
    let shared = maps.patch("shared", &two, &typed(&[("b", "2")])).await.unwrap();
    assert_eq!(shared.data.unwrap(), BTreeMap::from([("a".into(), "1".into()), ("b".into(), "2".into())]));
    let conflict = maps.patch("shared", &two, &typed(&[("a", "2"), ("b", "2")])).await.unwrap_err();
    assert!(matches!(&conflict, Error::Api(status) if status.code == 409), "{conflict}");
    assert!(conflict.to_string().contains(r#"conflict with "one""#), "{conflict}");
    let forced = maps.patch("shared", &two.clone().force(), &typed(&[("a", "2"), ("b", "2")])).await.unwrap();
    assert_eq!(forced.data.unwrap()["a"], "2");
    // What is no longer applied by its only owner goes.
    let less = maps.patch("shared", &two, &typed(&[("a", "2")])).await.unwrap();
    assert_eq!(less.data.unwrap().keys().collect::<Vec<_>>(), ["a"]);
}

/// Takes the lease if nobody holds it; the resourceVersion decides between two that try.
async fn take(leases: &Api<Lease>, seen: &Lease, holder: &str) -> Result<Lease, Error> {
    let mut lease = seen.clone();
    let spec = lease.spec.get_or_insert_with(LeaseSpec::default);
    spec.holder_identity = Some(holder.into());
    spec.renew_time = Some(MicroTime(Timestamp::now()));
    leases.replace("leader", &PostParams::default(), &lease).await
}

async fn a_lease_has_one_holder(client: Client) {
    let namespace = config_maps(&client).await.namespace().unwrap().to_owned();
    let leases: Api<Lease> = Api::namespaced(client.clone(), &namespace);
    let metadata = ObjectMeta { name: Some("leader".into()), ..ObjectMeta::default() };
    let spec = LeaseSpec { lease_duration_seconds: Some(15), ..LeaseSpec::default() };
    let free = leases.create(&PostParams::default(), &Lease { metadata, spec: Some(spec) }).await.unwrap();
    let candidates = (0..16).map(|number| {
        let (leases, free) = (leases.clone(), free.clone());
        tokio::spawn(async move { take(&leases, &free, &format!("candidate-{number}")).await })
    });
    let ended = futures::future::join_all(candidates).await;
    let (won, lost): (Vec<_>, Vec<_>) = ended.into_iter().map(Result::unwrap).partition(Result::is_ok);
    assert_eq!((won.len(), lost.len()), (1, 15));
    assert!(
        lost.iter().all(|answer| matches!(answer, Err(Error::Api(status)) if status.code == 409 && status.reason == "Conflict"))
    );
    let held = leases.get("leader").await.unwrap();
    assert_eq!(held.spec, won[0].as_ref().unwrap().spec);
}

// ---- a kind of one's own ----

async fn the_life_of_a_kind(client: Client) {
    let group = format!("{}.example.com", unique("kind"));
    let name = format!("gears.{group}");
    let crds: Api<CustomResourceDefinition> = Api::all(client.clone());
    let crd: CustomResourceDefinition = serde_json::from_value(definition(&group)).unwrap();
    crds.patch(&name, &PatchParams::apply("kube-rs"), &Patch::Apply(crd)).await.unwrap();
    let established = await_condition(crds.clone(), &name, conditions::is_crd_established());
    timeout(DEADLINE, established).await.unwrap().unwrap();

    let namespace = config_maps(&client).await.namespace().unwrap().to_owned();
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(&group, "v1", "Gear"));
    let gears: Api<DynamicObject> = Api::namespaced_with(client.clone(), &namespace, &resource);
    let gear = DynamicObject::new("g", &resource).data(json!({"spec": {"teeth": 12, "lost": true}}));
    let gear = served(&gears, &gear).await;
    assert_eq!(gear.data["spec"], json!({"teeth": 12, "material": "brass"}), "pruned and defaulted");
    let status = Patch::Merge(json!({"status": {"worn": 3}, "spec": {"teeth": 99}}));
    let gear = gears.patch_status("g", &PatchParams::default(), &status).await.unwrap();
    assert_eq!((&gear.data["status"], &gear.data["spec"]["teeth"]), (&json!({"worn": 3}), &json!(12)));
    let invalid = DynamicObject::new("h", &resource).data(json!({"spec": {"teeth": 1}}));
    let refused = gears.create(&PostParams::default(), &invalid).await.unwrap_err();
    assert!(matches!(&refused, Error::Api(status) if status.code == 422), "{refused}");

    let uid = crds.get(&name).await.unwrap().metadata.uid.unwrap();
    crds.delete(&name, &DeleteParams::default()).await.unwrap();
    timeout(DEADLINE, await_condition(crds, &name, conditions::is_deleted(&uid))).await.unwrap().unwrap();
    let gone = async {
        while !matches!(gears.list(&ListParams::default()).await, Err(Error::Api(status)) if status.code == 404) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(DEADLINE, gone).await.unwrap();
}

/// The real API server serves a kind some time after it is established.
async fn served(gears: &Api<DynamicObject>, gear: &DynamicObject) -> DynamicObject {
    let created = async {
        loop {
            match gears.create(&PostParams::default(), gear).await {
                Err(Error::Api(status)) if status.code == 404 => tokio::time::sleep(Duration::from_millis(20)).await,
                answer => return answer.unwrap(),
            }
        }
    };
    timeout(DEADLINE, created).await.unwrap()
}

fn definition(group: &str) -> serde_json::Value {
    let spec = json!({
        "type": "object", "required": ["teeth"],
        "properties": {"teeth": {"type": "integer", "minimum": 3}, "material": {"type": "string", "default": "brass"}},
    });
    let status = json!({"type": "object", "properties": {"worn": {"type": "integer"}}});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": status}}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": format!("gears.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced", "names": {"plural": "gears", "singular": "gear", "kind": "Gear"},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}}, "schema": schema}],
        },
    })
}
