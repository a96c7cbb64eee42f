//! `explain MODE QUERY INPUT DATA MODULE...`: how a query is evaluated, as `opa eval --explain MODE --format pretty` says it. INPUT
//! and DATA are JSON files, `-` for none.

use std::sync::Arc;

use plimsoll_rego::compile::Options;
use plimsoll_rego::program::{Asked, Program, Query, Request, Text};
use plimsoll_rego::trace::{self, Explain};
use plimsoll_rego::value::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().ok_or("explain MODE QUERY INPUT DATA MODULE...");
    let (mode, query, input, data) = (next()?, next()?, next()?, next()?);
    let read = |path: &str| -> Result<Option<Value>, Box<dyn std::error::Error>> {
        if path == "-" { Ok(None) } else { Ok(Some(json::read(&std::fs::read(path)?, 1_000)?)) }
    };
    let text = |name: String| std::fs::read_to_string(&name).map(|text| Text { name, text, version: None });
    let texts = args.map(text).collect::<Result<Vec<_>, _>>()?;
    let options = Options { prints: true, ..Options::default() };
    let program = Arc::new(Program::compile(&texts, &options).map_err(|refused| refused.errors)?);
    let query = Query::compile(&program, &Asked::new(query))?;
    let (input, data) = (read(&input)?, read(&data)?.unwrap_or_else(|| Value::object([])));
    let request = Request { input: input.as_ref(), ..Request::default() };
    let explain = Explain::of(&mode).ok_or("a mode is notes, fails, full or debug")?;
    let (trace, rows) = query.explain(&data, &request, explain);
    #[allow(clippy::print_stdout, reason = "that is what it is for")]
    {
        print!("{}", trace::pretty(&trace.events));
    }
    rows?;
    Ok(())
}
