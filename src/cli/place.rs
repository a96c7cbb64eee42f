//! `plimsoll place`: the engine's decision offline, from files; for pipelines and for learning.
//!
//! ```text
//!  --policies ─┐
//!  --state ────┴► fleet (a store without a network) ─► decide each -f object ─► show ─► exit code
//! ```
//!
//! Exit code 0: admitted; 2: denied or nowhere; 3: no decision; 1: wrong use. Of several objects, the highest.

mod fleet;
mod human;
pub(super) mod kinds;
mod marked;
pub(super) mod read;
mod report;

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::ValueEnum;
use plimsoll_contract::outcome::Outcome;
use plimsoll_sidecar::config::Config as SyncConfig;

use super::serve::args::{PlacementPath, namespace, placement_path};
use crate::decision::Config;
use crate::rego::RegoVersion;
use crate::snapshot::Snapshot;
pub(in crate::cli) use human::NO_FLEET;
use read::Manifest;
use report::Report;

/// Options of `plimsoll place`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Directory or file of policies. May be given several times.
    #[arg(long, value_name = "PATH", env = "PLIMSOLL_POLICIES", value_delimiter = ':', required = true)]
    pub policies: Vec<PathBuf>,
    /// Directory or file of manifests that policies see as the state: the clusters (kind `Cluster`) and what else they
    /// read. May be given several times.
    #[arg(long, value_name = "PATH")]
    pub state: Vec<PathBuf>,
    /// File or directory of objects to place, `-` for standard input. May be given several times.
    #[arg(short, long, value_name = "FILE", required = true)]
    pub filename: Vec<PathBuf>,
    /// What to print.
    #[arg(short, long, value_enum, default_value = "human")]
    pub output: Output,
    /// The sidecar's configuration, for its table of kinds; without it, kinds are taken from the manifests.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_CONFIG")]
    pub config: Option<PathBuf>,
    /// How modules are read: `auto` (v1, else v0), `v0` or `v1`.
    #[arg(long, value_name = "VERSION", default_value = "auto", env = "PLIMSOLL_REGO")]
    pub rego: RegoVersion,
    /// The document below `data` that is the decision.
    #[arg(long, value_name = "PATH", default_value = "kubernetes/placement", env = "PLIMSOLL_PLACEMENT_PATH")]
    #[arg(value_parser = placement_path)]
    pub placement_path: PlacementPath,
    /// Annotation keys that policies may write, beside those of the targets.
    #[arg(long, value_name = "KEY,…", env = "PLIMSOLL_ANNOTATION_KEYS", value_delimiter = ',')]
    pub annotation_keys: Vec<String>,
    /// A namespace whose objects are never placed, beside `kube-*`. May be given several times.
    #[arg(long, value_name = "NAME", env = "PLIMSOLL_EXEMPT_NAMESPACE", value_delimiter = ',', value_parser = namespace)]
    pub exempt_namespace: Vec<String>,
}

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people: the outcome, which clusters, why not the others, what changes.
    Human,
    /// Every decision with the patched object, as one JSON document.
    Json,
    /// The same as YAML.
    Yaml,
    /// One JSON merge patch a line, for `kubectl patch --type merge`.
    Patch,
    /// The admitted objects, patched, for `kubectl apply`; the others as comments.
    Manifest,
}

/// Decides every object and prints the decisions. Exit code: 0 admitted, 2 denied or nowhere, 3 no decision; of several objects the
/// highest. Fails when a file cannot be read, or the output cannot be written.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    place(args, &mut std::io::stdin().lock(), out)
}

fn place(args: Args, stdin: &mut dyn Read, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let (snapshot, objects) = snapshot(&args, stdin)?;
    let lacks = Lacks { fleet: lacks_fleet(&snapshot), table: args.config.is_none() };
    let config = Config {
        placement_path: args.placement_path.0,
        annotation_keys: args.annotation_keys.into_iter().collect(),
        exempt_namespaces: args.exempt_namespace.into_iter().collect(),
        ..Config::default()
    };
    let reports: Vec<Report> = objects.into_iter().map(|object| Report::of(&snapshot, object, &config)).collect();
    print(args.output, &reports, lacks, out)?;
    Ok(ExitCode::from(reports.iter().map(|report| exit_code(&report.decision.outcome)).max().unwrap_or_default()))
}

/// Returns policies and state from files, in the form in which an engine has them, with the objects to place. Fails when a file cannot be
/// read.
pub(super) fn snapshot(args: &Args, stdin: &mut dyn Read) -> anyhow::Result<(Arc<Snapshot>, Vec<Manifest>)> {
    let state = read::read(&args.state, None).context("could not read the state")?;
    let objects = objects(&args.filename, stdin)?;
    let table = args.config.as_deref().map(SyncConfig::read).transpose()?;
    let store = fleet::store(&args.policies, args.rego)?;
    fleet::load(&store, table, state, &objects)?;
    Ok((store.load(), objects))
}

/// Returns the objects in some files. Fails when a file cannot be read, or there is no object.
pub(super) fn objects(files: &[PathBuf], stdin: &mut dyn Read) -> anyhow::Result<Vec<Manifest>> {
    if files.is_empty() {
        bail!("no object is given: name files with -f, as KIND and NAME are looked up in a cluster alone");
    }
    let objects = read::read(files, Some(stdin)).context("could not read the objects to place")?;
    if objects.is_empty() {
        bail!("there is no object in {}", files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(", "));
    }
    Ok(objects)
}

/// What was not given on the command line; people are told if a decision may come of that.
#[derive(Clone, Copy)]
struct Lacks {
    /// The state has no cluster.
    fleet: bool,
    /// No table of kinds was given, so it is guessed from the manifests.
    table: bool,
}

fn lacks_fleet(snapshot: &Snapshot) -> bool {
    snapshot.state.fleet_of().is_none_or(|(_, _, fleet)| fleet.objects == 0)
}

fn print(output: Output, reports: &[Report], lacks: Lacks, out: &mut dyn Write) -> anyhow::Result<()> {
    match output {
        Output::Human => human::print(reports, lacks, out)?,
        Output::Json => writeln!(out, "{:#}", report::document(reports))?,
        Output::Yaml => write!(out, "{}", yaml_serde::to_string(&report::document(reports))?)?,
        Output::Patch => reports.iter().try_for_each(|report| writeln!(out, "{}", report.merge_patch()))?,
        Output::Manifest => reports.iter().try_for_each(|report| manifest(report, out))?,
    }
    Ok(())
}

/// Prints a patched object for `kubectl apply`. An object that is not admitted becomes a comment: it must not be applied.
fn manifest(report: &Report, out: &mut dyn Write) -> anyhow::Result<()> {
    if exit_code(&report.decision.outcome) == 0 || report.decision.outcome == Outcome::Nowhere {
        return Ok(write!(out, "---\n{}", yaml_serde::to_string(&report.patched)?)?);
    }
    let message = format!("{}: {}: {}", report.manifest.title(), report.decision.outcome.name(), report.decision.outcome);
    Ok(message.lines().try_for_each(|line| writeln!(out, "# {line}"))?)
}

pub(super) fn exit_code(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Exempt | Outcome::Unarmed | Outcome::NoOpinion | Outcome::Place => 0,
        Outcome::Nowhere | Outcome::Denied { .. } => 2,
        Outcome::Undefined | Outcome::Unavailable { .. } => 3,
    }
}

#[cfg(test)]
mod tests;
