//! Cargo, in the copy: its errors, and the binaries of the tests.

use std::ops::Range;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::tree::Tree;

/// Optimised a little: the suites run once for each mutant, so that building longer pays. Assertions stay on, as where people run the
/// tests.
const PROFILE: [&str; 3] =
    ["profile.dev.package.\"*\".opt-level=2", "profile.dev.package.plimsoll-rego.opt-level=1", "profile.dev.debug=0"];

/// An error of rustc.
pub struct Fault {
    /// As people read it.
    pub message: String,
    /// Files and bytes that it points at, the main one first.
    pub spans: Vec<(String, Range<usize>)>,
}

/// A binary of tests.
pub struct Binary {
    /// The file in `tests/`, or the crate, of unit tests.
    pub name: String,
    /// What is run.
    pub path: PathBuf,
}

#[derive(Deserialize)]
#[serde(tag = "reason")]
enum Message {
    #[serde(rename = "compiler-message")]
    Rustc { message: Diagnostic },
    #[serde(rename = "compiler-artifact")]
    Artifact { target: Target, executable: Option<PathBuf> },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    rendered: Option<String>,
    spans: Vec<Span>,
    children: Vec<Child>,
}

#[derive(Deserialize)]
struct Child {
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    byte_start: usize,
    byte_end: usize,
    is_primary: bool,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// What rustc refuses in the library.
pub fn check(tree: &Tree) -> Result<Vec<Fault>> {
    let (messages, passed) = cargo(tree, &["check", "--lib"], "1")?;
    let faults: Vec<Fault> = messages.into_iter().filter_map(fault).collect();
    ensure!(passed || !faults.is_empty(), "cargo check failed without an error of rustc");
    Ok(faults)
}

/// Builds all suites.
pub fn build(tree: &Tree) -> Result<Vec<Binary>> {
    let (messages, passed) = cargo(tree, &["test", "--no-run", "--lib", "--tests"], "0")?;
    let errors: Vec<String> = messages.iter().filter_map(error).collect();
    ensure!(passed, "the suites do not build:\n{}", errors.join("\n"));
    let binary = |message| match message {
        Message::Artifact { target, executable: Some(path) } => Some(Binary { name: target.name, path }),
        _ => None,
    };
    Ok(messages.into_iter().filter_map(binary).collect())
}

fn cargo(tree: &Tree, arguments: &[&str], incremental: &str) -> Result<(Vec<Message>, bool)> {
    let mut cargo = Command::new("cargo");
    cargo.args(arguments).args(["--locked", "-p", "plimsoll-rego", "--message-format", "json"]).current_dir(&tree.root);
    cargo.args(PROFILE.iter().flat_map(|setting| ["--config", setting]));
    cargo.env("CARGO_TARGET_DIR", &tree.target).env("CARGO_INCREMENTAL", incremental).env("RUSTFLAGS", "-Awarnings");
    let output = cargo.stderr(Stdio::inherit()).output().context("running cargo")?;
    let mut messages = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        messages.push(serde_json::from_str(line).with_context(|| format!("reading what cargo says: {line}"))?);
    }
    if messages.is_empty() {
        bail!("cargo said nothing: {}", output.status);
    }
    Ok((messages, output.status.success()))
}

fn error(message: &Message) -> Option<String> {
    match message {
        Message::Rustc { message } if message.level.starts_with("error") => message.rendered.clone(),
        _ => None,
    }
}

/// Sums such as "aborting due to 3 errors" point at nothing, and are none.
fn fault(message: Message) -> Option<Fault> {
    let rendered = error(&message)?;
    let Message::Rustc { message } = message else { return None };
    let mut spans: Vec<&Span> = message.spans.iter().collect();
    spans.sort_by_key(|span| !span.is_primary);
    spans.extend(message.children.iter().flat_map(|child| &child.spans));
    let spans: Vec<_> = spans.into_iter().map(|span| (span.file_name.clone(), span.byte_start..span.byte_end)).collect();
    (!spans.is_empty()).then_some(Fault { message: rendered, spans })
}
