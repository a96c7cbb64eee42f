//! Checks the policies of folders, or runs their tests, and prints one line of JSON for each thing it finds:
//! `cargo run --release -p plimsoll-rego --example policies -- check|test ROOT [BELOW…] [--without NAME|PATTERN]… [--v0|--v1] [--data FILE]`.
//! `tests/tools/public/compare` asks OPA the same. With `--rounds N`, tests run N times, one after the other, and how long each took is printed.

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
use std::sync::Arc;
use std::time::Instant;

use plimsoll_rego::error::Error;
use plimsoll_rego::program::{Program, Refused, Request};
use plimsoll_rego::syntax::tree::Version;
use plimsoll_rego::testing::{self, Verdict};
use plimsoll_rego::value::{Value, json};

/// The allocator of `plimsoll`, which `regorus` brings there: what is measured here is what that pays.
#[global_allocator]
static ALLOCATOR: regorus_mimalloc::mimalloc::Mimalloc = regorus_mimalloc::mimalloc::Mimalloc;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(what), Some(root)) = (arguments.next(), arguments.next()) else { return };
    let (mut below, mut without, mut version, mut data, mut rounds) = (Vec::new(), Vec::new(), None, None, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--without" => without.extend(arguments.next()),
            "--data" => data = arguments.next(),
            "--rounds" => rounds = arguments.next().and_then(|rounds| rounds.parse().ok()),
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
    if let Some(rounds) = rounds {
        return durations(&program, &set.data, rounds);
    }
    if what == "test" {
        for (name, verdict) in run::tests(&program, &set.data) {
            let error = if let Verdict::Error(error) = &verdict { Some(&error.message) } else { None };
            println!("{}", serde_json::json!({"test": name, "verdict": run::name(&verdict), "error": error}));
        }
        println!("{}", serde_json::json!({"test_ms": begun.elapsed().as_millis()}));
    }
}

/// Prints how many nanoseconds each test took, in each of so many rounds.
fn durations(program: &Arc<Program>, data: &Value, rounds: usize) {
    let (bound, tests) = (program.bind(data.clone()), testing::tests(program));
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let request = Request { now_ns: i64::try_from(since.as_nanos()).unwrap_or(i64::MAX), ..Request::default() };
    let round = |_| tests.iter().map(|test| duration(|| testing::run_test(&bound, test, &request).verdict)).collect::<Vec<_>>();
    let rounds: Vec<_> = (0..rounds).map(round).collect();
    for (at, test) in tests.iter().enumerate() {
        let durations: Vec<_> = rounds.iter().filter_map(|round| round.get(at)).collect();
        println!("{}", serde_json::json!({"test": test.to_string(), "durations": durations}));
    }
}

/// Nanoseconds; 0 for a test that is not run, as in OPA.
fn duration(test: impl FnOnce() -> Verdict) -> u128 {
    let begun = Instant::now();
    let verdict = test();
    if verdict == Verdict::Skip { 0 } else { begun.elapsed().as_nanos() }
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
