//! Schedules: two complete pairs of engine and sidecar on a real kube-apiserver, under kills, stops, lag and faults at random times,
//! while a fleet, its policies and its workloads change. A judge follows what is stored and what the processes say of themselves: every
//! value is one that policy gave, no decision goes back to an older fleet, nobody says what is not so, and in the end all is as it
//! should be and stays.
//!
//! `SCHEDULES` says how many (10), `SCHEDULES_SEED` from which seed on (1), `SCHEDULES_WORLDS` how many at once (3: they wait most of the time): `just schedules`.
//! Skips itself as the tests of `tests/e2e.rs` do.

// The scenarios' own world: what lags is what is tested.
#[cfg(test)]
#[path = "e2e"]
#[allow(dead_code, reason = "schedules need a part of it")]
mod e2e {
    mod support;

    pub(super) use support::api_server::POLICY_NAMESPACE;
    pub(super) use support::certificates::Authority;
    pub(super) use support::deployment::{FLEET, Source, create_fleet_kind, create_policy_namespace, sidecar_token};
    pub(super) use support::engine::{Engine, SOURCE};
    pub(super) use support::eventually::eventually;
    pub(super) use support::fixtures::{
        APPLIED, CERTIFIED, PREFERENCES, REQUIRES_PCI, annotation, cluster, pci_replica_set, replica_set, unique,
    };
    pub(super) use support::http::{sample, try_get_within, try_json};
    pub(super) use support::kubectl::Kubectl;
    pub(super) use support::policy_directory::PolicyDirectory;
    pub(super) use support::process::signal;
    pub(super) use support::proxy::{Faults, Proxy};
    pub(super) use support::server::{Server, Started};
    pub(super) use support::sidecar::{Sidecar, Suspended};
    pub(super) use support::switch::{Endpoint, Mode, Switch};
}

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod schedules {
    #[path = "../../rego/tests/differential/chance.rs"]
    #[allow(dead_code, reason = "schedules need a part of it")]
    mod chance;

    mod faults;
    mod files;
    mod history;
    mod judge;
    mod observer;
    mod pair;
    mod play;
    mod policy;
    mod run;
    mod samples;
    mod script;
    mod stage;
    mod users;
}
