//! `plimsoll lint-webhooks`: holds webhook configurations to the good practices of Kubernetes' documentation.
//!
//! ```text
//!  files ─► source (objects, lines) ─► refused (by a server: no more is said of it)
//!                                        │
//!                                        ├─► hook (with defaults) ─► rules ─► change (of all rules together) ─► Findings
//!  API server ─► source (objects) ───────┘                             ▲
//!                            surroundings (namespaces, services, pods) ┘
//! ```

mod change;
mod finding;
mod hook;
mod human;
mod itself;
mod lines;
mod refused;
mod requests;
mod rules;
mod source;
mod surroundings;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::ValueEnum;
use plimsoll_apiserver::resources::Registry;
use serde_json::json;
use tokio::runtime::Builder;

use super::kubeconfig::Kubeconfig;
use super::predict::api::Server;
use hook::{Hook, Kind};
use source::Configuration;
use surroundings::Surroundings;

pub use finding::Finding;

/// Options of `plimsoll lint-webhooks`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Files or directories of manifests, `-` for standard input; without any, the API server's configurations are looked at.
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// What to print.
    #[arg(short, long, value_enum, default_value = "human")]
    pub output: Output,
    /// The API server whose configurations are meant.
    #[command(flatten)]
    pub server: Kubeconfig,
}

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// Lines for people.
    Human,
    /// Findings as JSON.
    Json,
}

/// Prints the findings. Exit code 2: there are some. Fails when configurations cannot be read, or the files hold none.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let mut notes = Vec::new();
    let objects = if args.paths.is_empty() {
        let runtime = Builder::new_current_thread().enable_all().build().context("could not start")?;
        runtime.block_on(served(&args.server, &mut notes))?
    } else {
        source::files(&args.paths)?
    };
    if !args.paths.is_empty() && !objects.iter().any(|object| Kind::of(&object.object).is_some()) {
        bail!("there is no webhook configuration in the files: give some with one");
    }
    let findings = lint(&objects)?;
    match args.output {
        Output::Human => human::print(&findings, &notes, out)?,
        Output::Json => writeln!(out, "{}", serde_json::to_string_pretty(&json!({"findings": findings, "notes": notes}))?)?,
    }
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

/// Returns the API server's webhook configurations and, for each webhook in the cluster, the objects around it. What cannot be read of
/// the latter is added to `notes`. Fails when the configurations cannot be listed.
async fn served(args: &Kubeconfig, notes: &mut Vec<String>) -> anyhow::Result<Vec<Configuration>> {
    let server = Server::new(args.client().await?, None, Vec::new());
    let mut objects = source::configurations(&server).await?;
    let namespaces: BTreeSet<String> =
        hooks(&objects)?.iter().filter_map(Hook::service).map(|(namespace, _)| namespace).collect();
    for namespace in namespaces {
        objects.extend(source::around(&server, &namespace, notes).await);
    }
    Ok(objects)
}

fn hooks(objects: &[Configuration]) -> anyhow::Result<Vec<Hook<'_>>> {
    let mut hooks = Vec::new();
    for object in objects {
        if let Some(kind) = Kind::of(&object.object) {
            hooks.extend(hook::of(object, kind).with_context(|| object.place(""))?);
        }
    }
    Ok(hooks)
}

/// Returns all findings: first those of configurations that a server would refuse, which are not looked at any further, then those of
/// each hook. Fails when a configuration cannot be read.
fn lint(objects: &[Configuration]) -> anyhow::Result<Vec<Finding>> {
    let registry = Registry::built_in().context("could not read the table of kinds")?;
    let (mut findings, mut hooks) = (Vec::new(), Vec::new());
    for object in objects {
        let Some(kind) = Kind::of(&object.object) else {
            findings.extend(refused::misspelt(object));
            continue;
        };
        match refused::of(object, kind, &registry) {
            refused if refused.is_empty() => hooks.extend(hook::of(object, kind).with_context(|| object.place(""))?),
            refused => findings.extend(refused),
        }
    }
    let around = Surroundings(objects);
    findings.extend(hooks.iter().flat_map(|hook| judge(hook, &hooks, &around)));
    Ok(findings)
}

/// Returns the findings of one hook; `all` are the hooks of all configurations, this one among them.
fn judge(hook: &Hook<'_>, all: &[Hook<'_>], around: &Surroundings<'_>) -> Vec<Finding> {
    let checked = rules::RULES.iter().filter_map(|(rule, check)| Some((*rule, check(hook, all, around)?)));
    let (rules, found): (Vec<_>, Vec<_>) = checked.unzip();
    let changes = change::of(hook.written(), &found);
    let findings = rules.into_iter().zip(found).zip(changes).map(|((rule, found), change)| Finding {
        rule,
        place: hook.configuration.place(&format!("{}{}", hook.pointer(), found.field)),
        configuration: hook.configuration.name(),
        hook: hook.spec().name.clone(),
        message: found.message,
        change: change.text,
        set: change.set,
    });
    findings.collect()
}

#[cfg(test)]
mod tests;
