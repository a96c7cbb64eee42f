//! Everything that can go wrong with a call of a webhook, times failure policy, kind, generation of the API and dry run: each cell asserts
//! what the client is told, what is counted and what the audit log says. All cells run on the embedded API server, those of `v1` on a
//! real kube-apiserver as well, by the same code; where the two differ stands in `chaos/differences.yaml`.
//!
//! Skips its real half as the tests of `tests/e2e.rs` do. Prints how many cells there are, how many ran, and which rules leave some out.

#[cfg(test)]
#[path = "e2e"]
#[allow(dead_code, reason = "chaos needs a part of it")]
mod e2e {
    mod support;

    pub(super) use support::api_server::ApiServer;
    pub(super) use support::assets::Assets;
    pub(super) use support::embedded::Embedded;
}

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
#[allow(dead_code, reason = "the rest of the support is for others")]
mod chaos {
    #[path = "../../apiserver/tests/support/authority.rs"]
    mod authority;
    #[path = "../../apiserver/tests/support/engine.rs"]
    mod engine;

    mod cells;
    mod faults;
    mod found;
    mod judge;
    mod run;
    mod world;
}
