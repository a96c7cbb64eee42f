//! What happens when, from a seed.

use std::time::Duration;

use super::chance::Chance;

/// Of the pairs, by number.
pub(super) type Number = usize;

/// Clusters of the fleet.
pub(super) const CLUSTERS: usize = 8;
const LENGTH: u64 = 15_000;
/// Short enough to go unnoticed, or longer than it takes to be noticed.
const SHORTEST: usize = 500;
const LONGEST: usize = 11_000;

/// One thing that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Certify(usize),
    Create,
    Edit,
    Scale,
    Delete,
    /// Several files are applied as they are.
    Reapply,
    /// Whichever comes next, on this pod.
    EditPolicy(Number),
    Part(Number, Part, Harm),
    Way(Number, Way, bool),
    Pin(Option<Number>),
    /// Webhooks go to the pair whose sidecar does not lead.
    PinAway,
    /// The pair whose sidecar leads loses it: by SIGTERM, or by SIGKILL.
    MoveLease {
        kill: bool,
    },
    /// Whatever does not run is started.
    Revive,
}

/// One process of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Engine,
    Sidecar,
}

/// What happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Harm {
    Kill,
    Start,
    Stop,
    Continue,
}

/// A fault of a sidecar's way to the API server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Slow,
    Cut,
    HalfOpen,
    StallWatches,
    TooMany,
    Unauthorized,
}

const WAYS: [Way; 6] = [Way::Slow, Way::Cut, Way::HalfOpen, Way::StallWatches, Way::TooMany, Way::Unauthorized];

/// Sorted by time since the start.
pub(super) fn write(seed: u64) -> Vec<(Duration, Act)> {
    let mut chance = Chance::new(seed, 0);
    // Half of them begin with the webhook at one pod and the Lease at the other, half with a Service.
    let mut acts = vec![(0, if seed.is_multiple_of(2) { Act::Pin(None) } else { Act::PinAway })];
    let mut now = 0;
    while now < LENGTH {
        acts.push((now, everyday(&mut chance)));
        now += 150 + u64::try_from(chance.below(500)).unwrap();
    }
    for _ in 0..4 + chance.below(3) {
        disturb(&mut chance, &mut acts);
    }
    for _ in 0..2 {
        let start = moment(&mut chance);
        let first = chance.below(2);
        acts.push((start, Act::EditPolicy(first)));
        acts.push((start + length(&mut chance) / 2, Act::EditPolicy(1 - first)));
    }
    for _ in 0..2 {
        let to = [None, Some(0), Some(1)][chance.below(3)];
        acts.push((moment(&mut chance), Act::Pin(to)));
    }
    acts.sort_by_key(|(at, _)| *at);
    acts.into_iter().map(|(at, act)| (Duration::from_millis(at), act)).collect()
}

fn everyday(chance: &mut Chance) -> Act {
    match chance.below(20) {
        0..=7 => Act::Certify(chance.below(CLUSTERS)),
        8..=10 => Act::Reapply,
        11..=13 => Act::Edit,
        14..=15 => Act::Scale,
        16..=17 => Act::Create,
        _ => Act::Delete,
    }
}

/// A fault, and its end.
fn disturb(chance: &mut Chance, acts: &mut Vec<(u64, Act)>) {
    let (start, number) = (moment(chance), chance.below(2));
    let end = start + length(chance);
    let part = if chance.one_in(2) { Part::Engine } else { Part::Sidecar };
    let (begins, ends) = match chance.below(8) {
        0 => (Act::MoveLease { kill: chance.one_in(2) }, Act::Revive),
        1 => (Act::Part(number, part, Harm::Kill), Act::Part(number, part, Harm::Start)),
        2 | 3 => (Act::Part(number, part, Harm::Stop), Act::Part(number, part, Harm::Continue)),
        _ => {
            let way = WAYS[chance.below(WAYS.len())];
            (Act::Way(number, way, true), Act::Way(number, way, false))
        }
    };
    acts.push((start, begins));
    acts.push((end, ends));
}

fn moment(chance: &mut Chance) -> u64 {
    u64::try_from(chance.below(10_000)).unwrap()
}

fn length(chance: &mut Chance) -> u64 {
    u64::try_from(SHORTEST + chance.below(LONGEST - SHORTEST)).unwrap()
}
