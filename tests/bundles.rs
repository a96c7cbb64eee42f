//! Bundles and decision logs from outside: real tarballs, a server that comes and goes, and real OPA beside it.

#[path = "bundles/archive.rs"]
mod archive;
#[path = "bundles/beside_opa.rs"]
mod beside_opa;
#[path = "bundles/local.rs"]
mod local;
#[path = "bundles/remote.rs"]
mod remote;
#[path = "bundles/service.rs"]
mod service;
#[path = "bundles/support.rs"]
mod support;
