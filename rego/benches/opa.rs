//! The same policies, data and inputs in this crate and in OPA: time for each evaluation, and how many times as fast.
//!
//! `cargo bench -p plimsoll-rego --bench opa [-- NAME]`; `OPA` names OPA's program (`opa` by default). Without it, only this
//! crate is measured. `-- builtins` measures each builtin, on small values and on a large one, which takes half an hour. One thread,
//! nothing kept between evaluations. Both are given as time on the processor: other programs may run.

#![allow(clippy::print_stdout, clippy::indexing_slicing, reason = "it prints a table, and its inputs are constants")]

#[path = "opa/builtins.rs"]
mod builtins;
#[path = "opa/by_hand.rs"]
mod by_hand;
#[path = "opa/case.rs"]
mod case;
#[path = "opa/clock.rs"]
mod clock;
#[path = "opa/fleet.rs"]
mod fleet;
#[path = "opa/peer.rs"]
mod peer;
#[path = "opa/styles.rs"]
mod styles;
#[path = "opa/units.rs"]
mod units;

use case::{Case, Outcome};
use clock::human;

/// The allocator of `plimsoll`, which `regorus` brings there: what is measured here is what that pays.
#[global_allocator]
static ALLOCATOR: regorus_mimalloc::mimalloc::Mimalloc = regorus_mimalloc::mimalloc::Mimalloc;

/// Measurements of each side, one after the other; the shortest counts.
const ROUNDS: usize = 3;

fn main() -> Outcome<()> {
    let wanted: Vec<_> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    println!("{:<28} {:>12} {:>12} {:>8}", "", "here", "OPA", "ratio");
    for case in fleet::cases()?.into_iter().chain(styles::cases()?) {
        if is_wanted(&case.name) {
            compare(&case)?;
        }
    }
    if wanted.iter().any(|part| part.starts_with("builtins")) {
        for case in builtins::cases().iter().filter(|case| is_wanted(&case.name)) {
            compare(case)?;
        }
    }
    if is_wanted("by hand") {
        by_hand::print()?;
    }
    if is_wanted("units") {
        units::print()?;
    }
    Ok(())
}

fn compare(case: &Case) -> Outcome<()> {
    let ready = case.ready()?;
    let peer = peer::Peer::new(case)?;
    if let Some(peer) = &peer {
        peer.agrees(&ready.answer()?)?;
    }
    let (mut here, mut there) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        here = here.min(clock::each(|| ready.evaluate())?);
        if let Some(peer) = &peer {
            there = there.min(peer.measure()?);
        }
    }
    let (shown, ratio) =
        if there.is_finite() { (human(there), format!("{:.1}", there / here)) } else { ("-".to_owned(), "-".to_owned()) };
    println!("{:<28} {:>12} {shown:>12} {ratio:>8}", case.name, human(here));
    Ok(())
}
