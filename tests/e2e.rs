//! The whole flow from outside: a real kube-apiserver and etcd, kubectl, the webhooks, `plimsoll serve` and
//! `plimsoll sync`; no fakes.
//!
//! The binaries are looked for as envtest does, in the directory that `KUBEBUILDER_ASSETS` names (`tests/tools/build`
//! builds them and prints it). Without it every test here says that it is skipped and passes; with
//! `PLIMSOLL_E2E=required`, as in CI, it fails instead.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod e2e {
    mod support;

    mod admission;
    mod api_server;
    mod bad_input;
    mod deploy;
    mod kubectl_session;
    mod latency;
    mod letting_go;
    mod policies;
    mod policy_change;
    mod repair;
    mod restart;
}
