//! A kube-apiserver, two pairs, a switch between it and their webhooks, and a fleet with some workloads.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::super::e2e::{
    Authority, Endpoint, FLEET, Kubectl, Mode, Server, Source, Started, Switch, cluster, create_fleet_kind,
    create_policy_namespace, eventually, pci_replica_set, sidecar_token, try_json, unique,
};
use super::chance::Chance;
use super::files::Files;
use super::history::History;
use super::observer;
use super::pair::Pair;
use super::policy::{Fleet, POLICIES, Policy, region};
use super::samples::Facts;
use super::script::{CLUSTERS, Harm, Part};
use super::users::Users;

const OBJECTS: usize = 40;
pub(super) const NAMES: [&str; 2] = ["pod-a", "pod-b"];

/// Fields drop in this order: who asks, before who answers.
pub(super) struct Stage {
    pub(super) users: Users,
    pub(super) pairs: Mutex<[Pair; 2]>,
    pub(super) facts: Facts,
    pub(super) history: Arc<History>,
    pub(super) switch: Switch,
    pub(super) desired: Mutex<Desired>,
    _directory: TempDir,
    _server: Started,
}

/// What the schedule has asked for so far.
pub(super) struct Desired {
    pub(super) fleet: Fleet,
    pub(super) files: Files,
    pub(super) policies: [Policy; 2],
    pub(super) newest: Policy,
}

impl Stage {
    /// All of it, ready. `None`: skipped.
    pub(super) fn set(chance: &mut Chance) -> Option<Self> {
        let server = Started::start(Server::Real, "")?;
        let directory = tempfile::Builder::new().prefix("plimsoll-schedules-").tempdir().unwrap();
        let (kubectl, authority) = (server.admin(), Authority::new("e2e-review"));
        let ca = directory.path().join("review-ca.crt");
        std::fs::write(&ca, authority.pem()).unwrap();
        let (namespace, fleet) = (unique("shop"), furnish(&kubectl));
        kubectl.run(&["create", "namespace", &namespace]);
        Source::Overlay.apply_access(&kubectl, &ca, Server::Real);
        let kubeconfig = server.kubeconfig_as("sidecar", &sidecar_token(&kubectl));
        let mut pairs = NAMES.map(|name| Pair::new(directory.path(), name, &authority, &kubeconfig));
        let switch = Switch::start(pairs.iter().map(|pair| Endpoint::of(&pair.engine)).collect(), Mode::Ready);
        for pair in &mut pairs {
            pair.mount(POLICIES[0]);
            pair.harm(Part::Engine, Harm::Start);
            pair.harm(Part::Sidecar, Harm::Start);
        }
        pairs.iter().for_each(|pair| pair.engine.await_ready());
        Source::Overlay.apply(&kubectl, &switch.url(), &ca);
        connect(&kubectl, &namespace, &pairs);
        let history = Arc::new(History::default());
        history.add(|past| past.policies.iter_mut().for_each(|edits| edits.push((Instant::now(), POLICIES[0]))));
        let users = Users::new(&kubectl, &namespace);
        observer::follow(&users, &history);
        let facts = Facts::of(&pairs);
        let desired = Desired { fleet, files: Files::default(), policies: [POLICIES[0]; 2], newest: POLICIES[0] };
        let (pairs, desired) = (Mutex::new(pairs), Mutex::new(desired));
        let stage = Self { users, pairs, facts, history, switch, desired, _directory: directory, _server: server };
        stage.fill(chance);
        Some(stage)
    }

    /// As many workloads as in the beginning.
    pub(super) fn fill(&self, chance: &mut Chance) {
        let mut desired = self.desired.lock();
        while desired.files.len() < OBJECTS {
            let name = desired.files.add(chance);
            self.users.create(&desired.files.object(&name).unwrap().1);
        }
        drop(desired);
        eventually("all are answered", || if self.users.under_way() == 0 { Ok(()) } else { Err(self.users.under_way()) });
    }

    /// The next policies on one pod, or those that the other one has already.
    pub(super) fn edit_policy(&self, number: usize) {
        let mut desired = self.desired.lock();
        if desired.policies[number] == desired.newest {
            let now = POLICIES.iter().position(|policy| *policy == desired.newest).unwrap_or_default();
            desired.newest = POLICIES[(now + 1) % POLICIES.len()];
        }
        let newest = desired.newest;
        desired.policies[number] = newest;
        // Known before it can have any effect.
        self.history.add(|past| past.policies[number].push((Instant::now(), newest)));
        self.pairs.lock()[number].mount(newest);
    }

    /// Everything runs, nothing stands in the way, and both pods have the newest policies.
    pub(super) fn heal(&self) {
        for number in 0..2 {
            let is_old = {
                let desired = self.desired.lock();
                desired.policies[number] != desired.newest
            };
            if is_old {
                self.edit_policy(number);
            }
            self.with_pair(number, Pair::heal);
        }
    }

    /// What each engine says of one object, for people.
    pub(super) fn rows(&self, name: &str) -> [Result<Json, String>; 2] {
        [0, 1].map(|number| {
            let url = self.pairs.lock()[number].engine.url();
            let list = try_json(&format!("{url}/plimsoll/v1/placements"))?;
            let rows = list["items"].as_array().into_iter().flatten();
            Ok(rows.filter(|row| row["name"] == name).cloned().collect())
        })
    }

    /// Does something to a pair, and notes what the sampler must know of it.
    pub(super) fn with_pair<T>(&self, number: usize, with: impl FnOnce(&mut Pair) -> T) -> T {
        let mut pairs = self.pairs.lock();
        let result = with(&mut pairs[number]);
        self.facts.note(number, &pairs[number]);
        result
    }
}

fn furnish(kubectl: &Kubectl) -> Fleet {
    create_policy_namespace(kubectl);
    create_fleet_kind(kubectl);
    let fleet: Fleet = (0..CLUSTERS).map(|number| (format!("c{number}"), number < CLUSTERS / 2)).collect();
    let items: Vec<Json> = fleet.iter().map(|(name, certified)| cluster(name, region(name), *certified)).collect();
    kubectl.try_run(&["delete", FLEET, "--all"]).unwrap();
    kubectl.create(&json!({"apiVersion": "v1", "kind": "List", "items": items}));
    fleet
}

fn connect(kubectl: &Kubectl, namespace: &str, pairs: &[Pair]) {
    let probe = pci_replica_set("probe").to_string();
    let asked = |endpoint| pairs.iter().any(|pair| pair.engine.sample("http_request_duration_seconds_count", endpoint) > 0.0);
    eventually("the API server calls both webhooks", || {
        let answer = kubectl.try_run_with(&["create", "--dry-run=server", "-n", namespace, "-f", "-"], &probe);
        if asked("mutate") && asked("validate") && answer.is_ok() { Ok(()) } else { Err(answer) }
    });
}
