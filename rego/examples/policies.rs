//! Checks the policies of folders, or runs their tests, and prints one line of JSON for each thing it finds:
//! `cargo run --release -p plimsoll-rego --example policies -- check|test ROOT [BELOW…] [--without NAME|PATTERN]… [--v0|--v1] [--data FILE]`.
//! `tests/tools/public/compare` asks OPA the same.

#![allow(clippy::print_stdout, reason = "it prints an answer")]

#[path = "../tests/public/builtins.rs"]
mod builtins;
#[path = "../tests/public/load.rs"]
mod load;
#[path = "../tests/public/roast.rs"]
mod roast;
#[path = "../tests/public/run.rs"]
mod run;

use std::path::Path;
use std::time::Instant;

use plimsoll_rego::error::Error;
use plimsoll_rego::program::Refused;
use plimsoll_rego::syntax::tree::Version;
use plimsoll_rego::testing::Verdict;
use plimsoll_rego::value::json;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(what), Some(root)) = (arguments.next(), arguments.next()) else { return };
    let (mut below, mut without, mut version, mut data) = (Vec::new(), Vec::new(), None, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--without" => without.extend(arguments.next()),
            "--data" => data = arguments.next(),
            "--v0" => version = Some(Version::V0),
            "--v1" => version = Some(Version::V1),
            _ => below.push(argument),
        }
    }
    if below.is_empty() {
        below.push(String::new());
    }
    let (below, without): (Vec<_>, Vec<_>) = (borrowed(&below), borrowed(&without));
    let begun = Instant::now();
    let mut set = load::load(Path::new(&root), &below, &without);
    if let Some(more) = data.and_then(|file| json::read(&std::fs::read(file).ok()?, 128).ok()) {
        set.data = load::merged(&set.data, &more);
    }
    set.texts.iter_mut().for_each(|text| text.version = version);
    let loaded = begun.elapsed();
    let compiled = run::compile(&set);
    println!(
        "{}",
        serde_json::json!({"modules": set.texts.len(), "load_ms": loaded.as_millis(), "check_ms": begun.elapsed().as_millis()})
    );
    let program = match compiled {
        Ok(program) => program,
        Err(refused) => return refused.errors.iter().for_each(|error| println!("{}", shown(&refused, error))),
    };
    if what == "test" {
        for (name, verdict) in run::tests(&program, &set.data) {
            let error = if let Verdict::Error(error) = &verdict { Some(&error.message) } else { None };
            println!("{}", serde_json::json!({"test": name, "verdict": run::name(&verdict), "error": error}));
        }
        println!("{}", serde_json::json!({"test_ms": begun.elapsed().as_millis()}));
    }
}

/// As OPA shows it in JSON.
fn shown(refused: &Refused, error: &Error) -> serde_json::Value {
    let source = refused.sources.get(error.span().source);
    let place = source.map(|source| source.position(error.span().start)).unwrap_or_default();
    let file = source.map(|source| source.name.as_str()).unwrap_or_default();
    let location = serde_json::json!({"file": file, "row": place.row, "col": place.col});
    serde_json::json!({"error": {"message": error.message(), "code": error.code().as_str(), "location": location}})
}

fn borrowed(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}
