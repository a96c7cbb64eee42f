//! Bundles and decision logs from outside: real tarballs, a server that comes and goes, and real OPA beside it.

#[cfg(test)]
mod bundles {
    #[path = "../http/authority.rs"]
    mod authority;

    mod archive;
    mod beside_opa;
    mod known_client;
    mod local;
    mod remote;
    mod service;
    mod signed;
    mod sinks;
    mod support;
}
