//! The authors' commands from outside: every case of `cli_cases` run with Plimsoll, and with a real OPA if there is one.
//!
//! A case is files, arguments, an exit code and what standard output says. OPA must say the same, unless the case has
//! `opa:` with the reason and what OPA says instead; a difference that is none any more fails too.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test should say where")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex::Regex;
use serde::Deserialize;
use serde_json::Value as Json;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    args: Vec<String>,
    #[serde(default)]
    stdin: String,
    #[serde(default)]
    exit: i32,
    /// All of standard output; durations are written `<time>`.
    #[serde(default)]
    stdout: Option<String>,
    /// Standard output as JSON: what is here must be there, and arrays must be as long.
    #[serde(default)]
    json: Option<Json>,
    /// Parts of standard error.
    #[serde(default)]
    stderr: Vec<String>,
    /// How OPA answers otherwise.
    #[serde(default)]
    opa: Option<Difference>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    reason: String,
    #[serde(default)]
    exit: Option<i32>,
    #[serde(default)]
    stdout: Option<String>,
    #[serde(default)]
    json: Option<Json>,
    /// Only ours has this command, format or answer: OPA is not asked.
    #[serde(default)]
    absent: bool,
}

struct Answer {
    exit: i32,
    stdout: String,
    stderr: String,
}

fn cases() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli_cases");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: &PathBuf| {
        let cases: Vec<Case> = yaml_serde::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        cases.into_iter().map(move |case| (format!("{file}: {}", case.name), case)).collect::<Vec<_>>()
    };
    files.iter().flat_map(read).collect()
}

fn run(binary: &Path, case: &Case) -> Answer {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in &case.files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut command = Command::new(binary);
    let streams = command.args(&case.args).current_dir(dir.path()).stdin(Stdio::piped());
    let mut child = streams.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Who does not read it may be gone already.
    let _ = child.stdin.take().unwrap().write_all(case.stdin.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Answer { exit: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Durations differ in every run, and with them the width of columns that hold some.
fn plain(text: &str) -> String {
    let time = Regex::new(r"\([0-9.]+(ns|µs|ms|s)\)").unwrap();
    let text = time.replace_all(text, "(<time>)");
    if !text.contains("timer_rego_") {
        return text.into_owned();
    }
    let table = [(r"│ [0-9.]+(ns|µs|ms|s) ", "│ <time> "), (r"(_ns +)│ [0-9]+", "$1│ <time>"), ("─+", "─"), (" +", " ")];
    let narrow =
        |text: String, (pattern, plain): &(&str, &str)| Regex::new(pattern).unwrap().replace_all(&text, *plain).into_owned();
    table.iter().fold(text.into_owned(), narrow)
}

/// Whether `found` has all that is expected.
fn holds(expected: &Json, found: &Json) -> bool {
    match (expected, found) {
        (Json::Object(expected), Json::Object(found)) => {
            expected.iter().all(|(name, value)| found.get(name).is_some_and(|found| holds(value, found)))
        }
        (Json::Array(expected), Json::Array(found)) => {
            expected.len() == found.len() && expected.iter().zip(found).all(|(expected, found)| holds(expected, found))
        }
        _ => expected == found,
    }
}

/// What is wrong with an answer.
fn judge(answer: &Answer, exit: i32, stdout: Option<&String>, json: Option<&Json>) -> Option<String> {
    let Answer { exit: found, stdout: said, stderr } = answer;
    if *found != exit {
        return Some(format!("exit code {found}, not {exit}\n{said}{stderr}"));
    }
    if let Some(expected) = stdout.filter(|expected| plain(expected) != plain(said)) {
        return Some(format!("standard output is\n{said}not\n{expected}{stderr}"));
    }
    let json = json?;
    match serde_json::from_str(said) {
        Ok(found) if holds(json, &found) => None,
        _ => Some(format!("standard output is\n{said}which does not hold {json}\n{stderr}")),
    }
}

fn wrong(what: &str, all: Vec<String>) {
    assert!(all.is_empty(), "{what} answers otherwise:\n{}", all.join("\n\n"));
}

#[test]
fn who_closes_standard_output_early_sees_no_error() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    let output = command.args(["manifests", "--schema"]).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(141), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_ends_nothing() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    let command = command.args(["serve", "--addr", "127.0.0.1:0", "--policies", "no-such-directory", "--log-level", "trace"]);
    let mut engine = command.stdout(Stdio::piped()).stderr(full()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(engine.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let address: Json = serde_json::from_str(&first).unwrap();
    let address = address["listening"]["api"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
    let mut stream = std::net::TcpStream::connect(&address).unwrap();
    stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    engine.kill().unwrap();
    engine.wait().unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[cfg(feature = "dev")]
#[test]
fn dev_names_the_option_whose_value_it_cannot_use() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let (port, named) = (address.port().to_string(), format!("could not listen on --engine-port {address}"));
    let table = [(["--engine-port", &port], named.as_str()), (["--initializer-timeout", "0s"], "must be longer than zero")];
    for (args, part) in table {
        let output = Command::new(env!("CARGO_BIN_EXE_plimsoll")).arg("dev").args(args).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && stderr.contains(part) && stderr.contains(args[0]), "{stderr}");
    }
}

#[test]
fn plimsoll_answers_as_written() {
    let binary = Path::new(env!("CARGO_BIN_EXE_plimsoll"));
    let check = |(name, case): (String, Case)| {
        let answer = run(binary, &case);
        let missing = case.stderr.iter().find(|part| !answer.stderr.contains(part.as_str()));
        let missing = missing.map(|part| format!("standard error lacks {part:?}:\n{}", answer.stderr));
        let wrong = judge(&answer, case.exit, case.stdout.as_ref(), case.json.as_ref()).or(missing);
        wrong.map(|wrong| format!("{name}: {wrong}"))
    };
    wrong("plimsoll", cases().into_iter().filter_map(check).collect());
}

/// A real OPA, if there is one.
fn opa() -> Option<PathBuf> {
    let found = std::env::var_os("KUBEBUILDER_ASSETS").map(|assets| PathBuf::from(assets).join("opa")).filter(|opa| opa.exists());
    let required = std::env::var("PLIMSOLL_E2E").is_ok_and(|value| value == "required");
    assert!(found.is_some() || !required, "PLIMSOLL_E2E=required, and no `opa` in KUBEBUILDER_ASSETS");
    found
}

#[test]
fn the_shipped_library_passes_a_check_alone() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("policies/lib");
    for binary in [PathBuf::from(env!("CARGO_BIN_EXE_plimsoll"))].into_iter().chain(opa()) {
        let output = Command::new(&binary).args(["check", "--strict"]).arg(&library).output().unwrap();
        assert!(output.status.success(), "{}: {}", binary.display(), String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn opa_answers_the_same_or_the_difference_has_a_reason() {
    let Some(binary) = opa() else { return };
    let check = |(name, case): (String, Case)| {
        let Some(difference) = &case.opa else {
            let wrong = judge(&run(&binary, &case), case.exit, case.stdout.as_ref(), case.json.as_ref())?;
            return Some(format!("{name}: {wrong}"));
        };
        assert!(!difference.reason.is_empty(), "{name}: a difference needs a reason");
        if difference.absent {
            return None;
        }
        let answer = run(&binary, &case);
        if judge(&answer, case.exit, case.stdout.as_ref(), case.json.as_ref()).is_none() {
            return Some(format!("{name}: listed as a difference, and is none"));
        }
        let exit = difference.exit.unwrap_or(case.exit);
        let wrong = judge(&answer, exit, difference.stdout.as_ref(), difference.json.as_ref())?;
        Some(format!("{name}: {wrong}"))
    };
    wrong("opa", cases().into_iter().filter_map(check).collect());
}
