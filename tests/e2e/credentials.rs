//! Credentials that change while creates run all the time: no request is lost, and no process starts again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::policies;
use super::support::api::Request;
use super::support::api_server::POLICY_NAMESPACE;
use super::support::certificates::Authority;
use super::support::eventually::until;
use super::support::fixtures::{PREFERENCES, clusters_in, pci_replica_set};
use super::support::sidecar::Sidecar;
use super::support::world::{Server, Setup, World};

const POLICIES: &[(&str, &str)] = &[("pci.rego", policies::PCI)];
/// A refused credential is looked at again after this time, and the Lease is taken back soon.
const SIDECAR: &str = "mirror: {probe: 1s, credentials: 200ms, retryMost: 500ms}";
const SWAPPED: &str = "result=\"swapped\"";
const CLUSTERS: &str = "kind=\"cluster.karmada.io/v1alpha1/clusters\",result=\"complete\"";

/// A kubeconfig whose token and authority the test exchanges.
struct Credentials<'a> {
    world: &'a World,
    kubeconfig: PathBuf,
    authority: PathBuf,
}

/// Ends the load, whatever else fails.
struct Over<'a>(&'a Load);

/// Creates, one after another.
#[derive(Default)]
struct Load {
    answered: AtomicU32,
    over: AtomicBool,
}

#[test]
fn a_token_that_is_rotated_under_load_costs_no_request_and_no_restart() {
    let setup = Setup { policies: POLICIES, sidecar: SIDECAR, ..Setup::default() };
    let Some(mut world) = World::prepare(Server::Real, &setup) else { return };
    let kubeconfig = world.directory().join("own.kubeconfig");
    Credentials::of(&world).write("first", false);
    world.engine.start();
    world.add_sidecar_with(&kubeconfig);
    world.engine.await_ready();
    world.connect();
    world.create(&pci_replica_set("web"));
    world.await_settled();
    let load = Load::default();
    thread::scope(|scope| {
        scope.spawn(|| load.run(&world));
        let _over = Over(&load);
        until("creates are answered", || load.answered(), |answered| *answered >= 3);
        rotate(&world);
    });
    assert!(load.answered() >= 20, "{}", load.answered());
    let sidecar = &world.sidecars[0];
    let ended = |end: &str| sidecar.sample("plimsoll_sidecar_sessions_total", &format!("result=\"{end}\""));
    assert_eq!((ended("declared"), ended("superseded"), ended("new_epoch")), (1.0, 0.0, 0.0), "one session");
    assert_eq!(sidecar.sample("plimsoll_sidecar_lists_total", CLUSTERS), 1.0, "nothing is listed again");
}

fn rotate(world: &World) {
    let (credentials, sidecar) = (Credentials::of(world), &world.sidecars[0]);
    let swapped = |count: f64| {
        let seen = || sidecar.sample("plimsoll_sidecar_credential_reloads_total", SWAPPED);
        until("new credentials are in use", seen, |swapped| *swapped >= count);
    };
    let second = credentials.write("second", false);
    swapped(1.0);
    let third = credentials.write("third", true);
    swapped(2.0);
    credentials.widen_authority();
    swapped(3.0);
    // Both are gone for good: what goes on goes on with the third.
    credentials.revoke("first", None);
    credentials.revoke("second", Some(&second));
    world.certify("beta", true);
    world.await_clusters("rs/web", PREFERENCES, &["alpha", "beta"]);
    assert!(sidecar.leads(), "the Lease is kept");

    credentials.revoke("third", Some(&third));
    until("the reason is told", || said(sidecar), |said| said.contains("401") || said.contains("Unauthorized"));
    credentials.write("fourth", true);
    swapped(4.0);
    until("nothing is wrong", || said(sidecar), |said| !said.contains("401") && !said.contains("Unauthorized"));
    world.certify("gamma", true);
    world.await_clusters("rs/web", PREFERENCES, &["alpha", "beta", "gamma"]);
}

fn said(sidecar: &Sidecar) -> String {
    sidecar.health().unwrap().1
}

impl<'a> Credentials<'a> {
    fn of(world: &'a World) -> Self {
        let at = |name: &str| world.directory().join(name);
        Self { world, kubeconfig: at("own.kubeconfig"), authority: at("own-ca.crt") }
    }

    /// Puts a new token into the kubeconfig, which lives as long as the Secret `name`.
    fn write(&self, name: &str, renamed: bool) -> String {
        let kubectl = &self.world.kubectl;
        kubectl.run(&["create", "secret", "generic", name, "-n", POLICY_NAMESPACE]);
        let bound = ["--bound-object-kind=Secret", &format!("--bound-object-name={name}")];
        let token = kubectl.run(&["create", "token", "plimsoll", "-n", POLICY_NAMESPACE, bound[0], bound[1]]).trim().to_owned();
        let mut config: Json = serde_json::from_str(&std::fs::read_to_string(kubectl.kubeconfig()).unwrap()).unwrap();
        let cluster = &mut config["clusters"][0]["cluster"];
        if !self.authority.exists() {
            std::fs::copy(cluster["certificate-authority"].as_str().unwrap(), &self.authority).unwrap();
        }
        cluster["certificate-authority"] = self.authority.to_str().unwrap().into();
        config["users"][0]["user"] = json!({"token": token});
        if renamed {
            let aside = self.kubeconfig.with_extension("new");
            std::fs::write(&aside, config.to_string()).unwrap();
            std::fs::rename(&aside, &self.kubeconfig).unwrap();
        } else {
            std::fs::write(&self.kubeconfig, config.to_string()).unwrap();
        }
        token
    }

    /// The authority's file names a second one, as in the first step of its rotation.
    fn widen_authority(&self) {
        let both = std::fs::read_to_string(&self.authority).unwrap() + &Authority::new("e2e-next").pem();
        std::fs::write(&self.authority, both).unwrap();
    }

    /// Takes a token's Secret away; returns when the API server, which remembers tokens for ten seconds, refuses it.
    fn revoke(&self, name: &str, token: Option<&str>) {
        self.world.kubectl.run(&["delete", "secret", name, "-n", POLICY_NAMESPACE]);
        let Some(token) = token else { return };
        let api = self.world.api_as(token);
        let path = "/apis/cluster.karmada.io/v1alpha1/clusters".to_owned();
        let reading = Request { method: Method::GET, path, content_type: "application/json", body: Json::Null };
        until("the token is refused", || api.call(&reading).code, |code| *code == 401);
    }
}

impl Load {
    fn answered(&self) -> u32 {
        self.answered.load(Ordering::Acquire)
    }

    /// Creates an object, looks at it, and deletes it.
    fn run(&self, world: &World) {
        let api = world.api();
        while !self.over.load(Ordering::Acquire) {
            let name = format!("load-{}", self.answered());
            let mut created = api.call(&world.creation(&pci_replica_set(&name)));
            // The fleet grows in this test: an object whose two reviews saw two versions of it is to be sent again, and says so.
            if created.code == 409 && created.body["message"].as_str().is_some_and(|message| message.contains("try again")) {
                created = api.call(&world.creation(&pci_replica_set(&name)));
            }
            assert_eq!(created.code, 201, "{name}: {created:?}");
            let stored = api.call(&world.reading(&name));
            assert!(clusters_in(&stored.body, PREFERENCES).is_some(), "{name}: {stored:?}");
            let deleted = api.call(&world.deletion(&name));
            assert_eq!(deleted.code, 200, "{name}: {deleted:?}");
            self.answered.fetch_add(1, Ordering::AcqRel);
        }
    }
}

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Release);
    }
}
