//! Bundles and decision logs from outside: real tarballs, a server that comes and goes, and real OPA beside it.

#[cfg(test)]
mod bundles {
    mod archive;
    mod beside_opa;
    mod local;
    mod remote;
    mod service;
    mod signed;
    mod support;
}
