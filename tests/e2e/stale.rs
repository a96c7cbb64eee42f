//! The fleet out of sight, for every cause and under every `--on-stale`: said in time by engine and sidecar, nothing written meanwhile,
//! and healed by itself.

use std::thread;
use std::time::{Duration, Instant};

use super::policies;
use super::support::api::{Answer, Api};
use super::support::eventually::eventually;
use super::support::fixtures::{PREFERENCES, clusters_in, pci_replica_set};
use super::support::proxy::{Faults, Proxy};
use super::support::sidecar::{Sidecar, Suspended};
use super::support::world::{Server, Setup, World, lease};

mod words;

/// `--stale-after`: a proof may take the three seconds of the shortest watch that ends in a bookmark.
const STALE_AFTER: Duration = Duration::from_secs(5);
/// How much later it is said at the latest.
const DELAY: Duration = Duration::from_secs(5);
/// From a cause's end until all is well.
const HEALED: Duration = Duration::from_secs(10);

const LEASE: &str = ", duration: 3s, renewDeadline: 2s, retryPeriod: 500ms";
const MIRROR: &str = "mirror: {probe: 500ms, moment: 200ms, reopen: 25ms, timeout: 1s, takeOver: 1500ms, retry: 25ms, retryMost: 500ms, \
                      steady: 3s, credentials: 500ms}";

/// Each loses its certificate while the fleet is out of sight; one stays.
const CLUSTERS: [(&str, bool); 6] =
    [("stays", true), ("refused", true), ("gone", true), ("killed", true), ("stopped", true), ("stalled", true)];

/// Why the fleet is out of sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// The sidecar's token is revoked; watches that are open go on, as they do then.
    Refused,
    /// The API server, for the sidecar.
    Gone,
    /// The sidecar: SIGKILL.
    Killed,
    /// The sidecar: SIGSTOP.
    Stopped,
    /// Watches, while lists pass.
    Stalled,
}

const CAUSES: [Cause; 5] = [Cause::Refused, Cause::Gone, Cause::Killed, Cause::Stopped, Cause::Stalled];

/// `--on-stale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Deny,
    Warn,
    Ignore,
}

/// A world whose sidecar's way can be disturbed.
struct Stage {
    world: World,
    proxy: Proxy,
    api: Api,
    mode: Mode,
    certified: Vec<&'static str>,
}

impl Cause {
    fn cluster(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Gone => "gone",
            Self::Killed => "killed",
            Self::Stopped => "stopped",
            Self::Stalled => "stalled",
        }
    }

    /// Whether the sidecar can still say something.
    fn leaves_a_sidecar(self) -> bool {
        !matches!(self, Self::Killed | Self::Stopped)
    }
}

impl Mode {
    fn option(self) -> &'static str {
        match self {
            Self::Deny => "--on-stale=deny",
            Self::Warn => "--on-stale=warn",
            Self::Ignore => "--on-stale=ignore",
        }
    }
}

/// Most of it is waiting, so the modes go side by side, each in a world of its own.
#[test]
fn what_is_out_of_sight_is_said_and_heals_by_itself() {
    thread::scope(|scope| {
        for mode in [Mode::Deny, Mode::Warn, Mode::Ignore] {
            scope.spawn(move || {
                let Some(mut stage) = Stage::set(mode) else { return };
                CAUSES.into_iter().for_each(|cause| stage.suffer(cause));
            });
        }
    });
}

impl Stage {
    fn set(mode: Mode) -> Option<Self> {
        let sidecar = format!("{}\n{MIRROR}", lease(LEASE));
        let engine = [format!("--stale-after={}s", STALE_AFTER.as_secs()), mode.option().into()];
        let engine: Vec<&str> = engine.iter().map(String::as_str).collect();
        let policies = &[("pci.rego", policies::PCI)];
        let setup = Setup { policies, clusters: &CLUSTERS, engine: &engine, sidecar: &sidecar, ..Setup::default() };
        let mut world = World::prepare(Server::Real, &setup)?;
        let (proxy, api) = (world.proxy(), world.api());
        world.engine.start();
        world.add_sidecar_behind(&proxy);
        world.engine.await_ready();
        world.connect();
        world.create(&pci_replica_set("web"));
        let certified = CLUSTERS.iter().map(|(name, _)| *name).collect();
        let stage = Self { world, proxy, api, mode, certified };
        eventually("all is well", || stage.well());
        Some(stage)
    }

    fn suffer(&mut self, cause: Cause) {
        let (before, decided) = (self.world.versions(), self.decided_stale());
        let begun = Instant::now();
        let suspended = self.begin(cause);
        self.world.certify(cause.cluster(), false);
        self.certified.retain(|cluster| *cluster != cause.cluster());
        eventually(&format!("{:?}, {cause:?}: it is said", self.mode), || self.said(cause));
        let took = begun.elapsed();
        assert!(took <= STALE_AFTER + DELAY, "{:?}, {cause:?}: said after {took:?}", self.mode);
        self.create(cause, decided);
        eventually("it is still said", || self.said(cause));
        let mut after = self.world.versions();
        after.retain(|name, _| before.contains_key(name));
        assert_eq!(after, before, "{:?}, {cause:?}: nothing is written", self.mode);

        let ended = Instant::now();
        self.end(cause, suspended);
        eventually(&format!("{:?}, {cause:?}: it heals", self.mode), || self.well());
        let took = ended.elapsed();
        assert!(took <= HEALED, "{:?}, {cause:?}: healed after {took:?}", self.mode);
    }

    fn begin(&mut self, cause: Cause) -> Option<Suspended> {
        match cause {
            Cause::Refused => self.proxy.set(|faults| faults.unauthorized = true),
            Cause::Gone => self.proxy.set(|faults| faults.cut = true),
            Cause::Stalled => self.proxy.set(|faults| faults.stall_watches = true),
            Cause::Killed => self.world.sidecars.remove(0).kill(),
            Cause::Stopped => return Some(self.sidecar().suspend()),
        }
        None
    }

    fn end(&mut self, cause: Cause, suspended: Option<Suspended>) {
        drop(suspended);
        self.proxy.set(|faults| *faults = Faults::default());
        if cause == Cause::Killed {
            self.world.add_sidecar_behind(&self.proxy);
        }
    }

    fn sidecar(&self) -> &Sidecar {
        &self.world.sidecars[0]
    }

    fn decided_stale(&self) -> f64 {
        self.world.engine.sample("plimsoll_stale_decisions_total", "")
    }

    /// A developer's next workload, while the fleet is out of sight.
    fn create(&self, cause: Cause, decided: f64) {
        let answer = self.api.call(&self.world.creation(&pci_replica_set(cause.cluster())));
        let is_named = |text: &str| text.contains("source `kubernetes`");
        match self.mode {
            Mode::Deny => assert!(answer.code == 503 && is_named(answer.message()), "{cause:?}: {answer:?}"),
            Mode::Warn => assert!(answer.accepted() && is_named(&answer.warnings), "{cause:?}: {answer:?}"),
            Mode::Ignore => assert!(answer.accepted() && answer.warnings.is_empty(), "{cause:?}: {answer:?}"),
        }
        assert_eq!(self.decided_stale() > decided, self.mode != Mode::Deny, "{cause:?}");
        if self.mode != Mode::Deny {
            self.is_placed_as_last_seen(cause, &answer);
        }
    }

    /// There is something to repair.
    fn is_placed_as_last_seen(&self, cause: Cause, answer: &Answer) {
        let clusters = clusters_in(&answer.body, PREFERENCES).unwrap();
        // Watches that are open are not asked for a token again.
        let is_seen = cause == Cause::Refused;
        assert!(is_seen || clusters.iter().any(|cluster| cluster == cause.cluster()), "{:?}, {cause:?}: {clusters:?}", self.mode);
    }
}
