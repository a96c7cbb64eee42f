//! One scenario's world: an API server, a fleet, policies, an engine, sidecars, and the webhooks between them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::api_server::POLICY_NAMESPACE;
use super::certificates::Authority;
use super::deployment::{self, Source};
use super::engine::{Engine, SOURCE};
use super::eventually::eventually;
use super::fixtures::{self, resource_version, unique};
use super::kubectl::Kubectl;
use super::policy_directory::PolicyDirectory;
pub(crate) use super::server::Server;
pub(crate) use super::server::Started;
use super::sidecar::Sidecar;

mod ways;

/// What a scenario starts from.
#[derive(Clone, Debug)]
pub(crate) struct Setup<'a> {
    /// Files of the policy directory.
    pub(crate) policies: &'a [(&'a str, &'a str)],
    /// Name, and whether it is certified.
    pub(crate) clusters: &'a [(&'a str, bool)],
    /// Rows of the table of kinds, as YAML; the fleet comes first by itself.
    pub(crate) kinds: &'a str,
    /// More arguments of `plimsoll serve`.
    pub(crate) engine: &'a [&'a str],
    /// More lines of the sidecar's configuration.
    pub(crate) sidecar: &'a str,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Self {
            policies: &[],
            clusters: &[("alpha", true), ("beta", false), ("gamma", false)],
            kinds: KINDS,
            engine: &[],
            sidecar: "",
        }
    }
}

/// ReplicaSets and Deployments, repaired.
pub(crate) const KINDS: &str = "
  - {gvr: apps/v1/replicasets, place: true, mode: auto}
  - {gvr: apps/v1/deployments, place: true, mode: auto}";

/// The Lease of the sidecars' configuration, with more of it.
pub(crate) fn lease(times: &str) -> String {
    format!("lease: {{namespace: {POLICY_NAMESPACE}, name: plimsoll{times}}}")
}

/// Everything that runs for one test. Fields drop in this order: writers first, the API server last.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) sidecars: Vec<Sidecar>,
    pub(crate) engine: Engine,
    pub(crate) policies: PolicyDirectory,
    /// kubectl as the administrator.
    pub(crate) kubectl: Kubectl,
    /// A namespace for workloads, of this test alone.
    pub(crate) namespace: String,
    own_kinds: bool,
    sync_config: PathBuf,
    authority: Authority,
    directory: TempDir,
    on: Server,
    server: Started,
}

impl World {
    /// All of it, settled: ready engine, leading sidecar, webhooks in force. `None`: skipped.
    #[track_caller]
    pub(crate) fn start(on: Server, setup: &Setup<'_>) -> Option<Self> {
        Self::prepare(on, setup).map(Self::run)
    }

    /// Starts what [`Self::prepare`] prepared.
    #[track_caller]
    pub(crate) fn run(mut self) -> Self {
        self.engine.start();
        self.add_sidecar();
        self.engine.await_ready();
        self.connect();
        self
    }

    /// Fleet, files and access, but nothing of ours runs and no webhook is there.
    #[track_caller]
    pub(crate) fn prepare(on: Server, setup: &Setup<'_>) -> Option<Self> {
        Self::prepare_on(on, setup, |engine| Started::start(on, &engine.url()))
    }

    /// The same on an API server that is started when the engine's places are known.
    #[track_caller]
    pub(crate) fn prepare_on(on: Server, setup: &Setup<'_>, start: impl FnOnce(&Engine) -> Option<Started>) -> Option<Self> {
        let directory = tempfile::Builder::new().prefix("plimsoll-world-").tempdir().unwrap();
        let authority = Authority::new("e2e-review");
        let mut policies = PolicyDirectory::new(directory.path().join("policies"));
        policies.mount(setup.policies);
        let engine = Engine::new(directory.path(), policies.path(), &authority, setup.engine);
        let server = start(&engine)?;
        let kubectl = server.admin();
        let namespace = unique("shop");
        let own_kinds = setup.kinds != KINDS;
        let sync_config = directory.path().join("sync.yaml");
        let world = Self {
            sidecars: Vec::new(),
            engine,
            policies,
            kubectl,
            namespace,
            own_kinds,
            sync_config,
            authority,
            directory,
            on,
            server,
        };
        deployment::create_policy_namespace(&world.kubectl);
        deployment::create_fleet_kind(&world.kubectl);
        let clusters = setup.clusters.iter().map(|(name, certified)| fixtures::cluster(name, "eu-west", *certified));
        world.kubectl.create(&json!({"apiVersion": "v1", "kind": "List", "items": clusters.collect::<Vec<_>>()}));
        world.kubectl.run(&["create", "namespace", &world.namespace]);
        std::fs::write(world.ca(), world.authority.pem()).unwrap();
        std::fs::write(&world.sync_config, world.sync_config(&world.engine, setup)).unwrap();
        world.manifests().apply_access(&world.kubectl, &world.ca(), on);
        Some(world)
    }

    /// For files of the test.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The certificate by which the engine's own is known.
    pub(crate) fn ca(&self) -> PathBuf {
        self.directory.path().join("review-ca.crt")
    }

    /// The checked-in manifests, unless the scenario has kinds of its own.
    fn manifests(&self) -> Source<'_> {
        if self.own_kinds { Source::Generated(&self.sync_config) } else { Source::Overlay }
    }

    fn sync_config(&self, engine: &Engine, setup: &Setup<'_>) -> String {
        let lease = if setup.sidecar.contains("lease:") { String::new() } else { lease("") };
        // What is tried is what moves, not what stands still: `brake.rs` tries that.
        let brake = if setup.sidecar.contains("brake:") { "" } else { "brake: {share: 100%, first: go}" };
        format!(
            "source: {SOURCE}
engine: {{url: \"{}\"}}
policyNamespace: {POLICY_NAMESPACE}
resync: 1s
{lease}
{brake}
{}
kinds:
  - {{gvr: cluster.karmada.io/v1alpha1/clusters, fleet: true}}{}
",
            engine.url(),
            setup.sidecar,
            setup.kinds,
        )
    }

    /// One more sidecar of the same engine, with a token of the ServiceAccount.
    pub(crate) fn add_sidecar(&mut self) {
        let config = self.sync_config.clone();
        self.start_sidecar(&config);
    }

    fn start_sidecar(&mut self, config: &Path) {
        let token = deployment::sidecar_token(&self.kubectl);
        let kubeconfig = self.server.kubeconfig_as("sidecar", &token);
        self.sidecars.push(Sidecar::start(&unique("sidecar"), config, &kubeconfig));
    }

    /// Writes a new token into the file that the sidecars read.
    pub(crate) fn renew_sidecar_token(&self) {
        let token = deployment::sidecar_token(&self.kubectl);
        self.server.kubeconfig_as("sidecar", &token);
    }

    /// One more replica as `deploy/` has them: an engine with the same policies, and a sidecar of its own.
    pub(crate) fn add_replica(&mut self, setup: &Setup<'_>) -> Engine {
        let directory = self.directory.path().join(unique("replica"));
        std::fs::create_dir(&directory).unwrap();
        let mut engine = Engine::new(&directory, self.policies.path(), &self.authority, setup.engine);
        let config = directory.join("sync.yaml");
        std::fs::write(&config, self.sync_config(&engine, setup)).unwrap();
        engine.start();
        self.start_sidecar(&config);
        engine.await_ready();
        engine
    }

    /// Registers the webhooks and returns when the API server calls both. The embedded one asks from its start.
    #[track_caller]
    pub(crate) fn connect(&self) {
        if self.on == Server::Real {
            self.connect_at(&self.engine.review_url());
        }
    }

    /// The same, with the webhooks at `url`.
    #[track_caller]
    pub(crate) fn connect_at(&self, url: &str) {
        self.manifests().apply(&self.kubectl, url, &self.ca());
        let probe = fixtures::replica_set("probe");
        let asked = |endpoint: &str| self.engine.sample("http_request_duration_seconds_count", endpoint) > 0.0;
        eventually("the API server calls both webhooks", || {
            let arguments = ["create", "--dry-run=server", "-n", &self.namespace, "-f", "-"];
            let answer = self.kubectl.try_run_with(&arguments, &probe.to_string());
            if asked("mutate") && asked("validate") { Ok(()) } else { Err(answer) }
        });
    }

    /// Creates an object in the test's namespace.
    #[track_caller]
    pub(crate) fn create(&self, object: &Json) {
        self.try_create(object).unwrap_or_else(|failure| panic!("{failure}"));
    }

    pub(crate) fn try_create(&self, object: &Json) -> Result<String, String> {
        self.kubectl.try_run_with(&["create", "-n", &self.namespace, "-f", "-"], &object.to_string())
    }

    /// Who refused, if the engine could not be asked.
    pub(crate) fn closes(&self) -> &'static str {
        match self.on {
            Server::Real => "validate.placement.plimsoll.io",
            Server::Embedded => "SchedulingPolicy",
        }
    }

    /// An object of the test's namespace, such as `rs/web`.
    #[track_caller]
    pub(crate) fn get(&self, object: &str) -> Json {
        self.kubectl.get(&self.namespace, object)
    }

    /// Waits until the object names exactly these clusters in its annotation `key`.
    #[track_caller]
    pub(crate) fn await_clusters(&self, object: &str, key: &str, expected: &[&str]) -> Json {
        eventually(&format!("{object} has {expected:?} in {key}"), || {
            let found = self.get(object);
            let clusters = fixtures::clusters_in(&found, key);
            if clusters.as_ref().is_some_and(|clusters| clusters == expected) {
                Ok(found)
            } else {
                Err(found["metadata"].clone())
            }
        })
    }

    /// Certifies a cluster, or ends that.
    pub(crate) fn certify(&self, cluster: &str, certified: bool) {
        let change = if certified { format!("{}=true", fixtures::CERTIFIED) } else { format!("{}-", fixtures::CERTIFIED) };
        self.kubectl.run(&["annotate", "--overwrite", deployment::FLEET, cluster, &change]);
    }

    /// resourceVersion of every ReplicaSet of the test.
    pub(crate) fn versions(&self) -> BTreeMap<String, String> {
        let list = self.get("replicasets");
        let name = |object: &Json| object["metadata"]["name"].as_str().unwrap().to_owned();
        list["items"].as_array().unwrap().iter().map(|object| (name(object), resource_version(object))).collect()
    }

    /// Waits until every row has been decided at the newest revision and nothing is left to write.
    #[track_caller]
    pub(crate) fn await_settled(&self) {
        eventually("the fleet is settled", || {
            let pending: Vec<Json> = self.engine.placements().into_iter().filter(|row| row.get("patch").is_some()).collect();
            if pending.is_empty() { Ok(()) } else { Err(pending) }
        });
    }

    /// Waits until the leading sidecar has looked at every row of the table twice more.
    #[track_caller]
    pub(crate) fn await_two_passes(&self) {
        let rows = || self.sidecars.iter().map(|sidecar| sidecar.sample("plimsoll_sidecar_rows_total", "")).sum::<f64>();
        let (before, count) = (rows(), self.engine.placements().len());
        let enough = before + 2.0 * f64::from(u32::try_from(count).unwrap());
        eventually("two passes", || if rows() >= enough { Ok(()) } else { Err((rows(), enough)) });
    }

    /// Patches by all sidecars.
    pub(crate) fn patches(&self) -> f64 {
        self.sidecars.iter().map(Sidecar::patches).sum()
    }

    /// Events about an object with this reason, as `kubectl describe` shows them.
    #[track_caller]
    pub(crate) fn await_event(&self, namespace: &str, object: &str, reason: &str) -> String {
        eventually(&format!("`kubectl describe {object}` shows {reason}"), || {
            let text = self.kubectl.run(&["describe", "-n", namespace, object]);
            let events = text.split_once("\nEvents:").map(|(_, events)| events.to_owned()).unwrap_or_default();
            if events.contains(reason) { Ok(events) } else { Err(text) }
        })
    }
}
