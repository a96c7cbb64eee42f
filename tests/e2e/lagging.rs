//! Two pairs, the webhook at the one whose mirror lags and the Lease at the other: what the leader writes stays, and a tenant who makes
//! up records gains nothing and keeps nobody waiting.

use std::thread;
use std::time::{Duration, Instant};

use plimsoll_contract::annotations::Applied;
use plimsoll_contract::version::ResourceVersion;
use serde_json::Value as Json;

use super::policies;
use super::support::api::{Answer, Api, Request};
use super::support::engine::Engine;
use super::support::eventually::{eventually, until};
use super::support::fixtures::{APPLIED, PREFERENCES, annotation, clusters_in, pci_replica_set};
use super::support::proxy::Proxy;
use super::support::world::{Server, Setup, World};

mod forgery;

const SETUP: Setup<'static> = Setup {
    policies: &[("pci.rego", policies::PCI)],
    clusters: &[("alpha", true), ("beta", false), ("gamma", false)],
    kinds: super::support::world::KINDS,
    // It lags longer than others may.
    engine: &["--sidecar-user=system:serviceaccount:kube-federation-scheduling-policy:plimsoll", "--stale-after=10m"],
    sidecar: "",
};

const TENANT: &str = "tenant";
/// Objects that the leader repairs.
const OBJECTS: usize = 16;
/// Requests at once.
const MANY: usize = 100;
/// How long others may wait beside them, as a rule and at most: they are evaluated with a hundred others, on however few cores.
const SOON: Duration = Duration::from_secs(1);
const LATE: Duration = Duration::from_secs(5);

/// Two pairs; the webhook is at the world's own engine, whose sidecar does not lead.
struct Lagging {
    leading: Engine,
    world: World,
    proxy: Proxy,
    api: Api,
}

fn name(number: usize) -> String {
    format!("web-{number}")
}

/// Well, or that it is to be tried again.
fn are_answered(mut answers: Vec<Answer>) {
    answers.retain(|answer| !matches!(answer.code, 409 | 429) && !answer.accepted());
    assert!(answers.is_empty(), "{answers:?}");
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
    lagging.is_as_policy_says(&["alpha", "beta"]);
    // The same where nobody lags.
    are_answered(lagging.api.call_all_as(TENANT, &lagging.forgeries()));
    lagging.is_as_policy_says(&["alpha", "beta"]);
    // And nothing is kept from what policy says next.
    lagging.world.certify("alpha", false);
    lagging.is_as_policy_says(&["beta"]);
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
        let requests = self.forgeries();
        let (mut idle, mut waits) = (0, Vec::new());
        thread::scope(|scope| {
            let api = self.world.api();
            let burst = scope.spawn(move || api.call_all_as(TENANT, &requests));
            while !burst.is_finished() {
                let running = self.world.engine.sample("plimsoll_pool_jobs", "pool=\"decide\",state=\"running\"");
                idle += usize::from(running == 0.0);
                waits.push(self.creates(&format!("meanwhile-{}", waits.len())));
            }
            are_answered(burst.join().unwrap());
        });
        waits.sort_unstable();
        assert!(idle > 0, "workers are free while reviews wait: {waits:?}");
        assert!(waits.len() > 2 && waits[waits.len() / 2] < SOON && waits[waits.len() - 1] < LATE, "{waits:?}");
        for object in self.objects() {
            let (clusters, name) = (clusters_in(&object, PREFERENCES).unwrap(), object["metadata"]["name"].as_str().unwrap());
            // The leader may not have come to what was created meanwhile.
            let is_placed = clusters == ["alpha", "beta"] || clusters == ["alpha"] && !name.starts_with("web");
            assert!(is_placed, "{object}");
        }
    }

    fn forgeries(&self) -> Vec<Request> {
        // Nobody has touched it since the leader did.
        let untouched = name(OBJECTS - 1);
        let object = self.api.call(&self.world.reading(&untouched)).body;
        forgery::all(&self.world, &Applied::parse(annotation(&object, APPLIED).unwrap()).unwrap())
    }

    fn objects(&self) -> Vec<Json> {
        let list = self.api.call(&self.world.reading("")).body;
        list["items"].as_array().unwrap().clone()
    }

    /// How long an honest developer waits.
    fn creates(&self, name: &str) -> Duration {
        let begun = Instant::now();
        eventually("it is created", || {
            let answer = self.api.call(&self.world.creation(&pci_replica_set(name)));
            // As clients do, which are told to try again.
            assert!(answer.accepted() || answer.code == 429, "{answer:?}");
            if answer.accepted() { Ok(()) } else { Err(answer) }
        });
        begun.elapsed()
    }

    /// Everything, those that tenants made among them. Records claim nothing that was not so.
    fn is_as_policy_says(&self, clusters: &[&str]) {
        eventually("everything is as policy says", || {
            let wrong = |object: &Json| clusters_in(object, PREFERENCES).is_none_or(|found| found != clusters);
            let wrong: Vec<Json> = self.objects().into_iter().filter(wrong).collect();
            if wrong.is_empty() { Ok(()) } else { Err(wrong) }
        });
        for object in self.objects() {
            // With a made-up one in its record's place, policy's value passes for the developer's own, until policy says another.
            let Some(record) = annotation(&object, APPLIED) else { continue };
            let changed = Applied::parse(record).unwrap().fleet.unwrap().changed;
            let version = ResourceVersion::parse(object["metadata"]["resourceVersion"].as_str().unwrap()).unwrap();
            assert!(changed < version, "{object}");
        }
        let unproven = [&self.world.engine, &self.leading].map(|engine| engine.sample("plimsoll_placements_unproven", ""));
        assert_eq!(unproven, [0.0, 0.0]);
    }
}
