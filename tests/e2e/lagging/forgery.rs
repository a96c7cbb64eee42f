//! Records that a tenant makes up, and the ways by which they reach the API server.

use plimsoll_contract::annotations::{Applied, AppliedKey, SeenFleet, digest};
use plimsoll_contract::version::ResourceVersion;
use reqwest::Method;
use serde_json::{Value as Json, json};

use super::{MANY, OBJECTS};
use crate::e2e::support::api::Request;
use crate::e2e::support::fixtures::{APPLIED, PREFERENCES, annotated, pci_replica_set};
use crate::e2e::support::world::World;

const WISH: &str = r#"{"clusters":{"gamma":{"weight":1}},"rebalance":true}"#;

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

/// Every claim, with and without a value, in every way, over and over on all objects but the last.
pub(super) fn all(world: &World, real: &Applied) -> Vec<Request> {
    let claims = CLAIMS.into_iter().flat_map(|claim| [true, false].map(|with_value| (claim, with_value)));
    let cases: Vec<_> = claims.flat_map(|(claim, with_value)| WAYS.map(|way| (claim, with_value, way))).collect();
    let case = |number: usize| {
        let (claim, with_value, way) = cases[number % cases.len()];
        let name = if way == Way::Create { format!("forged-{number}") } else { super::name(number % (OBJECTS - 1)) };
        request(world, way, &name, &forged(real, claim, with_value, &name))
    };
    (0..MANY).map(case).collect()
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

fn request(world: &World, way: Way, name: &str, object: &Json) -> Request {
    match way {
        Way::Create => world.creation(object),
        Way::ClientSide => {
            // As kubectl sends it; that would try again for ten seconds when it is told to.
            let applied = annotated(object.clone(), "kubectl.kubernetes.io/last-applied-configuration", &object.to_string());
            world.request(Method::PATCH, name, "application/strategic-merge-patch+json", &applied)
        }
        Way::ServerSide => {
            let name = format!("{name}?fieldManager=tenant&force=true");
            world.request(Method::PATCH, &name, "application/apply-patch+yaml", object)
        }
        Way::Replace => world.request(Method::PUT, name, "application/json", object),
        Way::Update => world.change(name, &json!({"metadata": {"annotations": object["metadata"]["annotations"]}})),
    }
}
