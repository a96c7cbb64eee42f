//! `plimsoll why`: why an object is placed as it is, for each cluster; of a running engine, or offline from files.
//!
//! ```text
//!  --policies, --state, -f ─► the engine's own answer, here ─┐
//!  KIND NAME, or -f ─► --server ─► /plimsoll/v1/why ─────────┴► table for people, or JSON
//! ```
//!
//! As `kubectl-plimsoll` on the `PATH` the same program is `kubectl plimsoll why`. Exit codes are those of `place`.

mod engine;
mod human;
mod resource;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::ValueEnum;
use plimsoll_contract::why::{Why, WhyQuestion};

use super::place::{self, exit_code};
use super::serve::args::{PlacementPath, namespace, placement_path};
use crate::decision::{Config, Subject, Way, Writer};
use crate::rego::RegoVersion;
use crate::why::{Request, why};
use engine::Server;

/// Options of `plimsoll why`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// An object that the engine knows, as kubectl takes it: `replicaset web`, `rs/web`, `replicasets.apps/web`.
    #[arg(value_name = "KIND NAME", num_args = 0..=2, conflicts_with = "filename")]
    pub object: Vec<String>,
    /// The object's namespace.
    #[arg(short, long, value_name = "NAME", default_value = "default")]
    pub namespace: String,
    /// File or directory of objects to explain, `-` for standard input. May be given several times.
    #[arg(short, long, value_name = "FILE")]
    pub filename: Vec<PathBuf>,
    /// These clusters only.
    #[arg(short, long, value_name = "NAME,…", value_delimiter = ',')]
    pub clusters: Vec<String>,
    /// Say what the decision's document depends on, and whether answers are kept; JSON always does.
    #[arg(long)]
    pub reads: bool,
    /// What to print.
    #[arg(short, long, value_enum, default_value = "human")]
    pub output: Output,
    /// The engine that is asked.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8181", env = "PLIMSOLL_SERVER")]
    pub server: String,
    /// File with the token that the engine wants.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_TOKEN_FILE")]
    pub token_file: Option<PathBuf>,
    /// Certificates of the authorities that the engine's certificate is believed for.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_CA_FILE")]
    pub ca_file: Option<PathBuf>,
    /// Directory or file of policies: nobody is asked, `--state` is the fleet. May be given several times.
    #[arg(long, value_name = "PATH", value_delimiter = ':', requires = "filename")]
    pub policies: Vec<PathBuf>,
    /// Directory or file of manifests that policies see as the state. May be given several times.
    #[arg(long, value_name = "PATH", requires = "policies")]
    pub state: Vec<PathBuf>,
    /// The sidecar's configuration, for its table of kinds; without it, kinds are taken from the manifests.
    #[arg(long, value_name = "FILE", requires = "policies")]
    pub config: Option<PathBuf>,
    /// How modules are read: `auto` (v1, else v0), `v0` or `v1`.
    #[arg(long, value_name = "VERSION", default_value = "auto")]
    pub rego: RegoVersion,
    /// The document below `data` that is the decision.
    #[arg(long, value_name = "PATH", default_value = "kubernetes/placement")]
    #[arg(value_parser = placement_path)]
    pub placement_path: PlacementPath,
    /// Annotation keys that policies may write, beside those of the targets.
    #[arg(long, value_name = "KEY,…", value_delimiter = ',', requires = "policies")]
    pub annotation_keys: Vec<String>,
    /// A namespace whose objects are never placed, beside `kube-*`. May be given several times.
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "policies", value_parser = namespace)]
    pub exempt_namespace: Vec<String>,
}

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people: each cluster, and what keeps it out.
    Human,
    /// One JSON document.
    Json,
    /// The same as YAML.
    Yaml,
}

/// Explains the objects and prints that. Exit codes are those of `place`. Fails when a file cannot be read, or the engine does not
/// answer.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let explained = if args.policies.is_empty() { asked(args)? } else { offline(args)? };
    match args.output {
        Output::Human => {
            let (only_asked, offline) = (!args.clusters.is_empty(), !args.policies.is_empty());
            human::print(&explained, human::Shown { reads: args.reads, only_asked, offline }, out)?;
        }
        Output::Json => writeln!(out, "{}", serde_json::to_string_pretty(&serde_json::json!({ "objects": explained }))?)?,
        Output::Yaml => write!(out, "{}", yaml_serde::to_string(&serde_json::json!({ "objects": explained }))?)?,
    }
    Ok(ExitCode::from(explained.iter().map(|why| exit_code(&why.outcome)).max().unwrap_or_default()))
}

/// The time limit of an explanation from files: longer than the engine's, because no other request waits for it.
const PATIENCE: Duration = Duration::from_secs(60);

fn offline(args: &Args) -> anyhow::Result<Vec<Why>> {
    let given = place::Args {
        policies: args.policies.clone(),
        state: args.state.clone(),
        filename: args.filename.clone(),
        output: place::Output::Human,
        config: args.config.clone(),
        rego: args.rego,
        placement_path: args.placement_path.clone(),
        annotation_keys: args.annotation_keys.clone(),
        exempt_namespace: args.exempt_namespace.clone(),
    };
    let (snapshot, objects) = place::snapshot(&given, &mut std::io::stdin().lock())?;
    let config = Config {
        placement_path: args.placement_path.0.clone(),
        annotation_keys: args.annotation_keys.iter().cloned().collect(),
        exempt_namespaces: args.exempt_namespace.iter().cloned().collect(),
        ..Config::default()
    };
    let request = Request { clusters: args.clusters.clone(), time: PATIENCE };
    let each = objects.iter().map(|manifest| {
        let (way, writer) = (Way::Stored, Writer::Controller);
        let subject = Subject { object: &manifest.object, kind: None, way, writer, last: None };
        Ok(why(&snapshot, subject, &config, &request)?)
    });
    each.collect()
}

fn asked(args: &Args) -> anyhow::Result<Vec<Why>> {
    let server = Server::new(&args.server, args.token_file.as_deref(), args.ca_file.as_deref())?;
    if !args.filename.is_empty() {
        let objects = place::objects(&args.filename, &mut std::io::stdin().lock())?;
        let questions =
            objects.into_iter().map(|manifest| WhyQuestion { object: manifest.object, clusters: args.clusters.clone() });
        return questions.map(|question| server.post(&question)).collect();
    }
    let (kind, name) = named(&args.object).context("which object? Give its kind and its name, or a file with -f")?;
    let kinds = server.kinds()?;
    let kind = resource::resolve(kind, &kinds)?.to_string();
    let clusters = args.clusters.join(",");
    let found = server.get(&[("kind", &kind), ("namespace", &args.namespace), ("name", name), ("cluster", &clusters)]);
    found.map(|why| vec![why])
}

/// Returns kind and name from `kind name` or `kind/name`. Fails when one is missing.
fn named(words: &[String]) -> anyhow::Result<(&str, &str)> {
    match words {
        [kind, name] => Ok((kind, name)),
        [both] => both.rsplit_once('/').context("there is no name behind the kind"),
        _ => bail!("no object is named"),
    }
}

#[cfg(test)]
mod tests;
