//! `plimsoll sync`: runs the sidecar until it is told to stop.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, anyhow};
use plimsoll_sidecar::cluster::Access;
use plimsoll_sidecar::config::Config;
use plimsoll_sidecar::run::{self, Options, RunError};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::serve::shutdown::Signals;
use super::units;
use crate::server::address::tcp;

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
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:8283", value_parser = tcp, env = "PLIMSOLL_HEALTH_ADDR")]
    pub health_addr: SocketAddr,
    /// After SIGTERM: not ready, but mirroring and writing, for this long.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = units::duration, env = "PLIMSOLL_SHUTDOWN_DELAY")]
    pub shutdown_delay: Duration,
    /// Place new objects before anybody else sees them, as the initializer of this name: for API servers that have initializers, as that
    /// of `plimsoll dev`.
    #[arg(long, value_name = "NAME", value_parser = initializer, env = "PLIMSOLL_INITIALIZER")]
    pub initializer: Option<String>,
}

/// A name that the API server accepts for no initializer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name of an initializer is a domain of at least three segments, such as placement.example.com")]
struct InitializerNameError;

/// Returns `text` if the API server accepts it as the name of an initializer: at most 253 bytes, and at least three segments of lower
/// case letters, digits and inner hyphens, with dots between them.
fn initializer(text: &str) -> Result<String, InitializerNameError> {
    let plain = |part: &str| {
        let inside = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !part.is_empty() && !part.starts_with('-') && !part.ends_with('-') && part.bytes().all(inside)
    };
    let is_accepted = text.len() <= 253 && text.split('.').count() >= 3 && text.split('.').all(plain);
    if is_accepted { Ok(text.to_owned()) } else { Err(InitializerNameError) }
}

/// A running sidecar. It has threads of its own.
pub struct Sidecar {
    /// The threads; `Some` until this is dropped.
    runtime: Option<Runtime>,
    running: JoinHandle<Result<(), RunError>>,
    shutdown: CancellationToken,
}

impl Sidecar {
    /// Starts the sidecar. Fails when no threads can be made.
    pub fn start(config: Config, options: Options) -> anyhow::Result<Self> {
        let runtime = Builder::new_multi_thread().enable_all().build().context("could not start threads")?;
        let shutdown = CancellationToken::new();
        let running = runtime.spawn(run::run(config, options, shutdown.clone()));
        Ok(Self { runtime: Some(runtime), running, shutdown })
    }

    /// Waits until the sidecar ends by itself, and returns why.
    pub async fn ended(&mut self) -> anyhow::Error {
        match (&mut self.running).await {
            Ok(Err(error)) => error.into(),
            Ok(Ok(())) => anyhow!("the sidecar ended by itself"),
            Err(error) => anyhow!("the sidecar broke off: {error}"),
        }
    }

    /// Lets the sidecar finish the patches that it has begun, then ends it. Fails when it ended with an error.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.shutdown.cancel();
        Ok((&mut self.running).await.context("the sidecar broke off")??)
    }
}

impl Drop for Sidecar {
    /// Ends what still runs without waiting for it: this may be dropped in asynchronous code, where waiting is not allowed.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Runs the sidecar until SIGTERM or SIGINT; a second signal ends it at once. Fails when it cannot start, or ends by itself.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let Args { config, kubeconfig, context, health_addr, shutdown_delay, initializer } = args;
    let config = Config::read(&config)?;
    let (health_bound, bound) = watch::channel(None);
    let options = Options { access: Access { kubeconfig, context }, health_addr, health_bound, shutdown_delay, initializer };
    let started = format!("mirroring {} kinds into {}", config.kinds.len(), config.engine.url);
    let runtime = Builder::new_current_thread().enable_all().build().context("could not start threads")?;
    runtime.block_on(async {
        let sidecar = Sidecar::start(config, options)?;
        until_signal(sidecar, bound, &mut |addr| Ok(writeln!(out, "{started}; health checks and metrics: http://{addr}")?)).await
    })
}

/// Runs until a signal. `started` is called once the sidecar listens: by then its credentials were found to be usable.
async fn until_signal(
    mut sidecar: Sidecar,
    mut bound: watch::Receiver<Option<SocketAddr>>,
    started: &mut dyn FnMut(SocketAddr) -> anyhow::Result<()>,
) -> anyhow::Result<ExitCode> {
    let mut signals = Signals::listen().context("could not listen for signals")?;
    let listens = async {
        match bound.wait_for(Option::is_some).await {
            Ok(addr) => *addr,
            // It has ended, and says why.
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        error = sidecar.ended() => return Err(error),
        () = signals.next() => {}
        addr = listens => {
            addr.into_iter().try_for_each(&mut *started)?;
            tokio::select! {
                error = sidecar.ended() => return Err(error),
                () = signals.next() => {}
            }
        }
    }
    tokio::select! {
        ended = sidecar.stop() => ended.map(|()| ExitCode::SUCCESS),
        () = signals.next() => {
            tracing::warn!("a second signal: stopping at once");
            Ok(ExitCode::FAILURE)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn addresses_are_written_as_those_of_serve() {
        let read =
            |addr: &str| Line::try_parse_from(["sync", "--config=c", "--health-addr", addr]).map(|line| line.args.health_addr);
        assert_eq!(read("localhost:1").unwrap().to_string(), "127.0.0.1:1");
        assert_eq!(read(":1").unwrap().to_string(), "[::]:1");
        let error = read("here").err().unwrap().to_string();
        assert!(error.contains("`here` is neither IP:PORT, localhost:PORT or :PORT"), "{error}");
    }

    #[test]
    fn an_initializer_has_the_name_of_a_domain() {
        let long = format!("a.b.{}", "c".repeat(250));
        let table = [
            ("placement.example.com", true),
            ("a.b.c.d-e", true),
            ("example.com", false),
            ("", false),
            ("a..c", false),
            ("a.b.-c", false),
            ("A.b.c", false),
            ("a.b.c_d", false),
            (long.as_str(), false),
        ];
        for (text, expected) in table {
            assert_eq!(initializer(text).is_ok(), expected, "{text}");
        }
    }
}
