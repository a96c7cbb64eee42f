//! A fleet that is suddenly empty, or much smaller.

use std::time::Duration;

use plimsoll_contract::source::FleetLoss;

use super::*;

/// So many clusters, from this one on.
fn fleet(from: usize, count: usize) -> Vec<Json> {
    (from..from + count).map(|number| object("", &format!("c{number:03}"), 1, "x")).collect()
}

fn loaded(count: usize) -> World {
    let world = World::new(vec![clusters(), pods()]);
    world.replace(&clusters(), &fleet(0, count));
    world.replace(&pods(), &[]);
    world
}

impl World {
    /// A sync whose request came so many seconds after the start.
    fn sync_at(&self, seconds: u64, mode: &str, lines: &[Json]) -> Result<Synced, SyncError> {
        let mut body = self.store.sync_body("host").begun(Duration::from_secs(seconds));
        body.feed(&self.body(&clusters(), mode, lines))?;
        body.finish()
    }

    fn is_held_back(&self) -> bool {
        self.store.status(Duration::ZERO, &path("kubernetes/placement")).notes.iter().any(|note| note.contains("held back"))
    }
}

#[test]
fn a_fleet_is_emptied_by_the_second_list_alone() {
    for (count, left) in [(1, 0), (40, 0), (40, 20)] {
        let world = loaded(count);
        let lines = fleet(0, left);
        for seconds in [100, 104] {
            let error = world.sync_at(seconds, "replace", &lines).unwrap_err();
            assert!(matches!(&error, SyncError::HeldBack(_)), "{error}");
            assert_eq!((world.names(&clusters()).len(), world.is_held_back()), (count, true));
        }
        world.sync_at(105, "replace", &lines).unwrap();
        assert_eq!((world.names(&clusters()).len(), world.is_held_back()), (left, false));
    }
}

#[test]
fn how_much_may_go_is_what_the_source_says() {
    for (share, floor, count, left, is_believed) in [(500, 0, 40, 38, true), (500, 0, 40, 37, false), (10_000, 10, 40, 1, true)] {
        let world = loaded(count);
        let fleet_loss = FleetLoss { share, floor };
        let declare = Declare { instance: "test".into(), kinds: vec![clusters(), pods()], fleet_loss, ..Declare::default() };
        let world = World { session: world.store.declare("host", declare).unwrap().session, ..world };
        assert_eq!(world.sync_at(100, "replace", &fleet(0, left)).is_ok(), is_believed, "{left} of {count} by {fleet_loss:?}");
    }
}

#[test]
fn what_comes_back_in_between_or_goes_further_counts_anew() {
    let world = loaded(40);
    world.sync_at(100, "replace", &fleet(0, 20)).unwrap_err();
    world.sync_at(110, "replace", &fleet(0, 39)).unwrap();
    assert!(!world.is_held_back());
    world.sync_at(111, "replace", &fleet(0, 20)).unwrap_err();
    assert!(world.sync_at(120, "replace", &[]).is_err(), "nobody said that all are gone");
    world.sync_at(125, "replace", &fleet(0, 20)).unwrap();
    assert_eq!(world.names(&clusters()).len(), 20, "fewer are gone than was said");
}

#[test]
fn deletions_in_one_delta_wait_for_lists_and_prove_nothing() {
    let world = loaded(40);
    let gone: Vec<Json> = (0..20).map(|number| remove("", &format!("c{number:03}"))).collect();
    for seconds in [100, 110] {
        world.sync_at(seconds, "delta", &gone).unwrap_err();
    }
    let age = || world.store.load().state.sources["host"].kinds[0].age(Duration::from_secs(200)).unwrap();
    let before = age();
    world.sync_at(150, "delta", &[]).unwrap();
    assert_eq!(age(), before, "what is mirrored is known to be out of date");
    world.sync_at(160, "replace", &fleet(20, 20)).unwrap();
    assert_eq!((world.names(&clusters()).len(), age()), (20, Duration::from_secs(40)));
    for number in 20..40 {
        let is_last = number == 39;
        let one = world.sync_at(170, "delta", &[remove("", &format!("c{number:03}"))]);
        assert_eq!(one.is_err(), is_last, "one by one, but for the last: {number}");
    }
}

#[test]
fn first_loads_other_kinds_and_few_deletions_are_believed() {
    let world = loaded(0);
    world.replace(&clusters(), &fleet(0, 40));
    world.replace(&clusters(), &fleet(0, 30));
    world.replace(&pods(), &[object("a", "x", 1, "")]);
    world.replace(&pods(), &[]);
    assert_eq!(world.names(&clusters()).len(), 30);
}

#[test]
fn another_declaration_or_a_restart_of_the_sidecar_empties_nothing() {
    let mut world = loaded(3);
    world.declare(vec![clusters(), pods()]).unwrap();
    world.sync_at(100, "replace", &[]).unwrap_err();
    world.declare(vec![Kind { prune: vec!["/status".into()], ..clusters() }, pods()]).unwrap();
    world.sync_at(101, "replace", &[]).unwrap_err();
    assert_eq!(world.names(&clusters()).len(), 3);
    world.store.withdraw("host", false).unwrap();
    world.declare(vec![clusters()]).unwrap();
    world.sync_at(102, "replace", &[]).unwrap();
}
