//! A siege: stalled, huge, deep, amplifying and looping requests at every endpoint of an engine with a memory limit, while objects
//! are created through a real kube-apiserver. No decision is wrong, none is lost, the process lives in 512 MiB, and its readiness
//! is true. Figures are printed (`just siege`), never asserted.
//!
//! `SIEGE_SECONDS` says how long (30), `SIEGE_SEED` which requests (1). Skips itself as the tests of `tests/e2e.rs` do.

// The scenarios' own world: what is besieged is what is tested.
#[cfg(test)]
#[path = "e2e"]
#[allow(dead_code, reason = "a siege needs a part of it")]
mod e2e {
    mod support;

    pub(super) use support::eventually::eventually;
    pub(super) use support::fixtures::{PREFERENCES, annotated, clusters_in, pci_replica_set, replica_set, unique};
    pub(super) use support::kubectl::Kubectl;
    pub(super) use support::world::{Server, Setup, World};
}

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod siege {
    #[path = "../../rego/tests/differential/chance.rs"]
    #[allow(dead_code, reason = "a siege needs a part of it")]
    mod chance;

    mod admission;
    mod attacks;
    mod besiegers;
    mod client;
    mod figures;
    mod readiness;
    mod under_siege;
}
