//! Evaluates a document, perhaps many times:
//! `cargo run -p plimsoll-rego --example document -- data.a.b FILE… [--input FILE] [--data FILE] [--count N] [--keep]`: kept is what depends on
//! data alone, as the engine does.

#![allow(clippy::print_stdout, reason = "it prints an answer")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use plimsoll_rego::limits::Limits;
use plimsoll_rego::program::{Program, Request, Text};
use plimsoll_rego::value::{Value, json};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "data".to_owned());
    let (mut texts, mut input, mut data, mut count, mut keep) = (Vec::new(), None, Value::object([]), 1_u32, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--input" => input = arguments.next().and_then(|name| read(&name)),
            "--data" => data = arguments.next().and_then(|name| read(&name)).unwrap_or(data),
            "--count" => count = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(count),
            "--keep" => keep = true,
            name => texts.push(Text { text: std::fs::read_to_string(name).unwrap_or_default(), name: argument, version: None }),
        }
    }
    let begun = Instant::now();
    let program = match Program::compile(&texts, &Default::default()) {
        Ok(program) => Arc::new(program),
        Err(refused) => return refused.errors.iter().for_each(|error| println!("{error}")),
    };
    let compiled = begun.elapsed();
    let path: Vec<_> = path.split('.').skip(1).map(Value::from).collect();
    let bound = if keep { program.bind(data).keeping() } else { program.bind(data) };
    let request = Request { input: input.as_ref(), ..Request::default() };
    match bound.document(&path, &request) {
        Ok(Some(value)) => println!("{}", json::write(&value, usize::MAX).unwrap_or_else(|error| error.to_string())),
        Ok(None) => println!("undefined"),
        Err(error) => println!("{error}"),
    }
    if count > 1 {
        bound.prepare_wanted(Limits::default);
        let begun = Instant::now();
        for _ in 0..count {
            drop(black_box(bound.document(&path, &request)));
        }
        println!("compiled in {compiled:?}; evaluated in {:?} each", begun.elapsed() / count);
    }
}

fn read(name: &str) -> Option<Value> {
    json::read(&std::fs::read(name).ok()?, 128).ok()
}
