//! `plimsoll brake`: what stands still, why, and where it would go; `plimsoll brake release`, which lets it go; `plimsoll brake pause` and
//! `resume`, by which people stop a part of the fleet, and go on.
//!
//! All ask the API server, with the credentials of whoever calls: releasing and pausing are a right on one ConfigMap.
//! As `kubectl-plimsoll` on the `PATH` the same program is `kubectl plimsoll brake`.

mod human;
mod kept;
mod scope;
mod silence;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::ValueEnum;
use kube::Client;
use plimsoll_contract::exempt::POLICY_NAMESPACE;
use plimsoll_contract::still::{Scope, Scopes};
use plimsoll_sidecar::plan::brake::record::Record;
use plimsoll_sidecar::write::brake::Place;
use serde::Serialize;
use tokio::runtime::Builder;

use super::kubeconfig::Kubeconfig;

/// Options of `plimsoll brake`.
#[derive(Clone, Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    /// What to do, instead of showing what stands still.
    #[command(subcommand)]
    pub action: Option<Action>,
    /// Where the brake is.
    #[command(flatten)]
    pub at: At,
    /// What to print.
    #[arg(short, long, value_enum, default_value = "human")]
    pub output: Output,
}

/// What to do.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Action {
    /// Let go what stands still now, and nothing that comes to stand still later.
    Release(Release),
    /// Keep what is placed where it is, whatever policies say, until `resume`: in repair and at admission. New objects are placed.
    Pause(Pause),
    /// Go on where placement was paused.
    Resume(Resume),
}

/// Options of `plimsoll brake pause`.
#[derive(Clone, Debug, clap::Args)]
pub struct Pause {
    /// What: `fleet`, `namespace/NAME`, `kind/RESOURCE.GROUP` such as `kind/deployments.apps`.
    #[arg(required = true, value_name = "SCOPE")]
    pub scopes: Vec<Scope>,
    /// Where the brake is.
    #[command(flatten)]
    pub at: At,
}

/// Options of `plimsoll brake resume`.
#[derive(Clone, Debug, clap::Args)]
pub struct Resume {
    /// What, as it was paused; nothing is all of it.
    #[arg(value_name = "SCOPE")]
    pub scopes: Vec<Scope>,
    /// Where the brake is.
    #[command(flatten)]
    pub at: At,
}

/// Options of `plimsoll brake release`.
#[derive(Clone, Debug, clap::Args)]
pub struct Release {
    /// Only this cause: its id, or its text as it is shown. May be given several times; without it, all that stands still.
    #[arg(long = "for", value_name = "CAUSE")]
    pub causes: Vec<String>,
    /// Where the brake is.
    #[command(flatten)]
    pub at: At,
}

/// Where the brake is.
#[derive(Clone, Debug, clap::Args)]
pub struct At {
    /// The API server.
    #[command(flatten)]
    pub server: Kubeconfig,
    /// The policy namespace.
    #[arg(short, long, value_name = "NAME", default_value = POLICY_NAMESPACE)]
    pub namespace: String,
    /// The brake's ConfigMap: `brake.name` of the sidecar's configuration.
    #[arg(long, value_name = "NAME", default_value = "plimsoll-brake")]
    pub name: String,
}

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// A table for people.
    Human,
    /// The record as it is written down, as JSON.
    Json,
}

/// Shows the brake, releases moves, or pauses and resumes placement. Exit code 2 of the report: moves are held back, or something is
/// paused. Fails when the API server does not answer, or no sidecar keeps the record.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let runtime = Builder::new_current_thread().enable_all().build().context("could not start")?;
    match &args.action {
        None => runtime.block_on(show(&args.at, args.output, out)),
        Some(Action::Release(release)) => runtime.block_on(let_go(release, out)),
        Some(Action::Pause(pause)) => runtime.block_on(paused(pause, out)),
        Some(Action::Resume(resume)) => runtime.block_on(resumed(resume, out)),
    }
}

async fn client(at: &At) -> anyhow::Result<Client> {
    Ok(at.server.client().await?)
}

fn place(client: &Client, at: &At) -> Place {
    Place::new(client, &at.namespace, &at.name)
}

async fn show(at: &At, output: Output, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = client(at).await?;
    let (record, requests) = kept::read(&place(&client, at), at).await?;
    let (paused, silence) = (Scopes::read(&requests.pause).0, silence::silence(&client, &record).await);
    match output {
        Output::Human => {
            silence.iter().try_for_each(|said| human::silent(said, out))?;
            human::print(&record, &requests, out)?;
        }
        Output::Json => {
            let shown = Shown { record: &record, paused: &paused, silence: silence.as_deref() };
            writeln!(out, "{}", serde_json::to_string_pretty(&shown)?)?;
        }
    }
    Ok(if record.trips.is_empty() && paused.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

/// The report that `-o json` prints: the sidecar's record, what people have paused, and why nobody hears of it.
#[derive(Serialize)]
struct Shown<'r> {
    #[serde(flatten)]
    record: &'r Record,
    #[serde(skip_serializing_if = "Scopes::is_empty")]
    paused: &'r Scopes,
    #[serde(skip_serializing_if = "Option::is_none")]
    silence: Option<&'r str>,
}

async fn let_go(release: &Release, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = client(&release.at).await?;
    let place = place(&client, &release.at);
    let (record, asked) = kept::read(&place, &release.at).await?;
    let names = chosen(&record, &release.causes)?;
    if names.is_empty() {
        writeln!(out, "nothing stands still")?;
        return Ok(ExitCode::SUCCESS);
    }
    place.release(|_, before| wished(before, &names)).await.map_err(|error| kept::remedied(error, &release.at))?;
    human::released(&record, &names, &Scopes::read(&asked.pause).0, out)?;
    kept::heard_by(&client, &record).await?;
    Ok(ExitCode::SUCCESS)
}

async fn paused(pause: &Pause, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = client(&pause.at).await?;
    scope::check(&client, &pause.scopes).await?;
    let place = place(&client, &pause.at);
    let add = |paused: &mut Scopes| pause.scopes.iter().cloned().for_each(|scope| paused.add(scope));
    let paused = place.pause(add).await.map_err(|error| kept::remedied(error, &pause.at))?;
    kept::heard((&client, &place), &pause.at).await?;
    say(&paused, out)
}

async fn resumed(resume: &Resume, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let client = client(&resume.at).await?;
    let place = place(&client, &resume.at);
    let mut strange = None;
    let paused = place
        .pause(|paused| {
            strange = resume.scopes.iter().find(|scope| !take(paused, scope)).cloned();
            if resume.scopes.is_empty() {
                *paused = Scopes::default();
            }
        })
        .await
        .map_err(|error| kept::remedied(error, &resume.at))?;
    if let Some(scope) = strange {
        let known = if paused.is_empty() { "nothing is".to_owned() } else { format!("what is: {paused}") };
        bail!("`{scope}` is not paused; {known}");
    }
    kept::heard((&client, &place), &resume.at).await?;
    say(&paused, out)
}

/// Removes a scope from those that are paused. Returns whether it was among them.
fn take(paused: &mut Scopes, scope: &Scope) -> bool {
    let before = paused.clone();
    paused.remove(scope);
    *paused != before
}

fn say(paused: &Scopes, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    if paused.is_empty() {
        writeln!(out, "nothing is paused")?
    } else {
        writeln!(out, "paused: {paused}")?
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the ids to release: those of the given causes, or of every cause that moves are held back for. Fails for a cause that holds
/// nothing back.
fn chosen<'r>(record: &'r Record, causes: &'r [String]) -> anyhow::Result<Vec<&'r str>> {
    let mut names = Vec::new();
    if causes.is_empty() {
        names.extend(record.shown.iter().map(|shown| shown.id.as_str()));
    }
    for cause in causes {
        let Some(shown) = record.shown.iter().find(|shown| shown.id == *cause || shown.cause == *cause) else {
            // What it named when it was shown may still stand there beside others; the sidecar knows, and says if it does not.
            if cause.len() == ID && cause.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                names.push(cause.as_str());
                continue;
            }
            let known: Vec<String> = record.shown.iter().map(|shown| format!("`{}` ({})", shown.cause, shown.id)).collect();
            let known = if known.is_empty() { "nothing stands still".to_owned() } else { known.join(", ") };
            bail!("nothing stands still for `{cause}`; what does: {known}");
        };
        names.push(shown.id.as_str());
    }
    Ok(names)
}

/// Length of a cause's id, in hexadecimal digits.
const ID: usize = 10;

/// Returns the new value of the annotation that asks for releases: lines of `before` that name causes by their text stay, lines of ids
/// give way to `names`.
fn wished(before: &str, names: &[&str]) -> String {
    let is_name = |word: &str| {
        word.len() == names.first().map_or(0, |name| name.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let texts = before.lines().filter(|line| !line.split(',').all(|word| is_name(word.trim())));
    let all = names.join(",");
    texts.chain([all.as_str()]).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
