//! What the scenarios stand on, in the order in which it comes up: binaries, certificates, processes, API server, world.

pub(super) mod api;
pub(super) mod api_server;
pub(super) mod assets;
pub(super) mod certificates;
pub(super) mod controller_manager;
pub(super) mod deployment;
pub(super) mod embedded;
pub(super) mod engine;
pub(super) mod eventually;
pub(super) mod fixtures;
pub(super) mod hook;
pub(super) mod http;
pub(super) mod kubectl;
pub(super) mod policy_directory;
pub(super) mod pool;
pub(super) mod ports;
pub(super) mod process;
pub(super) mod proxy;
pub(super) mod server;
pub(super) mod sidecar;
pub(super) mod switch;
pub(super) mod world;
