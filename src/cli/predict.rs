//! `plimsoll predict`: which admission hooks an object will meet, in what order, and why.
//!
//! ```text
//!  API server ─► served (kinds, equivalent versions) ─► registered (hooks, initializers, policies) ─┐
//!  file, --old ─► given ─► request (what admission will be told) ────────────────────────────────────────────┤
//!                                                                                                    ▼
//!        Report ◄── chain (the order, who changes what, who refuses) ◄── judge (one hook) ◄── known (what can be told)
//! ```
//!
//! The embedded API server's own code decides whether a hook matches a request. A line is *certain* only if nothing can change what it
//! depends on before the hook is called. Answers of hooks are not predicted: each line is about a request that the hooks before let pass.

pub(in crate::cli) mod api;
mod chain;
mod dry_run;
mod facts;
mod given;
mod human;
mod judge;
mod known;
mod line;
mod registered;
pub(in crate::cli) mod request;
mod review;
mod schema;
pub(in crate::cli) mod served;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::ValueEnum;
use plimsoll_apiserver::admission::Operation as Done;
use tokio::runtime::Builder;

use super::kubeconfig::Kubeconfig;
use given::Given;

pub use line::{Certainty, Line, Phase, Policy, Report};

/// Options of `plimsoll predict`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The object, as it would be sent; `-` is standard input.
    #[arg(short, long, value_name = "FILE")]
    pub filename: PathBuf,
    /// What would be done with it. An update is of the whole object, as `kubectl replace` sends it.
    #[arg(long, value_enum, default_value = "create", ignore_case = true)]
    pub operation: Operation,
    /// The same object as it is stored, in the same version; without it, the API server is asked for it. For updates and deletes alone.
    #[arg(long, value_name = "FILE")]
    pub old: Option<PathBuf>,
    /// Who would do it, instead of whoever asks.
    #[arg(long = "as", value_name = "USER")]
    pub user: Option<String>,
    /// A group of that user. May be given several times.
    #[arg(long = "as-group", value_name = "GROUP", requires = "user")]
    pub groups: Vec<String>,
    /// Send the object to the API server in a dry run, and go on from what it would store.
    #[arg(long)]
    pub dry_run: bool,
    /// The namespace of an object that names none, `default` without it; of one that names another it is an error.
    #[arg(short, long, value_name = "NAME")]
    pub namespace: Option<String>,
    /// What to print.
    #[arg(short, long, value_enum, default_value = "human")]
    pub output: Output,
    /// The API server whose hooks are meant.
    #[command(flatten)]
    pub server: Kubeconfig,
}

/// What would be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "Kubernetes' own names")]
pub enum Operation {
    Create,
    Update,
    Delete,
}

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// A table for people.
    Human,
    /// The report as JSON.
    Json,
}

impl Operation {
    fn done(self) -> Done {
        match self {
            Self::Create => Done::Create,
            Self::Update => Done::Update,
            Self::Delete => Done::Delete,
        }
    }
}

/// Predicts which hooks are called and prints that. Fails when the object or the API server's hooks cannot be read, or the output cannot
/// be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let runtime = Builder::new_current_thread().enable_all().build().context("could not start")?;
    let report = runtime.block_on(predict(args))?;
    match args.output {
        Output::Human => human::print(&report, out)?,
        Output::Json => writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns what is predicted for the object. Fails when the object or the API server's hooks cannot be read.
pub async fn predict(args: &Args) -> anyhow::Result<Report> {
    let given = Given::read(args, &mut std::io::stdin())?;
    let server = api::Server::new(args.server.client().await?, args.user.clone(), args.groups.clone());
    let facts = facts::Facts::gather(&server, args, given).await?;
    Ok(chain::report(&facts))
}
