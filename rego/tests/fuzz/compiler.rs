//! Sets of modules are compiled: a program, or errors in texts that somebody gave.

use std::sync::Arc;

use plimsoll_rego::compile::Options;
use plimsoll_rego::program::{Program, Text};

/// Between the modules of one input.
const BETWEEN: &str = "\n####\n";

/// One input.
pub(crate) fn run(input: &[u8]) {
    for prints in [false, true] {
        drop(compiled(input, &Options { prints, strict: prints, test_tracing: prints, ..Options::default() }));
    }
}

/// What is compiled of an input.
pub(crate) fn compiled(input: &[u8], options: &Options) -> Option<Arc<Program>> {
    let all = str::from_utf8(input).ok()?;
    let text = |(at, text): (usize, &str)| Text { name: format!("{at}.rego"), text: text.to_owned(), version: None };
    let texts: Vec<_> = all.split(BETWEEN).enumerate().map(text).collect();
    match Program::compile(&texts, options) {
        Ok(program) => Some(Arc::new(program)),
        Err(refused) => {
            assert!(refused.errors.iter().next().is_some(), "refused without a reason");
            for error in refused.errors.iter() {
                let source = refused.sources.get(error.span().source).expect("an error in a text that nobody gave");
                let _ = (source.position(error.span().start), source.slice(error.span()));
            }
            None
        }
    }
}
