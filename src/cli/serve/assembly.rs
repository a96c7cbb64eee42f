//! Puts an engine together from its options, up to the point where its listeners are bound.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web::Data;
use anyhow::{Context, anyhow};
use plimsoll_contract::controllers::Controllers;
use plimsoll_contract::status::OnStale;

use super::args::{Args, Authorization, Decisions, Listeners, Running, WhenDisarmed, WhenStale, WhenUnproven};
use super::management::{self, Management};
use super::{access, descriptors, memory, record_keys};
use crate::decision::{Classes, Config, Unproven};
use crate::management::bundles;
use crate::management::config::OpaConfig;
use crate::placements::Reconciler;
use crate::policy_set::last_good::StateDir;
use crate::rego::Limits;
use crate::server::Engine;
use crate::server::address::Address;
use crate::server::auth::Authentication;
use crate::server::gate;
use crate::server::listen::{Admission, Listener, Role};
use crate::server::reload::LoadError;
use crate::server::tls::{self, Files};
use crate::snapshot::Freshness;
use crate::snapshot::Store;
use crate::snapshot::store::StoreOptions;

/// An engine whose parts are made and whose listeners are bound, but which does not answer yet.
pub struct Assembly {
    pub(super) listeners: Vec<(Role, Listener)>,
    pub(super) engine: Data<Engine>,
    pub(super) reconciler: Reconciler,
    pub(super) policies: Vec<PathBuf>,
    pub(super) bundles: Vec<PathBuf>,
    pub(super) state_dir: Option<StateDir>,
    pub(super) management: Management,
    pub(super) resync: Duration,
    pub(super) shutdown_delay: Duration,
    pub(super) admission: Admission,
}

/// Makes the parts of the engine and binds its listeners. Fails when options contradict each other, a file cannot be used, or an address
/// is not free.
pub fn assemble(args: Args) -> anyhow::Result<Assembly> {
    let Args { decisions, listeners, access, running } = args;
    let budget = memory::install(running.memory_limit);
    let authorization = access.authorization == Authorization::Basic;
    let authentication = access::authentication(access, &listeners)?;
    let admission = admission(&listeners);
    let full = admission.limits.connections.saturating_mul(listeners.addr.len() + usize::from(listeners.review_addr.is_some()));
    descriptors::raise(full.saturating_add(gate::Limits::DIAGNOSTIC.connections));
    let listeners = bind(listeners, &authentication)?;
    let (policies, bundles) = (decisions.policies.clone(), decisions.bundle.clone());
    let state_dir = decisions.state_dir.as_deref().map(StateDir::open).transpose().context("could not use --state-dir")?;
    let opa = management::read(decisions.config_file.as_ref(), &uuid::Uuid::new_v4().to_string())?;
    let store = Arc::new(store(&decisions, &opa)?);
    let when_full = decisions.decision_log_full;
    let config = Config { classes: classes(&running), ..config(decisions, running.eval_timeout)? };
    let management = Management::new(opa, when_full, config.limits.clone())?;
    let settings = management.settings(authorization);
    let reconciler = Reconciler::new(store.load().epoch.clone(), Arc::new(config.clone()));
    let table = Arc::clone(reconciler.table());
    let engine = Engine::start((store, table), config, authentication, settings, budget);
    let engine = engine.context("could not start worker threads")?;
    let (resync, shutdown_delay) = (running.resync, running.shutdown_delay);
    Ok(Assembly {
        listeners,
        engine: Data::new(engine),
        reconciler,
        policies,
        bundles,
        state_dir,
        management,
        resync,
        shutdown_delay,
        admission,
    })
}

fn admission(listeners: &Listeners) -> Admission {
    let Listeners { max_connections: connections, max_connections_per_peer: per_peer, max_connection_rate: rate, .. } =
        *listeners;
    Admission { limits: gate::Limits { connections, per_peer, rate }, allowed_hosts: listeners.allowed_hosts.clone().into() }
}

fn store(decisions: &Decisions, opa: &OpaConfig) -> anyhow::Result<Store> {
    let local: Vec<_> = decisions.bundle.iter().map(|path| bundles::local::name(path)).collect();
    let options = StoreOptions {
        require_sources: decisions.require_source.iter().filter(|name| !name.is_empty()).cloned().collect(),
        rego: decisions.rego,
        expect_files: !decisions.policies.is_empty(),
        expect_bundles: local.iter().cloned().chain(opa.bundles.keys().cloned()).collect(),
        local_bundles: local,
        placement_path: decisions.placement_path.0.clone(),
        freshness: freshness(decisions),
        letting_go_after: decisions.letting_go_after,
    };
    Store::new(options).map_err(|errors| anyhow!("the empty policy set does not compile: {errors:?}"))
}

fn freshness(decisions: &Decisions) -> Freshness {
    let on_stale = match decisions.on_stale {
        WhenStale::Deny => OnStale::Deny,
        WhenStale::Warn => OnStale::Warn,
        WhenStale::Ignore => OnStale::Ignore,
    };
    Freshness { stale_after: decisions.stale_after, on_stale }
}

/// Returns the cache of decisions: at most an eighth of the memory limit, because evaluation needs the rest.
fn classes(running: &Running) -> Classes {
    let share = memory::limit(running.memory_limit).map_or(u64::MAX, |limit| limit / 8);
    Classes::new(running.class_cache.unwrap_or(Classes::BYTES.min(share)))
}

fn config(decisions: Decisions, eval_timeout: Duration) -> Result<Config, LoadError> {
    Ok(Config {
        placement_path: decisions.placement_path.0,
        annotation_keys: decisions.annotation_keys.into_iter().collect(),
        exempt_namespaces: decisions.exempt_namespace.into_iter().collect(),
        release_when_disarmed: decisions.when_disarmed == WhenDisarmed::Release,
        limits: Limits { time: eval_timeout, ..Limits::default() },
        controllers: Controllers::with(decisions.controllers),
        sidecars: decisions.sidecar_user.into_iter().collect(),
        hold: decisions.hold,
        unproven: match decisions.unproven {
            WhenUnproven::Keep => Unproven::Keep,
            WhenUnproven::Release => Unproven::Release,
        },
        record_keys: decisions.record_key_file.map(record_keys::load).transpose()?,
        classes: Classes::default(),
    })
}

fn bind(options: Listeners, authentication: &Authentication) -> anyhow::Result<Vec<(Role, Listener)>> {
    let Listeners { addr, addr_option, unix_socket_perm: mode, tls_cert_file, tls_private_key_file, tls_ca_cert_file, .. } =
        options;
    let api = files(tls_cert_file, tls_private_key_file, tls_ca_cert_file);
    let mut listeners = Vec::new();
    for addr in &addr {
        if api.is_none() && !addr.is_local() && matches!(authentication, Authentication::Token(_)) {
            tracing::warn!(%addr, "tokens cross the network in clear: give --tls-cert-file and --tls-private-key-file");
        }
        listeners.push((Role::Api, listener(Role::Api, addr_option, (addr, mode), api.clone())?));
    }
    if let Some(addr) = options.review_addr {
        let files = files(options.review_cert_file, options.review_key_file, options.review_client_ca);
        let files = files.context("--review-addr needs --review-cert-file and --review-key-file")?;
        listeners.push((Role::Review, listener(Role::Review, "--review-addr", (&Address::Tcp(addr), mode), Some(files))?));
    }
    if let Some(addr) = options.diagnostic_addr {
        listeners.push((Role::Diagnostic, listener(Role::Diagnostic, "--diagnostic-addr", (&Address::Tcp(addr), mode), None)?));
    }
    Ok(listeners)
}

fn files(certificate: Option<PathBuf>, key: Option<PathBuf>, client_ca: Option<PathBuf>) -> Option<Files> {
    Some(Files { certificate: certificate?, key: key?, client_ca })
}

fn listener(role: Role, option: &str, (addr, mode): (&Address, u32), files: Option<Files>) -> anyhow::Result<Listener> {
    let tls = files.map(tls::server_config).transpose().with_context(|| format!("could not set up TLS for {option}"))?;
    Listener::bind(role, addr, tls, mode).with_context(|| format!("could not listen on {option} {addr}"))
}
