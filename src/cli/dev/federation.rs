//! All parts of `plimsoll dev` together: started in the order in which they need each other, stopped in the opposite order.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use plimsoll_apiserver::admission::remote;
use plimsoll_apiserver::run as apiserver;
use plimsoll_apiserver::server::{GetVisibility as Get, InitializerSettings};
use plimsoll_sidecar::cluster::{Access, connect};
use tokio::time::timeout;

use super::engine::{self, SOURCE};
use super::places::{self, Places};
use super::progress::Progress;
use super::{Args, GetVisibility, examples, sidecar};
use crate::cli::serve::running::Running;
use crate::cli::serve::shutdown::{Ending, Signals};
use crate::cli::sync::Sidecar;
use crate::snapshot::Store;

/// How long the engine may take to load the sidecar's state; it takes seconds, so it has failed by then.
const START: Duration = Duration::from_secs(60);

/// The parts that run: the API server and, unless `--apiserver-only` was given, engine and sidecar.
pub(super) struct Federation {
    api_server: apiserver::Running,
    placement: Option<Placement>,
}

/// The engine, which decides, and the sidecar, which loads its state and repairs objects.
struct Placement {
    engine: Running,
    sidecar: Sidecar,
}

impl Federation {
    /// Starts all parts, and returns when they are ready. Fails when one does not start, or the engine is not ready within [`START`].
    pub(super) async fn start(args: &Args, places: &Places, progress: &mut Progress<'_>) -> anyhow::Result<Self> {
        if args.apiserver_only {
            let api_server = start_api_server(args, places, args.admission_control_config_file.clone(), progress).await?;
            return Ok(Self { api_server, placement: None });
        }
        let (running, engine) = engine::start(args, places)?;
        progress.engine(&engine.url, &places.file(engine::TOKEN))?;
        let hook = engine.configure_hook(places)?;
        let api_server = start_api_server(args, places, Some(hook), progress).await?;
        let kubeconfig = places.write("sidecar.kubeconfig", &api_server.kubeconfig("plimsoll-sidecar", &["system:masters"])?)?;
        let client = connect(&Access { kubeconfig: Some(kubeconfig.clone()), context: None }).await?;
        let fresh = examples::load(&client, !args.without_examples).await?;
        progress.part("fleet", fleet(fresh, args.without_examples))?;
        let (sidecar, bound) = sidecar::start(places, &engine, &kubeconfig)?;
        let mut placement = Placement { sidecar, engine: running };
        placement.ready().await?;
        progress.sidecar(*bound.borrow())?;
        Ok(Self { api_server, placement: Some(placement) })
    }

    /// Writes the user's kubeconfig. Done last, because scripts take the file as the sign that everything is ready.
    pub(super) fn publish(&self, places: &Places) -> anyhow::Result<()> {
        places::write_private(places.kubeconfig(), &self.api_server.admin_kubeconfig()?)
    }

    /// Waits until the engine or the sidecar ends by itself, and returns why. Without them it waits for ever.
    pub(super) async fn ended(&mut self) -> anyhow::Error {
        match &mut self.placement {
            Some(placement) => placement.ended().await,
            None => std::future::pending().await,
        }
    }

    /// Stops the sidecar, then the API server, then the engine, because each of them asks the later ones until it ends. Returns failure
    /// if a further signal cuts this short.
    pub(super) async fn stop(self, signals: &mut Signals) -> ExitCode {
        let Self { api_server, placement } = self;
        let (engine, sidecar) = placement.map_or((None, None), |placement| (Some(placement.engine), Some(placement.sidecar)));
        let calmly = async {
            if let Some(sidecar) = sidecar
                && let Err(error) = sidecar.stop().await
            {
                tracing::error!(%error, "the sidecar did not end in order");
            }
            api_server.stop().await;
        };
        tokio::select! {
            () = calmly => {}
            () = signals.next() => return ExitCode::FAILURE,
        }
        let Some(engine) = engine else { return ExitCode::SUCCESS };
        if engine.leave(signals).await == Ending::Aborted { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}

impl Placement {
    async fn ready(&mut self) -> anyhow::Result<()> {
        let store = Arc::clone(self.engine.store());
        tokio::select! {
            ready = timeout(START, loaded(&store)) => if ready.is_err() {
                bail!("the engine was not ready within {START:?}: {}", store.load().not_ready.join("; "));
            },
            error = self.ended() => return Err(error),
        }
        Ok(())
    }

    async fn ended(&mut self) -> anyhow::Error {
        tokio::select! {
            error = self.engine.ended() => error,
            error = self.sidecar.ended() => error,
        }
    }
}

/// Waits until the engine has loaded the policies and every required kind.
async fn loaded(store: &Store) {
    let mut published = store.subscribe();
    loop {
        published.borrow_and_update();
        // The store outlives this.
        if store.load().ready() || published.changed().await.is_err() {
            return;
        }
    }
}

async fn start_api_server(
    args: &Args,
    places: &Places,
    hook: Option<PathBuf>,
    progress: &mut Progress<'_>,
) -> anyhow::Result<apiserver::Running> {
    let options = apiserver::Options {
        data_dir: places.data().map(ToOwned::to_owned),
        fsync: !args.unsafe_no_fsync,
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, args.port)),
        token_file: args.token_auth_file.clone(),
        admission: hook,
        audit: args.audit.options(),
        remote: args.admission_configuration_kubeconfig.clone().map(remote::Settings::new),
        policy_source: SOURCE.into(),
        initializers: initializers(args),
        plugins: args.api_server.enablement(),
        runtime_config: args.api_server.runtime_config(),
        fail_open_creation: args.fail_open_creation,
        ..apiserver::Options::default()
    };
    let running = apiserver::start(options).await.context("could not start the API server")?;
    let kept = places.data().map_or_else(|| "in memory".to_owned(), |data| format!("kept in {}", data.display()));
    progress.part("API server", &format!("{}, {kept}", running.url()))?;
    Ok(running)
}

fn initializers(args: &Args) -> InitializerSettings {
    let get = match args.initializers_get_visibility {
        GetVisibility::Strict => Get::Strict,
        GetVisibility::Upstream => Get::Upstream,
    };
    let (enabled, timeout) = (!args.without_initializers, args.initializer_timeout);
    InitializerSettings { enabled, timeout, get, ..InitializerSettings::default() }
}

fn fleet(fresh: bool, without_examples: bool) -> &'static str {
    match (fresh, without_examples) {
        (false, _) => "as it was",
        (true, true) => "no clusters and no policies yet",
        (true, false) => "8 example clusters; policies: compliance, jurisdiction, requested clusters",
    }
}
