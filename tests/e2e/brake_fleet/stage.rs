//! What a row is played on: one world for all of them, with two sidecars whose way to the API server can be cut.

use std::process::Command;

use reqwest::Method;
use serde_json::Value as Json;

use super::super::support::api::{Api, Request};
use super::super::support::api_server::POLICY_NAMESPACE;
use super::super::support::fixtures::unique;
use super::super::support::proxy::Proxy;
use super::super::support::world::{Server, Setup, World, lease};
use super::fleet::{self, Size};
use super::observer::{Objects, Observer};
use super::rows::{Aim, BASE};

pub(super) const MERGE: &str = "application/merge-patch+json";
/// What releases: an annotation of the record.
pub(super) const RELEASE: &str = "plimsoll.io/release";

/// The world, and who looks at it.
pub(super) struct Stage {
    pub(super) size: Size,
    pub(super) world: World,
    pub(super) proxy: Proxy,
    pub(super) api: Api,
    pub(super) observer: Observer,
    /// The namespace of those that no row is about.
    calm: String,
}

impl Stage {
    /// A placed fleet, with a brake that is off. `None`: skipped.
    pub(super) fn start(size: Size) -> Option<Self> {
        let brake = format!("brake: {{share: 10%, floor: {}, window: 10m, first: go}}", size.floor());
        let mut stage = Self::prepare(size, &brake)?;
        stage.run();
        stage.create(&size.objects());
        let calm = fleet::calm_objects();
        let path = stage.calm_path();
        let calm: Vec<Request> =
            calm.iter().map(|object| Request { path: path.clone(), ..stage.world.creation(object) }).collect();
        stage.call(&calm);
        stage.world.await_settled();
        Some(stage)
    }

    /// Clusters and policies; nothing runs.
    pub(super) fn prepare(size: Size, brake: &str) -> Option<Self> {
        let times = lease(", duration: 4s, renewDeadline: 3s, retryPeriod: 500ms");
        let names: Vec<String> = (0..size.clusters).map(fleet::cluster_name).collect();
        let clusters: Vec<(&str, bool)> = names.iter().map(|name| (name.as_str(), false)).collect();
        let setup = Setup {
            policies: BASE,
            clusters: &clusters,
            engine: &["--sidecar-user=system:serviceaccount:kube-federation-scheduling-policy:plimsoll"],
            sidecar: &format!("{brake}\n{times}"),
            ..Setup::default()
        };
        let world = World::prepare(Server::Real, &setup)?;
        let (proxy, api) = (world.proxy(), world.api());
        let path = format!("/apis/apps/v1/namespaces/{}/replicasets", world.namespace);
        let observer = Observer::start(world.api(), world.api(), &path);
        let calm = unique("calm");
        world.kubectl.run(&["create", "namespace", &calm]);
        let stage = Self { size, world, proxy, api, observer, calm };
        stage.restore_clusters();
        Some(stage)
    }

    /// Starts what [`Self::prepare`] prepared.
    pub(super) fn run(&mut self) {
        self.world.engine.start();
        (0..2).for_each(|_| self.world.add_sidecar_behind(&self.proxy));
        self.world.engine.await_ready();
        self.world.connect();
    }

    pub(super) fn create(&self, objects: &[Json]) {
        let requests: Vec<Request> = objects.iter().map(|object| self.world.creation(object)).collect();
        self.call(&requests);
    }

    fn call(&self, requests: &[Request]) {
        let answers = requests.chunks(32).flat_map(|some| self.api.call_all(some));
        answers.for_each(|answer| assert!(answer.accepted(), "{answer:?}"));
    }

    fn calm_path(&self) -> String {
        format!("/apis/apps/v1/namespaces/{}/deployments", self.calm)
    }

    /// Versions of what no row is about.
    pub(super) fn calm(&self) -> impl PartialEq + std::fmt::Debug + use<> {
        self.observer.versions(&self.calm_path())
    }

    /// Objects of the fleet that do not stand where they are wanted.
    pub(super) fn astray(&self, objects: &Objects, aim: Aim) -> usize {
        objects.values().filter(|object| object.stands != self.size.wanted(aim, object.zone)).count()
    }

    pub(super) fn sample(&self, metric: &str) -> f64 {
        self.world.sidecars.iter().map(|sidecar| sidecar.sample(&format!("plimsoll_sidecar_{metric}"), "")).sum()
    }
}

// === The brake ===

impl Stage {
    /// The brake's record, as `plimsoll brake -o json` prints it.
    pub(super) fn record(&self) -> Json {
        let (_, text) = self.brake(&["-o", "json"]);
        serde_json::from_str(&text).unwrap_or(Json::String(text))
    }

    /// Exit code and output of `plimsoll brake`.
    pub(super) fn brake(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        let output =
            command.arg("brake").args(arguments).arg("--kubeconfig").arg(self.world.kubectl.kubeconfig()).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    }

    pub(super) fn change_record(&self, body: Json) {
        let path = format!("/api/v1/namespaces/{POLICY_NAMESPACE}/configmaps/plimsoll-brake");
        let answer = self.api.call(&Request { method: Method::PATCH, path, content_type: MERGE, body });
        assert!(answer.accepted(), "{answer:?}");
    }
}
