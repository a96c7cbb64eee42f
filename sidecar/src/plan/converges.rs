//! Whatever happens in whatever order, the queue brings every object to what policy says once the world behaves, and on the way never
//! says or does what it must not.

mod model;

use std::time::Duration;

use proptest::prelude::*;

use model::{OBJECTS, Step, Way, World};

fn object() -> impl Strategy<Value = usize> {
    0..OBJECTS
}

fn way() -> impl Strategy<Value = Way> {
    prop_oneof![
        6 => Just(Way::Honest),
        4 => Just(Way::Undone { bumps: false }),
        1 => Just(Way::Undone { bumps: true }),
        1 => Just(Way::Refused),
        1 => Just(Way::Lost),
        1 => Just(Way::WrittenAndLost),
        1 => Just(Way::Cancelled),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (object(), 0..3_u32).prop_map(|(object, value)| Step::Want(object, value)),
        4 => object().prop_map(Step::Replicate),
        2 => object().prop_map(Step::Status),
        1 => (object(), 0..3_u32).prop_map(|(object, value)| Step::Tamper(object, value)),
        1 => object().prop_map(Step::OtherReplicaWrites),
        1 => object().prop_map(Step::DeleteOrCreate),
        6 => Just(Step::Write),
        6 => (0..OBJECTS, way()).prop_map(|(flight, way)| Step::Answer(flight, way)),
        1 => Just(Step::LoseFeed),
        2 => Just(Step::List),
        1 => Just(Step::Restart),
        1 => any::<bool>().prop_map(Step::Lead),
        4 => (0..40_000_u64).prop_map(|millis| Step::Pass(Duration::from_millis(millis))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn everything_converges_once_the_world_behaves(steps in prop::collection::vec(step(), 0..120)) {
        let mut world = World::new();
        for step in steps {
            world.step(step);
        }
        world.behaves();
    }
}

/// What two replicas did: the webhook of the one whose mirror is behind undoes what the other writes, and nothing is replicated.
#[test]
fn a_webhook_that_undoes_for_a_while_costs_a_while() {
    let mut world = World::new();
    world.step(Step::Want(0, 2));
    for _ in 0..5 {
        world.step(Step::Write);
        world.step(Step::Answer(0, Way::Undone { bumps: false }));
        world.step(Step::Pass(Duration::from_secs(20)));
    }
    assert_eq!(world.told(), 1, "said once");
    world.behaves();
}
