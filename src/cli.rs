//! The command line: one file per subcommand. Exit code 1 is a usage or start-up error in all of them. `dev` is there with the
//! feature of this name, which brings the embedded API server.

pub mod bench;
pub mod brake;
pub mod check;
#[cfg(feature = "dev")]
pub mod dev;
pub mod eval;
pub mod explain;
pub mod failure;
pub mod kubeconfig;
#[cfg(feature = "dev")]
pub mod lint_webhooks;
pub mod log;
pub mod manifests;
pub mod material;
mod opas;
pub mod place;
#[cfg(feature = "dev")]
pub mod predict;
pub mod reads;
pub mod serve;
mod stdout;
pub mod subject;
pub mod switches;
pub mod sync;
pub mod test;
pub mod units;
pub mod why;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::printable;
use stdout::Stdout;

/// Policy-based placement for federated Kubernetes.
#[derive(Debug, Parser)]
#[command(name = "plimsoll", version, propagate_version = true, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// How to log.
    #[command(flatten)]
    pub log: log::Args,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a whole federation control plane on this machine: API server, engine, sidecar, an example fleet.
    #[cfg(feature = "dev")]
    Dev(dev::Args),
    /// Run the engine: policies and state in, decisions out.
    Serve(Box<serve::Args>),
    /// Decide objects offline, from files: which clusters may they use, and why not the others?
    Place(Box<place::Args>),
    /// Say why an object is placed as it is: which conditions let each cluster in, or keep it out.
    Why(Box<why::Args>),
    /// Run the sidecar: the cluster into the engine, its decisions onto existing objects.
    Sync(sync::Args),
    /// Show what the brake holds back, and let it go.
    Brake(brake::Args),
    /// Ask a query of policies and data.
    Eval(Box<eval::Args>),
    /// Run the tests beside policies.
    Test(test::Args),
    /// Say what is wrong with policies.
    Check(check::Args),
    /// Measure what a query costs.
    Bench(Box<bench::Args>),
    /// Say which admission hooks an object will meet, in what order, and why.
    #[cfg(feature = "dev")]
    Predict(Box<predict::Args>),
    /// Hold webhook configurations to the good practices.
    #[cfg(feature = "dev")]
    LintWebhooks(lint_webhooks::Args),
    /// Print access rules and webhooks for a table of kinds.
    Manifests(manifests::Args),
}

impl Command {
    /// Returns the log filter of the subcommand where `--log-level` gives none. `dev` prints its progress itself and runs one sidecar, so
    /// that it logs little.
    fn log_level(&self) -> &'static str {
        match self {
            #[cfg(feature = "dev")]
            Self::Dev(_) => "warn,plimsoll_sidecar::run=error",
            // What is refused is a part of their answer.
            #[cfg(feature = "dev")]
            Self::Predict(_) | Self::LintWebhooks(_) => "warn,kube_client=off",
            _ => "info,actix_server=warn",
        }
    }
}

/// Parses the command line and runs the subcommand. Returns its exit code; 1 after an error, which is printed with its causes to standard
/// error; 141, as after SIGPIPE, when the reader of standard output has gone.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = switches::plain(args.into_iter().collect(), &Cli::command());
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return usage(error),
    };
    cli.log.install(cli.command.log_level());
    let mut out = Stdout::default();
    match run(cli.command, &mut out) {
        Ok(code) => code,
        Err(_) if out.is_closed => ExitCode::from(stdout::CLOSED),
        Err(error) => {
            // With standard error gone there is nobody left to tell.
            let _ = writeln!(io::stderr(), "error: {}", printable::lines(&with_causes(&error)));
            ExitCode::FAILURE
        }
    }
}

/// Returns the text of an error followed by those of its causes. A cause that the text ends with, or has in
/// brackets, is left out: many messages hold it.
fn with_causes(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !(text.ends_with(&cause) || text.contains(&format!("({cause})"))) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Prints what clap answers instead of a command: help and version end with exit code 0, wrong use with 1.
fn usage(error: clap::Error) -> ExitCode {
    let error = opas::explained(error);
    let _ = error.print();
    if error.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn run(command: Command, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    match command {
        #[cfg(feature = "dev")]
        Command::Dev(args) => dev::run(args, out),
        Command::Serve(args) => serve::run(*args, out),
        Command::Place(args) => place::run(*args, out),
        Command::Why(args) => why::run(&args, out),
        Command::Sync(args) => sync::run(args, out),
        Command::Brake(args) => brake::run(&args, out),
        Command::Eval(args) => eval::run(&args, out),
        Command::Test(args) => test::run(&args, out),
        Command::Check(args) => check::run(&args, out),
        Command::Bench(args) => bench::run(&args, out),
        #[cfg(feature = "dev")]
        Command::Predict(args) => predict::run(&args, out),
        #[cfg(feature = "dev")]
        Command::LintWebhooks(args) => lint_webhooks::run(&args, out),
        Command::Manifests(args) => Ok(manifests::run(&args, out).map(|()| ExitCode::SUCCESS)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cause_is_said_twice() {
        let error = anyhow::anyhow!("no such file").context("cannot read `x`: no such file").context("could not start");
        assert_eq!(with_causes(&error), "could not start: cannot read `x`: no such file");
        assert_eq!(with_causes(&anyhow::anyhow!("why").context("what")), "what: why");
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn dev_is_a_command_with_its_feature_alone() {
        let mut root = Cli::command();
        assert_eq!(root.find_subcommand("dev").is_some(), cfg!(feature = "dev"));
        assert_eq!(root.render_long_help().to_string().contains("\n  dev "), cfg!(feature = "dev"));
    }

    #[test]
    fn t20_an_unknown_flag_is_refused_by_name() {
        let error = Cli::try_parse_from(["plimsoll", "serve", "--polices=x"]).unwrap_err();
        assert!(error.to_string().contains("--polices"), "{error}");
        assert!(error.use_stderr());
    }

    #[test]
    fn every_option_of_serve_has_an_environment_variable() {
        let root = Cli::command();
        let serve = root.find_subcommand("serve").unwrap();
        for option in serve.get_arguments().filter(|option| option.get_long().is_some_and(|long| long != "help")) {
            let long = option.get_long().unwrap();
            let expected = format!("PLIMSOLL_{}", long.to_uppercase().replace('-', "_"));
            let found = option.get_env().map(|name| name.to_string_lossy().into_owned());
            assert_eq!(found.as_deref(), Some(expected.as_str()), "--{long}");
        }
    }
}
