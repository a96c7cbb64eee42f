//! One pod: an engine, a sidecar of its own, the proxy between that and the API server, and a policy directory.

use std::path::{Path, PathBuf};

use super::super::e2e::{
    Authority, Engine, Faults, POLICY_NAMESPACE, PolicyDirectory, Proxy, SOURCE, Sidecar, Suspended, signal,
};
use super::policy::Policy;
use super::script::{Harm, Part, Way};

/// `serve --stale-after`, in seconds: longer than a twentieth of the default, because a proof may take the three seconds of the
/// shortest watch that ends in a bookmark.
pub(super) const STALE_AFTER: u64 = 5;

/// Every duration at about a twentieth of its default, as far as its format permits.
const TIMES: &str = include_str!("times.yaml");
const ENGINE: [&str; 3] =
    ["--resync=3s", "--stale-after=5s", "--sidecar-user=system:serviceaccount:kube-federation-scheduling-policy:plimsoll"];

/// What the sidecar's way to the API server does when it is slow.
const SLOW: std::time::Duration = std::time::Duration::from_millis(400);

/// Why nothing new reaches a mirror.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Blindness {
    /// Nothing gets through, or nobody asks.
    Out,
    /// Whoever lists gets an answer, and hears of nothing that comes after.
    Stalled,
}

/// Fields drop in this order: who writes, first.
#[derive(Debug)]
pub(super) struct Pair {
    suspended: Option<Suspended>,
    pub(super) sidecar: Option<Sidecar>,
    pub(super) engine: Engine,
    is_up: bool,
    is_stopped: bool,
    pub(super) proxy: Proxy,
    policies: PolicyDirectory,
    name: String,
    config: PathBuf,
    kubeconfig: PathBuf,
}

impl Pair {
    /// Nothing runs yet.
    pub(super) fn new(directory: &Path, name: &str, authority: &Authority, kubeconfig: &Path) -> Self {
        let directory = directory.join(name);
        std::fs::create_dir(&directory).unwrap();
        let policies = PolicyDirectory::new(directory.join("policies"));
        let engine = Engine::new(&directory, policies.path(), authority, &ENGINE);
        let proxy = Proxy::start(kubeconfig);
        let own = directory.join("kubeconfig");
        proxy.kubeconfig(kubeconfig, &own);
        let config = directory.join("sync.yaml");
        let head = format!(
            "source: {SOURCE}\nengine: {{url: \"{}\"}}\npolicyNamespace: {POLICY_NAMESPACE}\nresync: 1s\nrelist: 90s\nbrake: {{share: 99%, floor: 1000, first: go}}\n",
            engine.url()
        );
        let kinds = "kinds:\n  - {gvr: cluster.karmada.io/v1alpha1/clusters, fleet: true}\n  - {gvr: apps/v1/replicasets, place: true, mode: auto}\n";
        std::fs::write(&config, head + TIMES + kinds).unwrap();
        Self {
            suspended: None,
            sidecar: None,
            engine,
            is_up: false,
            is_stopped: false,
            proxy,
            policies,
            name: name.into(),
            config,
            kubeconfig: own,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn mount(&mut self, policy: Policy) {
        self.policies.mount(&[("pci.rego", &policy.rego())]);
    }

    /// One of the processes, unless it is in that condition already.
    pub(super) fn harm(&mut self, part: Part, harm: Harm) {
        match part {
            Part::Engine => self.harm_engine(harm),
            Part::Sidecar => self.harm_sidecar(harm),
        }
    }

    fn harm_engine(&mut self, harm: Harm) {
        match harm {
            Harm::Start if !self.is_up => {
                self.engine.start();
                self.is_up = true;
            }
            Harm::Kill if self.is_up => {
                self.engine.kill();
                (self.is_up, self.is_stopped) = (false, false);
            }
            Harm::Stop if self.is_up && !self.is_stopped => {
                signal(self.engine.pid(), "STOP");
                self.is_stopped = true;
            }
            Harm::Continue if self.is_stopped => {
                signal(self.engine.pid(), "CONT");
                self.is_stopped = false;
            }
            _ => (),
        }
    }

    fn harm_sidecar(&mut self, harm: Harm) {
        match harm {
            Harm::Start if self.sidecar.is_none() => {
                self.sidecar = Some(Sidecar::start(&self.name, &self.config, &self.kubeconfig));
            }
            Harm::Kill => {
                self.suspended = None;
                self.sidecar.take().into_iter().for_each(Sidecar::kill);
            }
            Harm::Stop => self.suspended = self.suspended.take().or_else(|| self.sidecar.as_ref().map(Sidecar::suspend)),
            Harm::Continue => self.suspended = None,
            Harm::Start => (),
        }
    }

    /// SIGTERM to the sidecar; returns when it has ended.
    pub(super) fn end_sidecar(&mut self) {
        self.suspended = None;
        self.sidecar.take().map(Sidecar::stop);
    }

    pub(super) fn disturb(&self, way: Way, on: bool) {
        self.proxy.set(|faults| match way {
            Way::Slow => faults.slow = if on { SLOW } else { Faults::default().slow },
            Way::Cut => faults.cut = on,
            Way::HalfOpen => faults.half_open = on,
            Way::StallWatches => faults.stall_watches = on,
            Way::TooMany => faults.too_many = if on { 60 } else { 0 },
            Way::Unauthorized => faults.unauthorized = on,
        });
    }

    /// Everything runs, and nothing stands in the way.
    pub(super) fn heal(&mut self) {
        self.proxy.set(|faults| *faults = Faults::default());
        for part in [Part::Engine, Part::Sidecar] {
            self.harm(part, Harm::Continue);
            self.harm(part, Harm::Start);
        }
    }

    /// What keeps news from the engine's mirror.
    pub(super) fn blindness(&self) -> Option<Blindness> {
        let faults = self.proxy.faults();
        let is_out = self.sidecar.is_none() || self.suspended.is_some();
        if is_out || faults.cut || faults.half_open {
            return Some(Blindness::Out);
        }
        faults.stall_watches.then_some(Blindness::Stalled)
    }

    /// Where the sidecar's health is, while it can answer.
    pub(super) fn sidecar_place(&self) -> Option<String> {
        self.sidecar.as_ref().filter(|_| self.suspended.is_none()).map(|sidecar| sidecar.diagnostic(""))
    }
}
