//! Prints the modules of files as the compiler leaves them: `cargo run -p plimsoll-rego --example compiled -- FILE…`.

#![allow(clippy::print_stdout, reason = "it prints an answer")]

use plimsoll_rego::program::{Program, Text};
use plimsoll_rego::syntax::print;

fn main() {
    let read = |name: String| Text { text: std::fs::read_to_string(&name).unwrap_or_default(), name, version: None };
    let texts: Vec<_> = std::env::args().skip(1).map(read).collect();
    match Program::compile(&texts, &Default::default()) {
        Ok(program) => program.compiled().modules.iter().for_each(|module| println!("{}", print::module(module))),
        Err(refused) => refused.errors.iter().for_each(|error| println!("{error} {:?}", error.span())),
    }
}
