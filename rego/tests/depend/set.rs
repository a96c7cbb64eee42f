//! Sets of modules.

use std::sync::Arc;

use plimsoll_rego::compile::Options;
use plimsoll_rego::depend::{Dependencies, PathSet, Reads, Root};
use plimsoll_rego::program::{Program, Text};
use plimsoll_rego::value::Value;

/// Compiles modules.
pub(super) fn compiled(texts: &[&str]) -> Result<Arc<Program>, String> {
    let texts: Vec<_> = texts.iter().enumerate().map(|(index, text)| named(format!("{index}.rego"), text)).collect();
    match Program::compile(&texts, &Options::default()) {
        Ok(program) => Ok(Arc::new(program)),
        Err(refused) => Err(format!("{:?}", refused.errors)),
    }
}

fn named(name: String, text: &str) -> Text {
    Text { name, text: text.to_owned(), version: None }
}

/// What a path below `data` reads.
pub(super) fn reads(program: &Program, path: &str) -> Reads {
    let path: Vec<_> = path.split('.').skip(1).map(Value::from).collect();
    Dependencies::of(program.policy()).entry(program.policy(), &path)
}

/// As lines: `input.a.b whole`.
pub(super) fn shown(reads: &Reads) -> Vec<String> {
    let lines = |root: &str, set: &PathSet| {
        let line = |(path, part): (Vec<_>, _)| {
            let steps: String = path.iter().map(ToString::to_string).collect();
            format!("{root}{steps} {part}")
        };
        set.paths().into_iter().map(line).collect::<Vec<_>>()
    };
    [lines("input", &reads.input), lines("data", &reads.data)].concat()
}

/// What is read whole, and by which texts.
pub(super) fn causes<'p>(program: &'p Program, reads: &Reads) -> Vec<(Root, &'p str)> {
    let text = |span: plimsoll_rego::syntax::span::Span| {
        let source = program.sources().get(span.source).unwrap();
        &source.text[span.start as usize..span.end as usize]
    };
    reads.whole.iter().map(|(root, span)| (*root, text(*span))).collect()
}
