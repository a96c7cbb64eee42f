//! The first installation on a fleet that nobody placed.

use serde_json::Value as Json;

use super::super::support::api_server::POLICY_NAMESPACE;
use super::super::support::eventually::{eventually, until};
use super::fleet::Size;
use super::rows::Aim;
use super::stage::Stage;

#[test]
fn a_first_installation_stops_once_and_one_command_places_everything() {
    let Some(mut stage) = Stage::prepare(Size::of_environment(), "brake: {}") else { return };
    stage.create(&stage.size.objects());
    let before = stage.observer.now();
    stage.run();
    let held = stage.await_stopped(Aim::Home);
    stage.world.await_two_passes();
    assert_eq!((&held, stage.observer.now()), (&before, before.clone()), "nothing is placed before somebody has seen it");
    // On a loaded machine another replica may take the Lease meanwhile, and says again what stands still when it has seen all of it.
    let said = format!("first placement  {} moves", stage.size.objects);
    let is_said = |code, text: &str| code == Some(2) && text.contains("the brake is on in the fleet") && text.contains(&said);
    until("people are told what stands still", || stage.brake(&[]), |(code, text)| is_said(*code, text));
    let told = eventually("an Event says so", || {
        // Events of tests before this one stay for an hour: they are about a ConfigMap that is gone.
        let record = stage.world.kubectl.get(POLICY_NAMESPACE, "configmap/plimsoll-brake")["metadata"]["uid"].clone();
        let events = stage.world.kubectl.get(POLICY_NAMESPACE, "events");
        let is_brake = |event: &&Json| event["reason"] == "BrakeOn" && event["involvedObject"]["uid"] == record;
        let found = events["items"].as_array().unwrap().iter().find(is_brake).cloned();
        found.ok_or(events)
    });
    assert!(told["message"].as_str().unwrap().contains("plimsoll brake release"), "{told}");
    stage.release(Aim::Home);
    stage.world.await_settled();
    assert_eq!(stage.astray(&stage.observer.now(), Aim::Home), 0);
}

#[test]
fn a_first_installation_that_may_go_does_not_stop() {
    let Some(mut stage) = Stage::prepare(Size::of_environment(), "brake: {first: go}") else { return };
    stage.create(&stage.size.objects());
    stage.run();
    stage.goes(Aim::Home);
}
