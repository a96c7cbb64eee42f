//! Nothing moves a fleet by accident: what would move too many objects stands still, whoever dies meanwhile, until somebody releases it.

use std::process::Command;

use plimsoll_contract::exempt::POLICY_NAMESPACE;
use serde_json::{Value as Json, json};

use super::policies;
use super::support::eventually::{eventually, until};
use super::support::fixtures::{PREFERENCES, clusters_in, pci_replica_set};
use super::support::world::{Server, Setup, World};

scenarios! {
    both: a_change_that_moves_too_many_stands_still_until_it_is_released,
        what_is_put_right_before_anybody_releases_it_moves_no_more_than_may,
        what_is_paused_stays_where_it_is_and_what_is_new_is_placed,
        what_policy_calls_urgent_goes_past_the_brake_and_is_counted;
    real: ;
}

const OBJECTS: usize = 12;
const MOST: usize = 3;

/// At most three of the twelve move within ten minutes.
fn setup() -> Setup<'static> {
    Setup {
        policies: &[("pci.rego", policies::PCI)],
        engine: &["--sidecar-user=system:serviceaccount:kube-federation-scheduling-policy:plimsoll"],
        sidecar: "brake: {share: 30%, floor: 2, window: 10m, first: go}",
        ..Setup::default()
    }
}

fn start(on: Server) -> Option<World> {
    start_with(on, &setup())
}

fn start_with(on: Server, setup: &Setup<'_>) -> Option<World> {
    let world = World::start(on, setup)?;
    let items: Vec<Json> = (0..OBJECTS).map(|number| pci_replica_set(&format!("web-{number:02}"))).collect();
    world.create(&json!({"apiVersion": "v1", "kind": "List", "items": items}));
    world.await_settled();
    until("a sidecar keeps the record", || brake(&world, &[]), |(code, _)| *code == Some(0));
    Some(world)
}

/// Exit code and output of `plimsoll brake`.
fn brake(world: &World, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    let output = command.arg("brake").args(arguments).arg("--kubeconfig").arg(world.kubectl.kubeconfig()).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

fn sample(world: &World, metric: &str) -> f64 {
    world.sidecars.iter().map(|sidecar| sidecar.sample(&format!("plimsoll_sidecar_{metric}"), "")).sum()
}

/// Waits until all objects but those that stand on `clusters` stand still, and the mirror shows that; returns how many moved. What is known
/// at once stops as a whole; but of one class the engine decides one object first, and that one may move before the others are known.
#[track_caller]
fn await_held(world: &World, clusters: &[&str]) -> usize {
    let stopped = || {
        eventually("the moves stand still", || {
            let (moved, held) = (standing_on(world, clusters), sample(world, "brake_held"));
            let expected = f64::from(u32::try_from(OBJECTS - moved).unwrap());
            if sample(world, "brake_on") == 1.0 && held == expected { Ok(moved) } else { Err((moved, held)) }
        })
    };
    stopped();
    // A patch that was on its way has arrived then.
    world.await_two_passes();
    let moved = stopped();
    assert!(moved <= MOST, "{moved} moved");
    moved
}

fn standing_on(world: &World, clusters: &[&str]) -> usize {
    let list = world.get("replicasets");
    let items = list["items"].as_array().unwrap().iter();
    items.filter(|object| clusters_in(object, PREFERENCES).is_some_and(|found| found == clusters)).count()
}

fn a_change_that_moves_too_many_stands_still_until_it_is_released(on: Server) {
    let Some(mut world) = start(on) else { return };
    world.certify("beta", true);
    let both = ["alpha", "beta"];
    let moved = await_held(&world, &both);
    let before = world.versions();
    world.await_two_passes();
    let shown = eventually("the moves are shown", || {
        let (code, text) = brake(&world, &[]);
        let moves = format!("added  {} moves", OBJECTS - moved);
        if code == Some(2) && text.contains("clusters beta: ") && text.contains(&moves) { Ok(text) } else { Err((code, text)) }
    });
    for part in ["the brake is on in the fleet", "web-11", "alpha -> alpha, beta"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }

    // Whoever dies meanwhile: nothing moves.
    world.sidecars.remove(0).kill();
    world.add_sidecar();
    await_held(&world, &both);
    world.engine.kill();
    world.engine.start();
    world.engine.await_ready();
    await_held(&world, &both);
    world.await_two_passes();
    assert_eq!(world.versions(), before);

    let (code, text) = brake(&world, &["release", "--for", "no such cause"]);
    assert!(code == Some(1) && text.contains("nothing stands still for `no such cause`"), "{code:?} {text}");
    eventually("the moves are made", || {
        // What is shown may have another cause since the engine was started again.
        let (_, text) = brake(&world, &["release"]);
        let moved = standing_on(&world, &both);
        if moved == OBJECTS { Ok(()) } else { Err((moved, text)) }
    });

    // What was released were these moves, and no others.
    world.certify("gamma", true);
    await_held(&world, &["alpha", "beta", "gamma"]);
    let after = world.versions();
    world.await_two_passes();
    assert_eq!(world.versions(), after);
}

fn what_is_put_right_before_anybody_releases_it_moves_no_more_than_may(on: Server) {
    let Some(mut world) = start(on) else { return };
    let before = world.patches();
    let careless = policies::PCI.replace("cluster.metadata.annotations[\"pci-certified\"] == \"true\"", "cluster");
    world.policies.mount(&[("pci.rego", &careless)]);
    let moved = await_held(&world, &["alpha", "beta", "gamma"]);
    world.await_two_passes();
    world.policies.mount(&[("pci.rego", policies::PCI)]);
    // Those that moved want back. That is a move, too: the brake lets go of it when all else is quiet.
    until("the others stand where they stood", || sample(&world, "brake_held"), |held| *held <= f64::from(3));
    assert!(standing_on(&world, &["alpha"]) >= OBJECTS - moved);
    assert!(world.patches() - before <= 2.0 * f64::from(3), "{}", world.patches());
}

fn what_is_paused_stays_where_it_is_and_what_is_new_is_placed(on: Server) {
    let sidecar = "brake: {share: 100%, first: go}";
    let Some(mut world) = start_with(on, &Setup { sidecar, ..setup() }) else { return };
    for (scope, hint) in
        [("kind/replicaset", "did you mean `kind/replicasets.apps`"), ("namespace/nosuch", "there is no namespace `nosuch`")]
    {
        let (code, text) = brake(&world, &["pause", "kind/deployments.apps", scope]);
        assert!(code == Some(1) && text.contains(hint) && text.contains("nothing was paused"), "{code:?} {text}");
    }
    let (code, text) = brake(&world, &["pause", "kind/deployments.apps", "kind/replicasets.apps"]);
    assert!(code == Some(0) && text.contains("paused: kind/deployments.apps, kind/replicasets.apps"), "{code:?} {text}");
    until("the sidecar knows what is paused", || sample(&world, "brake_paused"), |parts| *parts == 2.0);
    let before = world.versions();
    world.certify("beta", true);
    world.await_two_passes();
    world.sidecars.remove(0).kill();
    world.add_sidecar();
    world.engine.kill();
    world.engine.start();
    world.engine.await_ready();
    world.await_two_passes();
    assert_eq!(world.versions(), before, "whoever leads");
    world.create(&pci_replica_set("new"));
    assert_eq!(clusters_in(&world.get("replicasets/new"), PREFERENCES).unwrap(), ["alpha", "beta"], "what is new is placed");
    let (code, text) = brake(&world, &[]);
    assert!(code == Some(2) && text.starts_with("paused: kind/deployments.apps, kind/replicasets.apps"), "{code:?} {text}");

    let (code, text) = brake(&world, &["resume", "fleet"]);
    assert!(code == Some(1) && text.contains("`fleet` is not paused"), "{code:?} {text}");
    assert_eq!(brake(&world, &["resume"]).1.trim(), "nothing is paused");
    until("the moves are made", || standing_on(&world, &["alpha", "beta"]), |moved| *moved == OBJECTS + 1);
    assert_eq!(brake(&world, &[]).0, Some(0));
    nobody_is_at_work(&mut world);
}

/// All sidecars died a while ago: what the record says is old, and nobody reads what is asked.
fn nobody_is_at_work(world: &mut World) {
    world.sidecars.remove(0).kill();
    let long_ago = r#"{"spec": {"renewTime": "2026-01-01T00:00:00.000000Z"}}"#;
    world.kubectl.run(&["patch", "lease", "plimsoll", "-n", POLICY_NAMESPACE, "--type=merge", "-p", long_ago]);
    let (code, text) = brake(world, &[]);
    assert!(code == Some(0) && text.starts_with("no sidecar is at work: Lease `"), "{code:?} {text}");
    let (code, text) = brake(world, &["pause", "fleet"]);
    assert!(code == Some(1) && text.contains("nobody hears of it until a sidecar runs"), "{code:?} {text}");
    let (code, text) = brake(world, &["--output=json"]);
    assert!(code == Some(2) && text.contains("\"silence\": \"no sidecar is at work"), "{code:?} {text}");
}

fn what_policy_calls_urgent_goes_past_the_brake_and_is_counted(on: Server) {
    let withdrawn = "\nurgent if not data.kubernetes.clusters.alpha.metadata.annotations[\"pci-certified\"]\n";
    let policy = format!("{}{withdrawn}", policies::PCI);
    let (policies, sidecar) =
        ([("pci.rego", policy.as_str())], "brake: {share: 30%, floor: 2, window: 10m, first: go, urgent: policy}");
    let Some(world) = start_with(on, &Setup { policies: &policies, sidecar, ..setup() }) else { return };
    // The brake is on for something that can wait …
    world.certify("beta", true);
    let moved = await_held(&world, &["alpha", "beta"]);
    // … and what cannot wait goes all the same, each object once.
    world.certify("alpha", false);
    until("nothing stands on alpha", || standing_on(&world, &["beta"]), |moved| *moved == OBJECTS);
    let urgent = |world: &World| -> f64 {
        world.sidecars.iter().map(|sidecar| sidecar.sample("plimsoll_sidecar_moves_total", "result=\"urgent\"")).sum()
    };
    let objects = f64::from(u32::try_from(OBJECTS).unwrap());
    until("each is said to be urgent", || urgent(&world), |count| *count == objects);
    until("they count", || sample(&world, "brake_moved"), |count| *count == objects);
    let said = world.await_event(&world.namespace, "replicaset/web-11", "BrakePassed");
    assert!(said.contains("policy calls this move urgent") && said.contains("clusters alpha: "), "{said}");
    // Room is used up: what can wait has to.
    world.certify("alpha", true);
    until("what can wait stands still", || sample(&world, "brake_held"), |held| *held == objects);
    assert!(moved <= MOST && standing_on(&world, &["beta"]) == OBJECTS);
}
