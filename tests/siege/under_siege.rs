//! The siege itself.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, park_timeout};
use std::time::{Duration, Instant};

use super::super::e2e::{Server, Setup, World, eventually};
use super::admission::{Admitted, Users, wish};
use super::besiegers::{Walls, besiege};
use super::chance::Chance;
use super::figures::Figures;
use super::readiness::{most_resident, watch};

/// Where whoever asks for PCI goes to `alpha`.
const POLICY: &str = include_str!("../e2e/policies/pci.rego");
/// What the engine may take of the machine, and what it is told.
const MEMORY: u64 = 512 << 20;
const ENGINE: [&str; 2] = ["--memory-limit=384Mi", "--eval-timeout=1s"];
const BESIEGERS: u64 = 3;

#[test]
fn no_decision_is_wrong_or_lost_under_siege() {
    let setup = Setup { policies: &[("pci.rego", POLICY)], engine: &ENGINE, ..Setup::default() };
    let Some(world) = World::start(Server::Real, &setup) else { return };
    let (seconds, seed) = (number("SIEGE_SECONDS", 30), number("SIEGE_SEED", 1));
    let walls = Walls { api: world.engine.url(), review: world.engine.review_url(), diagnostic: world.engine.diagnostic("") };
    let users = Users::new(&world.kubectl, &world.namespace, &walls.diagnostic);
    let idle = peace(&users, seed);
    let (admitted, attacks, readiness) = under_siege(&world, &walls, seconds, seed);
    let most = most_resident(world.engine.pid());
    let figures = format!(
        "siege of {seconds} s, seed {seed}: {} attacks, {} stored, {} MiB at most\n--- before\n{}--- meanwhile\n{}{}--- attacks\n{}",
        attacks.count(),
        admitted.stored,
        most >> 20,
        idle.figures.table(),
        admitted.figures.table(),
        readiness.table(),
        attacks.table(),
    );
    // Not by `println!`: the harness would keep it from whoever should know.
    writeln!(std::io::stderr(), "{figures}").unwrap();
    assert!(attacks.count() > 0 && admitted.stored > 0, "nothing happened");
    assert_eq!((admitted.wrong, admitted.lost), (Vec::<String>::new(), Vec::<String>::new()), "wrong and lost decisions");
    assert_eq!(admitted.untruthful, [""; 0], "refused, but ready before and after");
    assert!(most < MEMORY, "{most} bytes");
    assert!(most > 0, "the process is gone");
    world.engine.await_ready();
    eventually("a decision is right again", || {
        let after = peace(&users, seed);
        if after.stored > 0 && after.lost.is_empty() && after.wrong.is_empty() { Ok(()) } else { Err(after) }
    });
}

/// Some creates without an attack, to compare with.
fn peace(users: &Users, seed: u64) -> Admitted {
    let (mut admitted, mut chance) = (Admitted::default(), Chance::new(seed, 0));
    for _ in 0..20 {
        let (object, expected) = wish(&mut chance);
        users.one(&object, expected, &mut admitted);
    }
    admitted
}

fn under_siege(world: &World, walls: &Walls, seconds: u64, seed: u64) -> (Admitted, Figures, Figures) {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let over = &over;
        let besiegers: Vec<_> =
            (1..=BESIEGERS).map(|set| scope.spawn(move || besiege(walls, Chance::new(seed, set), over))).collect();
        let watch = scope.spawn(|| watch(&walls.diagnostic, over));
        let creates = scope.spawn(|| {
            let users = Users::new(&world.kubectl, &world.namespace, &walls.diagnostic);
            users.create(&mut Chance::new(seed, 0), over)
        });
        let end = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < end && !creates.is_finished() {
            park_timeout(end.saturating_duration_since(Instant::now()).min(Duration::from_secs(1)));
        }
        over.store(true, Ordering::Relaxed);
        let mut attacks = Figures::default();
        besiegers.into_iter().for_each(|besieger| attacks.join(besieger.join().unwrap()));
        (creates.join().unwrap(), attacks, watch.join().unwrap())
    })
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}
