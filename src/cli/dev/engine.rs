//! The engine of `plimsoll dev`, and the configuration by which the API server's admission plugin finds it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value as Json, json};

use super::Args as DevArgs;
use super::places::Places;
use crate::cli::serve::args::{
    Access, Args, Authorization, Decisions, Listeners, PlacementPath, Running as Limits, Scheme, WhenDisarmed, WhenStale,
    WhenUnproven,
};
use crate::cli::serve::assembly::assemble;
use crate::cli::serve::running::Running;
use crate::decision::Hold;
use crate::management::decision_log::WhenFull;
use crate::rego::RegoVersion;
use crate::server::address::Address;
use crate::snapshot::Freshness;

/// Name of the sidecar's source of state, and of the policy set that it loads.
pub(super) const SOURCE: &str = "kubernetes";
/// File with the engine's bearer token, which allows to write state and policies.
pub(super) const TOKEN: &str = "engine-token";
/// File with the keys that sign the records on placed objects. It stays in the data directory, because the records stay on the stored
/// objects.
const RECORD_KEYS: &str = "record-keys";

/// Starts the engine. Returns it with its address and token; it is not ready before the sidecar has loaded [`SOURCE`]. Fails when its
/// files cannot be written, or it cannot listen.
pub(super) fn start(options: &DevArgs, places: &Places) -> anyhow::Result<(Running, Engine)> {
    let token = places.token(TOKEN)?;
    let record_keys = places.kept_secret(RECORD_KEYS)?;
    let running = Running::start(assemble(args(options, places.file(TOKEN), record_keys))?)?;
    let url = running.urls().get("api").and_then(Json::as_str).context("the engine has no address")?.to_owned();
    Ok((running, Engine { url, token }))
}

/// How other parts reach the engine: the base URL of its API, and a bearer token.
pub(super) struct Engine {
    pub(super) url: String,
    token: String,
}

impl Engine {
    /// Writes the admission plugin's configuration in the three files that federation v1 had for it, and returns the path of the first.
    /// Fails when a file cannot be written.
    pub(super) fn configure_hook(&self, places: &Places) -> anyhow::Result<PathBuf> {
        // JSON is YAML.
        let kubeconfig = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "default",
            "clusters": [{"name": "engine", "cluster": {"server": format!("{}/v0/data/kubernetes/placement", self.url)}}],
            "users": [{"name": "scheduling-policy", "user": {"token": self.token}}],
            "contexts": [{"name": "default", "context": {"cluster": "engine", "user": "scheduling-policy"}}],
        });
        places.write("engine.kubeconfig", &kubeconfig.to_string())?;
        places.write("scheduling-policy-config.yml", "kubeconfig: engine.kubeconfig\n")?;
        let plugins = json!([{"name": "SchedulingPolicy", "path": "scheduling-policy-config.yml"}]);
        let configuration =
            json!({"apiVersion": "apiserver.k8s.io/v1alpha1", "kind": "AdmissionConfiguration", "plugins": plugins});
        places.write("admission.yml", &configuration.to_string())
    }
}

fn args(options: &DevArgs, token: PathBuf, record_keys: PathBuf) -> Args {
    Args {
        decisions: Decisions {
            bundle: Vec::new(),
            config_file: None,
            decision_log_full: WhenFull::Drop,
            policies: Vec::new(),
            rego: RegoVersion::default(),
            placement_path: PlacementPath(vec!["kubernetes".into(), "placement".into()]),
            annotation_keys: Vec::new(),
            require_source: vec![SOURCE.into()],
            stale_after: Freshness::default().stale_after,
            on_stale: WhenStale::Deny,
            exempt_namespace: Vec::new(),
            when_disarmed: WhenDisarmed::Keep,
            letting_go_after: options.letting_go_after,
            controllers: Vec::new(),
            // The hook's protocol names no user.
            sidecar_user: Vec::new(),
            // One person's machine: whoever writes there may opt out of repair.
            hold: Hold::Anyone,
            unproven: WhenUnproven::Keep,
            record_key_file: Some(record_keys),
            state_dir: None,
        },
        listeners: Listeners {
            addr: vec![Address::Tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, options.engine_port)))],
            addr_option: "--engine-port",
            unix_socket_perm: 0o755,
            tls_cert_file: None,
            tls_private_key_file: None,
            tls_ca_cert_file: None,
            review_addr: None,
            review_cert_file: None,
            review_key_file: None,
            review_client_ca: None,
            diagnostic_addr: None,
            allowed_hosts: Vec::new(),
            max_connections: 1024,
            max_connections_per_peer: 512,
            max_connection_rate: 500,
        },
        access: Access {
            authentication: Some(Scheme::Token),
            authorization: Authorization::Off,
            read_token_file: None,
            write_token_file: Some(token),
        },
        running: Limits {
            eval_timeout: Duration::from_secs(2),
            memory_limit: None,
            class_cache: None,
            resync: Duration::from_secs(60),
            shutdown_delay: Duration::ZERO,
        },
    }
}
