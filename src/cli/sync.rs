//! `plimsoll sync`: runs the sidecar until it is told to stop.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use plimsoll_sidecar::cluster::Access;
use plimsoll_sidecar::config::Config;
use plimsoll_sidecar::run::{self, Options};
use tokio_util::sync::CancellationToken;

use super::serve::shutdown::Signals;
use super::units;

/// Options of `plimsoll sync`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The engine, the table of kinds, the policy namespace, the Lease: YAML.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_CONFIG")]
    pub config: PathBuf,
    /// Credentials for the federation's API server; by default $KUBECONFIG, the Pod's ServiceAccount or ~/.kube/config.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_KUBECONFIG")]
    pub kubeconfig: Option<PathBuf>,
    /// A context of the kubeconfig, instead of its current one.
    #[arg(long, value_name = "NAME", env = "PLIMSOLL_CONTEXT")]
    pub context: Option<String>,
    /// Health checks and metrics, for probes and Prometheus.
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:8283", env = "PLIMSOLL_HEALTH_ADDR")]
    pub health_addr: SocketAddr,
    /// After SIGTERM: not ready, but mirroring and writing, for this long.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = units::duration, env = "PLIMSOLL_SHUTDOWN_DELAY")]
    pub shutdown_delay: Duration,
}

/// Runs until SIGTERM or SIGINT; a second signal ends it at once.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let Args { config, kubeconfig, context, health_addr, shutdown_delay } = args;
    let config = Config::read(&config)?;
    let options = Options { access: Access { kubeconfig, context }, health_addr, shutdown_delay };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("could not start threads")?;
    writeln!(out, "mirroring {} kinds into {}", config.kinds.len(), config.engine.url)?;
    let code = runtime.block_on(until_signal(config, options))?;
    // Whatever still runs has had its time.
    runtime.shutdown_background();
    Ok(code)
}

async fn until_signal(config: Config, options: Options) -> anyhow::Result<ExitCode> {
    let mut signals = Signals::listen().context("could not listen for signals")?;
    let shutdown = CancellationToken::new();
    let mut running = std::pin::pin!(run::run(config, options, shutdown.clone()));
    tokio::select! {
        ended = &mut running => return Ok(ended.map(|()| ExitCode::SUCCESS)?),
        () = signals.next() => shutdown.cancel(),
    }
    tokio::select! {
        ended = &mut running => Ok(ended.map(|()| ExitCode::SUCCESS)?),
        () = signals.next() => {
            tracing::warn!("a second signal: stopping at once");
            Ok(ExitCode::FAILURE)
        }
    }
}
