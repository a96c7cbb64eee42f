//! Two pairs, the webhook at the one whose mirror lags and the Lease at the other: what the leader writes stays, and a tenant who makes
//! up records gains nothing and keeps nobody waiting.

use std::thread;
use std::time::{Duration, Instant};

use plimsoll_contract::annotations::{Applied, AppliedKey, SeenFleet, digest};
use plimsoll_contract::version::ResourceVersion;
use reqwest::Method;
use serde_json::{Value as Json, json};

use super::policies;
use super::support::api::{Answer, Api, Request};
use super::support::engine::Engine;
use super::support::eventually::{eventually, until};
use super::support::fixtures::{APPLIED, PREFERENCES, annotated, annotation, clusters_in, pci_replica_set};
use super::support::proxy::Proxy;
use super::support::world::{Server, Setup, World};

const SETUP: Setup<'static> = Setup {
    policies: &[("pci.rego", policies::PCI)],
    clusters: &[("alpha", true), ("beta", false), ("gamma", false)],
    kinds: super::support::world::KINDS,
    // It lags longer than others may.
    engine: &["--sidecar-user=system:serviceaccount:kube-federation-scheduling-policy:plimsoll", "--stale-after=10m"],
    sidecar: "",
};

const TENANT: &str = "tenant";
const WISH: &str = r#"{"clusters":{"gamma":{"weight":1}},"rebalance":true}"#;
/// Objects that the leader repairs.
const OBJECTS: usize = 16;
/// Requests at once.
const MANY: usize = 100;
const SOON: Duration = Duration::from_secs(1);
const LATE: Duration = Duration::from_secs(5);

/// Two pairs; the webhook is at the world's own engine, whose sidecar does not lead.
struct Lagging {
    leading: Engine,
    world: World,
    proxy: Proxy,
    api: Api,
}

/// What a made-up record claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    /// A version of the fleet that will never be.
    Huge,
    /// The same, with a mac.
    Signed,
    /// A version that was long ago.
    Old,
    /// Another cluster's fleet.
    Foreign,
}

const CLAIMS: [Claim; 4] = [Claim::Huge, Claim::Signed, Claim::Old, Claim::Foreign];

/// How a tenant writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Create,
    ClientSide,
    ServerSide,
    Replace,
    Update,
}

const WAYS: [Way; 5] = [Way::Create, Way::ClientSide, Way::ServerSide, Way::Replace, Way::Update];

fn name(number: usize) -> String {
    format!("web-{number}")
}

/// An object with a record that somebody made up, in the likeness of a `real` one.
fn forged(real: &Applied, claim: Claim, with_value: bool, name: &str) -> Json {
    let mut fleet = real.fleet.clone().unwrap();
    let version = |text: &str| ResourceVersion::parse(text).unwrap();
    match claim {
        Claim::Huge | Claim::Signed => fleet.changed = version(&"9".repeat(40)),
        Claim::Old => fleet.changed = version("1"),
        Claim::Foreign => fleet = SeenFleet { cluster: "b3c8".into(), changed: version(&"9".repeat(40)), ..fleet },
    }
    let mac = (claim == Claim::Signed).then(|| "0".repeat(64));
    let entry = AppliedKey { was: None, sum: digest(WISH) };
    let record = Applied { mac, fleet: Some(fleet), keys: [(PREFERENCES.to_owned(), entry)].into(), ..real.clone() };
    let object = annotated(pci_replica_set(name), APPLIED, &record.encode());
    if with_value { annotated(object, PREFERENCES, WISH) } else { object }
}

#[test]
fn behind_the_webhooks_back_a_leaders_repair_stays_and_made_up_records_gain_nothing() {
    let Some(lagging) = Lagging::start() else { return };
    lagging.world.admit_tenant();
    lagging.repair_behind_its_back();
    lagging.is_not_undone();
    lagging.is_tried_in_every_way();
    lagging.proxy.set(|faults| faults.stall_watches = false);
    lagging.await_settled();
    lagging.is_as_policy_says();
}

impl Lagging {
    /// All objects placed and both mirrors up to date.
    fn start() -> Option<Self> {
        let mut world = World::prepare(Server::Real, &SETUP)?;
        world.engine.start();
        let leading = world.add_replica(&SETUP);
        until("the other one leads", || world.sidecars[0].leads(), |leads| *leads);
        let proxy = world.proxy();
        world.add_sidecar_behind(&proxy);
        world.engine.await_ready();
        world.connect();
        let lagging = Self { api: world.api(), leading, world, proxy };
        for number in 0..OBJECTS {
            lagging.creates(&name(number));
        }
        lagging.await_settled();
        Some(lagging)
    }

    /// A cluster more, of which only the leader hears.
    fn repair_behind_its_back(&self) {
        self.proxy.set(|faults| faults.stall_watches = true);
        self.world.certify("beta", true);
        for number in 0..OBJECTS {
            self.world.await_clusters(&format!("rs/{}", name(number)), PREFERENCES, &["alpha", "beta"]);
        }
        // Otherwise nothing here shows anything.
        let here = self.world.engine.placement(&self.world.namespace, &name(0));
        assert!(!here.to_string().contains("beta"), "it lags: {here}");
    }

    /// The leader's patches are mutated and validated by an engine that would place otherwise, and are stored as they came.
    fn is_not_undone(&self) {
        let kept = self.world.engine.sample("plimsoll_reviews_ahead_total", "result=\"kept\"");
        let ended = |end: &str| self.world.sidecars[0].sample("plimsoll_sidecar_writes_total", &format!("result=\"{end}\""));
        assert!(kept >= 16.0, "{kept}");
        assert_eq!((ended("patched"), ended("reverted"), ended("refused")), (16.0, 0.0, 0.0));
        let versions = self.world.versions();
        self.await_passes();
        assert_eq!(self.world.versions(), versions, "nor written again");
    }

    /// Both mirrors know every object, and both engines find it well placed.
    fn await_settled(&self) {
        eventually("both pairs are settled", || {
            let versions = self.world.versions();
            let is_settled = |engine: &Engine| {
                let rows = engine.placements();
                rows.len() == versions.len() && rows.iter().all(|row| row.get("patch").is_none())
            };
            let engines = [&self.world.engine, &self.leading];
            if engines.into_iter().all(is_settled) { Ok(()) } else { Err(engines.map(Engine::placements)) }
        });
    }

    /// The leader looks at every row twice more.
    fn await_passes(&self) {
        let rows = || self.world.sidecars[0].sample("plimsoll_sidecar_rows_total", "");
        let enough = rows() + 2.0 * f64::from(u32::try_from(OBJECTS).unwrap());
        until("two passes", rows, |rows| *rows >= enough);
    }

    /// Most of these wait for the mirror, and others do not wait for that.
    fn is_tried_in_every_way(&self) {
        let requests: Vec<Request> = self.forgeries();
        let (mut idle, mut waits) = (0, Vec::new());
        thread::scope(|scope| {
            let api = self.world.api();
            let burst = scope.spawn(move || api.call_all_as(TENANT, &requests));
            while !burst.is_finished() {
                let running = self.world.engine.sample("plimsoll_pool_jobs", "pool=\"decide\",state=\"running\"");
                idle += usize::from(running == 0.0);
                waits.push(self.creates(&format!("meanwhile-{}", waits.len())));
            }
            let mut answers: Vec<Answer> = burst.join().unwrap();
            answers.retain(|answer| answer.code != 409 && !answer.accepted());
            assert!(answers.is_empty(), "{answers:?}");
        });
        waits.sort_unstable();
        assert!(idle > 0, "workers are free while reviews wait: {waits:?}");
        // Evaluated with a hundred others, on however few cores; the slowest one may be unlucky.
        assert!(waits.len() > 2 && waits[waits.len() / 2] < SOON && waits[waits.len() - 1] < LATE, "{waits:?}");
        let refused = self.world.engine.sample("plimsoll_refused_total", "pool=\"decide\"");
        assert_eq!(refused, 0.0, "every review got an answer");
        let list = self.api.call(&self.world.reading("")).body;
        for object in list["items"].as_array().unwrap() {
            let clusters = clusters_in(object, PREFERENCES).unwrap();
            assert!(clusters.contains(&"alpha".to_owned()) && !clusters.contains(&"gamma".to_owned()), "{object}");
        }
    }

    /// Every claim, with and without a value, in every way, over and over on all objects.
    fn forgeries(&self) -> Vec<Request> {
        let claims = CLAIMS.into_iter().flat_map(|claim| [true, false].map(|with_value| (claim, with_value)));
        let cases: Vec<_> = claims.flat_map(|(claim, with_value)| WAYS.map(|way| (claim, with_value, way))).collect();
        let real = self.real();
        let case = |number: usize| {
            let (claim, with_value, way) = cases[number % cases.len()];
            let name = if way == Way::Create { format!("forged-{number}") } else { name(number % (OBJECTS - 1)) };
            self.request(way, &name, &forged(&real, claim, with_value, &name))
        };
        (0..MANY).map(case).collect()
    }

    fn request(&self, way: Way, name: &str, object: &Json) -> Request {
        match way {
            Way::Create => self.world.creation(object),
            Way::ClientSide => {
                // As kubectl sends it; that would try again for ten seconds when it is told to.
                let applied = annotated(object.clone(), "kubectl.kubernetes.io/last-applied-configuration", &object.to_string());
                self.world.request(Method::PATCH, name, "application/strategic-merge-patch+json", &applied)
            }
            Way::ServerSide => {
                let name = format!("{name}?fieldManager=tenant&force=true");
                self.world.request(Method::PATCH, &name, "application/apply-patch+yaml", object)
            }
            Way::Replace => self.world.request(Method::PUT, name, "application/json", object),
            Way::Update => self.world.change(name, &json!({"metadata": {"annotations": object["metadata"]["annotations"]}})),
        }
    }

    /// The record of an object that nobody has touched since the leader did.
    fn real(&self) -> Applied {
        let object = self.world.get(&format!("rs/{}", name(OBJECTS - 1)));
        Applied::parse(annotation(&object, APPLIED).unwrap()).unwrap()
    }

    /// How long an honest developer waits.
    fn creates(&self, name: &str) -> Duration {
        let begun = Instant::now();
        let answer = self.api.call(&self.world.creation(&pci_replica_set(name)));
        assert!(answer.accepted(), "{answer:?}");
        begun.elapsed()
    }

    /// Everything, those that tenants made among them.
    fn is_as_policy_says(&self) {
        let list = self.api.call(&self.world.reading("")).body;
        let objects = list["items"].as_array().unwrap();
        assert!(objects.len() > OBJECTS + CLAIMS.len());
        for object in objects {
            assert_eq!(clusters_in(object, PREFERENCES).unwrap(), ["alpha", "beta"], "{object}");
            let record = Applied::parse(annotation(object, APPLIED).unwrap()).unwrap();
            let changed = record.fleet.unwrap().changed;
            let version = ResourceVersion::parse(object["metadata"]["resourceVersion"].as_str().unwrap()).unwrap();
            assert!(changed < version, "{object}");
        }
        let unproven = [&self.world.engine, &self.leading].map(|engine| engine.sample("plimsoll_placements_unproven", ""));
        assert_eq!(unproven, [0.0, 0.0]);
    }
}
