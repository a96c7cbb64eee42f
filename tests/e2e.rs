//! The whole flow from outside: a real kube-apiserver and etcd with webhooks, or the embedded API server with its hook;
//! kubectl, `plimsoll serve` and `plimsoll sync`; no fakes.
//!
//! The binaries are looked for as envtest does, in the directory that `KUBEBUILDER_ASSETS` names (`tests/tools/build`
//! builds them and prints it). Without it every test here says that it is skipped and passes; with
//! `PLIMSOLL_E2E=required`, as in CI, it fails instead.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod e2e {
    /// A test on each server for each scenario, a function of [`Server`] in the same file.
    macro_rules! scenarios {
        (both: $($both:ident),* ; real: $($real:ident),* ;) => {
            mod real {
                $(#[test] fn $both() { super::$both(super::Server::Real) })*
                $(#[test] fn $real() { super::$real(super::Server::Real) })*
            }
            mod embedded {
                $(#[test] fn $both() { super::$both(super::Server::Embedded) })*
            }
        };
    }

    mod support;

    mod admission;
    mod api_server;
    mod bad_input;
    mod brake;
    mod brake_fleet;
    mod clients;
    mod conformance;
    mod credentials;
    mod deploy;
    mod generations;
    mod guards;
    mod kubectl_session;
    mod lagging;
    mod latency;
    mod letting_go;
    mod mirror;
    mod policies;
    mod policy_change;
    mod predict;
    mod remote_configuration;
    mod repair;
    mod restart;
    mod rollouts;
    mod settled;
    mod stale;
    mod tenants;
}
