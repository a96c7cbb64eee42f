//! `plimsoll serve`: puts the engine together and runs it.
//!
//! ```text
//!  options ─► access, TLS ─► bind ─► store ─► sweep, engine ─► policies ─► serve ─► signal ─► leave
//! ```

pub mod access;
pub mod args;
pub mod arming;
pub mod memory;
pub mod shutdown;

pub use args::Args;

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use actix_web::rt::System;
use actix_web::web::Data;
use anyhow::{Context, anyhow};
use futures::future::select_all;
use serde_json::{Map, Value as Json, json};
use tokio::sync::watch;

use crate::decision::Config;
use crate::placements::Sweeper;
use crate::placements::sweep::runner;
use crate::policies::watch::{Pace, Watch};
use crate::rego::Limits;
use crate::server::Engine;
use crate::server::auth::Authentication;
use crate::server::listen::{Listener, Role};
use crate::server::tls::{self, Files};
use crate::snapshot::Store;
use crate::snapshot::store::StoreOptions;
use args::{Decisions, Listeners, WhenDisarmed};
use shutdown::{Ending, Signals};

/// A finished engine, bound and not yet answering.
struct Assembly {
    listeners: Vec<(Role, Listener)>,
    engine: Data<Engine>,
    sweeper: Sweeper,
    policies: Vec<PathBuf>,
    resync: Duration,
    shutdown_delay: Duration,
}

/// Runs until SIGTERM or SIGINT.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let assembly = assemble(args)?;
    System::new().block_on(serve(assembly, out))
}

// ---- putting together ----

fn assemble(args: Args) -> anyhow::Result<Assembly> {
    let Args { decisions, listeners, access, running } = args;
    memory::install(running.memory_limit);
    let authentication = access::authentication(access, listeners.addr)?;
    let listeners = bind(listeners, &authentication)?;
    let policies = decisions.policies.clone();
    let store = Arc::new(store(&decisions)?);
    let config = config(decisions, running.eval_timeout);
    let sweeper = Sweeper::new(store.load().epoch.clone(), Arc::new(config.clone()));
    let table = Arc::clone(sweeper.table());
    let engine = Engine::start(store, table, config, authentication).context("could not start worker threads")?;
    let (resync, shutdown_delay) = (running.resync, running.shutdown_delay);
    Ok(Assembly { listeners, engine: Data::new(engine), sweeper, policies, resync, shutdown_delay })
}

fn store(decisions: &Decisions) -> anyhow::Result<Store> {
    let options = StoreOptions {
        require_sources: decisions.require_source.clone(),
        rego: decisions.rego,
        expect_files: !decisions.policies.is_empty(),
    };
    Store::new(options).map_err(|errors| anyhow!("the empty policy set does not compile: {errors:?}"))
}

fn config(decisions: Decisions, eval_timeout: Duration) -> Config {
    Config {
        placement_path: decisions.placement_path.0,
        annotation_keys: decisions.annotation_keys.into_iter().collect(),
        exempt_namespaces: decisions.exempt_namespace.into_iter().collect(),
        release_when_disarmed: decisions.when_disarmed == WhenDisarmed::Release,
        limits: Limits { time: eval_timeout, ..Limits::default() },
    }
}

fn bind(options: Listeners, authentication: &Authentication) -> anyhow::Result<Vec<(Role, Listener)>> {
    let Listeners { addr, tls_cert_file, tls_private_key_file, .. } = options;
    let api = files(tls_cert_file, tls_private_key_file, None);
    if api.is_none() && !addr.ip().is_loopback() && matches!(authentication, Authentication::Token(_)) {
        tracing::warn!(%addr, "tokens cross the network in clear: give --tls-cert-file and --tls-private-key-file");
    }
    let mut listeners = vec![(Role::Api, listener(Role::Api, "--addr", addr, api)?)];
    if let Some(addr) = options.review_addr {
        let files = files(options.review_cert_file, options.review_key_file, options.review_client_ca);
        let files = files.context("--review-addr needs --review-cert-file and --review-key-file")?;
        listeners.push((Role::Review, listener(Role::Review, "--review-addr", addr, Some(files))?));
    }
    if let Some(addr) = options.diagnostic_addr {
        listeners.push((Role::Diagnostic, listener(Role::Diagnostic, "--diagnostic-addr", addr, None)?));
    }
    Ok(listeners)
}

fn files(certificate: Option<PathBuf>, key: Option<PathBuf>, client_ca: Option<PathBuf>) -> Option<Files> {
    Some(Files { certificate: certificate?, key: key?, client_ca })
}

fn listener(role: Role, option: &str, addr: SocketAddr, files: Option<Files>) -> anyhow::Result<Listener> {
    let tls = files.map(tls::server_config).transpose().with_context(|| format!("could not set up TLS for {option}"))?;
    Listener::bind(role, addr, tls).with_context(|| format!("could not listen on {option} {addr}"))
}

// ---- running ----

async fn serve(assembly: Assembly, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let Assembly { listeners, engine, sweeper, policies, resync, shutdown_delay } = assembly;
    let mut signals = Signals::listen().context("could not listen for signals")?;
    let urls = urls(&listeners);
    let _policies = watch_policies(policies, &engine.store)?;
    let telling = actix_web::rt::spawn(arming::tell(Arc::clone(&engine.store), Arc::clone(&engine.config)));
    let (stop, stopped) = watch::channel(false);
    let sweep = actix_web::rt::spawn(runner::run(sweeper, Arc::clone(&engine.store), resync, stopped));
    let servers = start(listeners, &engine)?;
    let handles: Vec<ServerHandle> = servers.iter().map(Server::handle).collect();
    let mut running = select_all(servers.into_iter().map(actix_web::rt::spawn));
    announce(&urls, out)?;
    tokio::select! {
        () = signals.next() => {}
        (ended, ..) = &mut running => return Err(anyhow!("a listener ended by itself: {ended:?}")),
        died = sweep => return Err(anyhow!("the sweep ended by itself: {died:?}")),
    }
    let ending = shutdown::leave(signals, &handles, &engine.phase, shutdown_delay).await;
    stop.send_replace(true);
    telling.abort();
    Ok(if ending == Ending::Drained { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn watch_policies(policies: Vec<PathBuf>, store: &Arc<Store>) -> anyhow::Result<Option<Watch>> {
    if policies.is_empty() {
        return Ok(None);
    }
    let watch = crate::policies::watch::spawn(policies, Arc::clone(store), Pace::default());
    watch.map(Some).context("could not watch the policies")
}

fn start(listeners: Vec<(Role, Listener)>, engine: &Data<Engine>) -> anyhow::Result<Vec<Server>> {
    let serve = |(_, listener): (Role, Listener)| listener.serve(Data::clone(engine)).context("could not serve a listener");
    listeners.into_iter().map(serve).collect()
}

fn urls(listeners: &[(Role, Listener)]) -> Map<String, Json> {
    let name = |role: Role| match role {
        Role::Api => "api",
        Role::Review => "review",
        Role::Diagnostic => "diagnostic",
    };
    listeners.iter().map(|(role, listener)| (name(*role).to_owned(), listener.url().into())).collect()
}

/// The one line on standard output: where each listener is, for people and for programs that gave port 0.
fn announce(urls: &Map<String, Json>, out: &mut dyn Write) -> anyhow::Result<()> {
    tracing::info!(listening = %json!(urls), version = env!("CARGO_PKG_VERSION"), "plimsoll serves");
    writeln!(out, "{}", json!({ "listening": urls })).and_then(|()| out.flush()).context("could not write to standard output")
}
