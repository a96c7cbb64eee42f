//! A settled fleet with two complete pairs of engine and sidecar: nobody writes, and nobody fights with GitOps.
//!
//! `SETTLED_PASSES` says for how many passes of a second each (10) nothing may move.

use reqwest::Method;
use serde_json::Value as Json;

use super::policies;
use super::support::api::Api;
use super::support::engine::Engine;
use super::support::eventually::until;
use super::support::fixtures::{APPLIED, PREFERENCES, annotation, clusters_in, pci_replica_set, resource_version};
use super::support::sidecar::Sidecar;
use super::support::world::{Server, Setup, World};

const SETUP: Setup<'static> = Setup {
    policies: &[("pci.rego", policies::PCI)],
    clusters: &[("alpha", true), ("beta", false)],
    kinds: super::support::world::KINDS,
    engine: &["--sidecar-user=system:serviceaccount:kube-federation-scheduling-policy:plimsoll"],
    sidecar: "",
};

/// How often GitOps applies what is in its repository, with the webhooks at each pair.
const TIMES: usize = 10;

/// How it does that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    ClientSide,
    ServerSide,
    Replace,
}

const WAYS: [(Way, &str); 3] = [(Way::ClientSide, "client-side"), (Way::ServerSide, "server-side"), (Way::Replace, "replace")];

/// Two pairs; webhooks are answered by one, later by the other.
struct Pairs {
    world: World,
    second: Engine,
    api: Api,
}

#[test]
fn a_settled_fleet_with_two_pairs_is_not_written_and_gitops_is_not_fought() {
    let Some(pairs) = Pairs::start() else { return };
    let names = (0..20).map(|number| format!("web-{number}")).chain(WAYS.map(|(_, name)| name.to_owned()));
    for name in names {
        let created = pairs.api.call(&pairs.world.creation(&pci_replica_set(&name)));
        assert!(created.accepted(), "{created:?}");
    }
    pairs.world.certify("beta", true);
    for name in ["web-19", "client-side", "server-side", "replace"] {
        pairs.world.await_clusters(&format!("rs/{name}"), PREFERENCES, &["alpha", "beta"]);
    }
    pairs.await_settled();
    let passes = std::env::var("SETTLED_PASSES").map_or(10.0, |text| text.parse().unwrap());
    pairs.stands_still_for(passes);
    pairs.apply_again();
    pairs.world.connect_at(&pairs.second.review_url());
    pairs.apply_again();
    pairs.stands_still_for(2.0);
}

impl Pairs {
    fn start() -> Option<Self> {
        let mut world = World::prepare(Server::Real, &SETUP)?;
        world.engine.start();
        world.add_sidecar();
        world.engine.await_ready();
        let second = world.add_replica(&SETUP);
        world.connect();
        Some(Self { api: world.api(), world, second })
    }

    fn await_settled(&self) {
        let pending = |engine: &Engine| engine.placements().iter().filter(|row| row.get("patch").is_some()).count();
        until("both pairs are settled", || [&self.world.engine, &self.second].map(pending), |pending| *pending == [0, 0]);
    }

    /// Whoever leads looks at every row that many times, and no object gets another version.
    fn stands_still_for(&self, passes: f64) {
        let (versions, patches) = (self.world.versions(), self.world.patches());
        let leader = self.world.sidecars.iter().find(|sidecar| sidecar.leads()).unwrap();
        let rows = |sidecar: &Sidecar| sidecar.sample("plimsoll_sidecar_rows_total", "");
        let enough = rows(leader) + passes * f64::from(u32::try_from(versions.len()).unwrap());
        let mut next = rows(leader);
        while next < enough {
            // Longer than a single wait may last.
            let now = next;
            next = until("the next pass", || rows(leader), |rows| *rows > now);
        }
        assert_eq!((self.world.versions(), self.world.patches()), (versions, patches));
    }

    /// What is stored is what the answer shows until the next time: nobody else writes.
    fn apply_again(&self) {
        let patches = self.world.patches();
        for (way, name) in WAYS {
            let mut version = resource_version(&self.read(name));
            for time in 0..TIMES {
                let before = resource_version(&self.read(name));
                assert_eq!(before, version, "{way:?} {time}: somebody else wrote");
                let stored = self.apply(way, name);
                assert_eq!(clusters_in(&stored, PREFERENCES).unwrap(), ["alpha", "beta"], "{way:?} {time}");
                assert!(annotation(&stored, APPLIED).is_some(), "{way:?} {time}: {stored}");
                version = resource_version(&stored);
            }
        }
        assert_eq!(self.world.patches(), patches, "no sidecar has anything to do");
    }

    fn read(&self, name: &str) -> Json {
        self.api.call(&self.world.reading(name)).body
    }

    /// The manifest as it is in the repository; what the API server stored.
    fn apply(&self, way: Way, name: &str) -> Json {
        let manifest = pci_replica_set(name);
        let request = match way {
            Way::ClientSide => {
                let arguments = ["apply", "-n", &self.world.namespace, "-o", "json", "-f", "-"];
                let output = self.world.kubectl.try_run_with(&arguments, &manifest.to_string()).unwrap();
                // Warnings come last.
                return serde_json::Deserializer::from_str(&output).into_iter().next().unwrap().unwrap();
            }
            Way::ServerSide => {
                let name = format!("{name}?fieldManager=gitops&force=true");
                self.world.request(Method::PATCH, &name, "application/apply-patch+yaml", &manifest)
            }
            Way::Replace => self.world.request(Method::PUT, name, "application/json", &manifest),
        };
        let answer = self.api.call(&request);
        assert!(answer.accepted(), "{way:?}: {answer:?}");
        answer.body
    }
}
