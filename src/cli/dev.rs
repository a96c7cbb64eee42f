//! `plimsoll dev`: a whole federation control plane in one process, for development and single machines.
//!
//! ```text
//!  places ─► engine (bound, answering) ─► API server, whose hook asks it ─► examples ─► sidecar ─► ready ─► signal ─► stop
//! ```
//!
//! Everything listens on loopback, and the parts know each other by tokens and certificates made here.

mod audit;
mod enablement;
mod engine;
mod examples;
mod federation;
mod places;
mod progress;
mod sidecar;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use actix_web::rt::System;
use anyhow::Context;

use super::serve::shutdown::Signals;
use super::units;
use enablement::ApiServerArgs;
use federation::Federation;
use places::Places;
use progress::Progress;

/// Options of `plimsoll dev`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Keep objects and keys here, for the next time; by default everything is in memory and gone at the end.
    #[arg(long, value_name = "DIR", env = "PLIMSOLL_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// Where the kubeconfig is written; by default into the data directory, or a temporary one.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_DEV_KUBECONFIG")]
    pub kubeconfig: Option<PathBuf>,
    /// Port of the API server; 0 takes a free one.
    #[arg(long, value_name = "PORT", default_value = "0", env = "PLIMSOLL_PORT")]
    pub port: u16,
    /// Port of the engine; 0 takes a free one.
    #[arg(long, value_name = "PORT", default_value = "0", env = "PLIMSOLL_ENGINE_PORT", conflicts_with = "apiserver_only")]
    pub engine_port: u16,
    /// How long the policies must have stayed the same before a placement that they have no opinion about any more is let go; 0s: at
    /// once.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = units::duration, env = "PLIMSOLL_LETTING_GO_AFTER")]
    #[arg(conflicts_with = "apiserver_only")]
    pub letting_go_after: Duration,
    /// Neither clusters nor policies to begin with.
    #[arg(long, env = "PLIMSOLL_WITHOUT_EXAMPLES")]
    pub without_examples: bool,
    /// Only the API server: no engine, no sidecar, no examples.
    #[arg(long, env = "PLIMSOLL_APISERVER_ONLY")]
    pub apiserver_only: bool,
    /// An AdmissionConfiguration for the API server: which engine its SchedulingPolicy asks, who the server is to webhooks,
    /// and where webhooks are that the API cannot remove.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_ADMISSION_CONTROL_CONFIG_FILE", requires = "apiserver_only")]
    pub admission_control_config_file: Option<PathBuf>,
    /// A kubeconfig of another API server that has the configurations of webhooks and initializers, and the Services that they name: they
    /// are read there once a second, and this server serves no such kinds. Where they were not read for five seconds, writes are refused.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_ADMISSION_CONFIGURATION_KUBECONFIG", requires = "apiserver_only")]
    pub admission_configuration_kubeconfig: Option<PathBuf>,
    /// What is switched off and on.
    #[command(flatten)]
    pub api_server: ApiServerArgs,
    /// More callers of the API server, as kube-apiserver reads them: `token,user,uid,"group,group"`, one a line.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_TOKEN_AUTH_FILE")]
    pub token_auth_file: Option<PathBuf>,
    /// How long the API server waits for an initializer before it is passed over, or fails the object, as its failurePolicy says.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = units::interval, env = "PLIMSOLL_INITIALIZER_TIMEOUT")]
    #[arg(conflicts_with = "without_initializers")]
    pub initializer_timeout: Duration,
    /// What a GET without includeUninitialized answers about an object that is not initialized: 404, or the object as in Kubernetes 1.7.
    #[arg(long, value_name = "WHAT", default_value = "strict", env = "PLIMSOLL_INITIALIZERS_GET_VISIBILITY")]
    pub initializers_get_visibility: GetVisibility,
    /// The API server knows no metadata.initializers: the field is cleared from whatever is written.
    #[arg(long, env = "PLIMSOLL_WITHOUT_INITIALIZERS")]
    pub without_initializers: bool,
    /// The API server lets no initializer and no webhook be registered that fails closed: a new one must say `failurePolicy: Ignore`;
    /// an update may set `Fail`.
    #[arg(long, env = "PLIMSOLL_FAIL_OPEN_CREATION")]
    pub fail_open_creation: bool,
    /// Where the API server writes down who asked for what.
    #[command(flatten)]
    pub audit: audit::AuditArgs,
    /// Do not wait for the disk with each write: quicker, and the last writes are lost if the machine fails.
    #[arg(long, env = "PLIMSOLL_UNSAFE_NO_FSYNC")]
    pub unsafe_no_fsync: bool,
}

/// What a GET answers about an object that is not initialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum GetVisibility {
    /// 404.
    Strict,
    /// The object.
    Upstream,
}

/// Runs the control plane until SIGTERM or SIGINT, then stops it; a second signal ends it at once. Fails when a part cannot start, or
/// ends by itself.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    System::new().block_on(dev(args, out))
}

async fn dev(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let mut signals = Signals::listen().context("could not listen for signals")?;
    let places = Places::prepare(args.data_dir.as_deref(), args.kubeconfig.as_deref())?;
    let mut progress = Progress::new(out);
    let started = tokio::select! {
        started = Federation::start(&args, &places, &mut progress) => started,
        () = signals.next() => return Ok(ExitCode::SUCCESS),
    };
    let mut federation = started?;
    federation.publish(&places)?;
    progress.ready(&places, &args)?;
    let ended = tokio::select! {
        () = signals.next() => None,
        error = federation.ended() => Some(error),
    };
    progress.last("stopping; once more ends it at once")?;
    let code = federation.stop(&mut signals).await;
    match ended {
        Some(error) => Err(error),
        None => Ok(code),
    }
}
