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

/// How a tenant writes, beside `kubectl apply`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Create,
    ServerSide,
    Replace,
    Update,
}

const WAYS: [Way; 4] = [Way::Create, Way::ServerSide, Way::Replace, Way::Update];

fn name(number: usize) -> String {
    format!("web-{number}")
}

#[test]
fn what_a_better_informed_leader_writes_stays_although_the_webhook_lags() {
    let Some(lagging) = Lagging::start() else { return };
    let kept = || lagging.world.engine.sample("plimsoll_reviews_ahead_total", "result=\"kept\"");
    lagging.repair_behind_its_back();
    assert!(kept() >= 16.0, "mutated and validated by an engine that would place otherwise: {}", kept());
    let ended = |end: &str| lagging.world.sidecars[0].sample("plimsoll_sidecar_writes_total", &format!("result=\"{end}\""));
    assert_eq!((ended("patched"), ended("reverted"), ended("refused")), (16.0, 0.0, 0.0));
    let versions = lagging.world.versions();
    lagging.await_passes();
    assert_eq!(lagging.world.versions(), versions, "and is not written again");
    lagging.proxy.set(|faults| faults.stall_watches = false);
    lagging.await_settled();
    assert_eq!(lagging.world.versions(), versions);
}

#[test]
fn a_tenant_who_makes_up_records_gains_nothing_and_keeps_nobody_waiting() {
    let Some(lagging) = Lagging::start() else { return };
    lagging.world.admit_tenant();
    lagging.repair_behind_its_back();
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
            lagging.world.create(&pci_replica_set(&name(number)));
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
        let (mut running, mut looks) = (0.0, 0.0);
        thread::scope(|scope| {
            let api = self.world.api();
            scope.spawn(|| self.is_applied_by_kubectl());
            let burst = scope.spawn(move || api.call_all_as(TENANT, &requests));
            while !burst.is_finished() {
                running += self.world.engine.sample("plimsoll_pool_jobs", "pool=\"decide\",state=\"running\"");
                looks += 1.0;
                self.creates_soon(&format!("meanwhile-{looks}"));
            }
            let mut answers: Vec<Answer> = burst.join().unwrap();
            answers.retain(|answer| answer.code != 409 && !answer.accepted());
            assert!(answers.is_empty(), "{answers:?}");
        });
        assert!(looks > 1.0 && running / looks < 1.0, "{running} jobs were seen running in {looks} looks");
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
        let case = |number: usize| {
            let (claim, with_value, way) = cases[number % cases.len()];
            let name = if way == Way::Create { format!("forged-{number}") } else { name(number % (OBJECTS - 1)) };
            self.request(way, &name, &self.forged(claim, with_value, &name))
        };
        (0..MANY).map(case).collect()
    }

    /// On the client's side; one request after another.
    fn is_applied_by_kubectl(&self) {
        let items: Vec<Json> =
            CLAIMS.iter().enumerate().map(|(number, claim)| self.forged(*claim, true, &name(number))).collect();
        let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
        let arguments = ["apply", "--as", TENANT, "-n", &self.world.namespace, "-f", "-"];
        if let Err(refused) = self.world.kubectl.try_run_with(&arguments, &list) {
            let refusals = refused.lines().filter(|line| line.starts_with("Error"));
            assert!(refusals.into_iter().all(|line| line.contains("(Conflict)") || line.contains("try again")), "{refused}");
        }
    }

    fn request(&self, way: Way, name: &str, object: &Json) -> Request {
        match way {
            Way::Create => self.world.creation(object),
            Way::ServerSide => {
                let name = format!("{name}?fieldManager=tenant&force=true");
                self.world.request(Method::PATCH, &name, "application/apply-patch+yaml", object)
            }
            Way::Replace => self.world.request(Method::PUT, name, "application/json", object),
            Way::Update => self.world.change(name, &json!({"metadata": {"annotations": object["metadata"]["annotations"]}})),
        }
    }

    fn forged(&self, claim: Claim, with_value: bool, name: &str) -> Json {
        let real = self.real();
        let mut fleet = real.fleet.clone().unwrap();
        let version = |text: &str| ResourceVersion::parse(text).unwrap();
        match claim {
            Claim::Huge | Claim::Signed => fleet.changed = version(&"9".repeat(40)),
            Claim::Old => fleet.changed = version("1"),
            Claim::Foreign => fleet = SeenFleet { cluster: "b3c8".into(), changed: version(&"9".repeat(40)), ..fleet },
        }
        let mac = (claim == Claim::Signed).then(|| "0".repeat(64));
        let entry = AppliedKey { was: None, sum: digest(WISH) };
        let record = Applied { mac, fleet: Some(fleet), keys: [(PREFERENCES.to_owned(), entry)].into(), ..real };
        let object = annotated(pci_replica_set(name), APPLIED, &record.encode());
        if with_value { annotated(object, PREFERENCES, WISH) } else { object }
    }

    /// The record of an object that nobody has touched since the leader did.
    fn real(&self) -> Applied {
        let object = self.world.get(&format!("rs/{}", name(OBJECTS - 1)));
        Applied::parse(annotation(&object, APPLIED).unwrap()).unwrap()
    }

    fn creates_soon(&self, name: &str) {
        let begun = Instant::now();
        let answer = self.api.call(&self.world.creation(&pci_replica_set(name)));
        let took = begun.elapsed();
        assert!(answer.accepted() && took < SOON, "{took:?}: {answer:?}");
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
