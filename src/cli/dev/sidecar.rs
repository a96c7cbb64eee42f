//! The sidecar of `plimsoll dev`: mirrors clusters, ReplicaSets and Deployments, and repairs the latter two.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use plimsoll_sidecar::cluster::Access;
use plimsoll_sidecar::config::Config;
use plimsoll_sidecar::run::Options;
use tokio::sync::watch;

use super::engine::{Engine, SOURCE, TOKEN};
use super::places::Places;
use crate::cli::sync::Sidecar;
use plimsoll_contract::exempt::POLICY_NAMESPACE;

/// File with the sidecar's configuration; it stays in the directory, for the user to look at.
pub(super) const CONFIG: &str = "sync.yaml";

/// The sidecar, and the address of its health checks and metrics, which is set as soon as it listens.
pub(super) type Started = (Sidecar, watch::Receiver<Option<SocketAddr>>);

/// Writes the sidecar's configuration and starts it with a kubeconfig of its own. Fails when the configuration cannot be written, or
/// there are no threads for it.
pub(super) fn start(places: &Places, engine: &Engine, kubeconfig: &Path) -> anyhow::Result<Started> {
    let text = config(engine, &places.file(TOKEN));
    let config = Config::parse(&places.write(CONFIG, &text)?, &text)?;
    let access = Access { kubeconfig: Some(kubeconfig.to_owned()), context: None };
    let health_addr = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let (health_bound, bound) = watch::channel(None);
    let options = Options { access, health_addr, health_bound, shutdown_delay: Duration::ZERO, initializer: None };
    Ok((Sidecar::start(config, options)?, bound))
}

fn config(engine: &Engine, token: &Path) -> String {
    format!(
        "source: {SOURCE}
engine: {{url: \"{}\", tokenFile: {}}}
policyNamespace: {POLICY_NAMESPACE}
brake: {{first: go}}
kinds:
  - {{gvr: federation/v1beta1/clusters, fleet: true}}
  - {{gvr: apps/v1/replicasets, place: true, mode: auto}}
  - {{gvr: apps/v1/deployments, place: true, mode: auto}}
",
        engine.url,
        // A JSON string is a YAML string, whatever the path contains.
        serde_json::Value::from(token.to_string_lossy()),
    )
}
