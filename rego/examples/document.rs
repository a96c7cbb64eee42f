//! Evaluates a document: `cargo run -p plimsoll-rego --example document -- data.a.b FILE… [--input JSON]`.

use std::sync::Arc;

use plimsoll_rego::program::{Program, Request, Text};
use plimsoll_rego::value::{Value, json};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "data".to_owned());
    let (mut texts, mut input) = (Vec::new(), None);
    while let Some(argument) = arguments.next() {
        if argument == "--input" {
            let text = arguments.next().unwrap_or_default();
            input = json::read(text.as_bytes(), 128).ok();
            continue;
        }
        let text = std::fs::read_to_string(&argument).unwrap_or_default();
        texts.push(Text { name: argument, text, version: None });
    }
    let program = match Program::compile(&texts, &Default::default()) {
        Ok(program) => Arc::new(program),
        Err(refused) => return refused.errors.iter().for_each(|error| println!("{error}")),
    };
    let path: Vec<_> = path.split('.').skip(1).map(Value::from).collect();
    let bound = program.bind(Value::object([]));
    match bound.document(&path, &Request { input: input.as_ref(), ..Request::default() }) {
        Ok(Some(value)) => println!("{value}"),
        Ok(None) => println!("undefined"),
        Err(error) => println!("{error}"),
    }
}
