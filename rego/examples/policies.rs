//! Checks the policies of folders, or runs their tests, and prints one line of JSON for each thing it finds:
//! `cargo run --release -p plimsoll-rego --example policies -- check|test ROOT [BELOW…] [--without NAME|PATTERN]…`.

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

use run::Verdict;
use serde_json::json;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(what), Some(root)) = (arguments.next(), arguments.next()) else { return };
    let (mut below, mut without) = (Vec::new(), Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--without" => without.extend(arguments.next()),
            _ => below.push(argument),
        }
    }
    if below.is_empty() {
        below.push(String::new());
    }
    let (below, without): (Vec<_>, Vec<_>) = (borrowed(&below), borrowed(&without));
    let begun = Instant::now();
    let set = load::load(Path::new(&root), &below, &without);
    let loaded = begun.elapsed();
    let compiled = run::compile(&set);
    println!("{}", json!({"modules": set.texts.len(), "load_ms": loaded.as_millis(), "check_ms": begun.elapsed().as_millis()}));
    let program = match compiled {
        Ok(program) => program,
        Err(refused) => return run::errors(&refused).iter().for_each(|error| println!("{}", json!({"error": error}))),
    };
    if what == "test" {
        for (name, verdict) in run::tests(&program, &set.data) {
            let error = if let Verdict::Error(error) = &verdict { Some(error) } else { None };
            println!("{}", json!({"test": name, "verdict": verdict.name(), "error": error}));
        }
        println!("{}", json!({"test_ms": begun.elapsed().as_millis()}));
    }
}

fn borrowed(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}
