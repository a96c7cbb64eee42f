//! Compiling takes time in proportion to the text, whatever nests in it, and fits on a small stack.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_rego::compile::{Compiler, Options, STAGES};
use plimsoll_rego::syntax::parse;
use plimsoll_rego::syntax::source::{Source, Sources};
use plimsoll_rego::syntax::stack::with_depth;
use plimsoll_rego::syntax::tree::Version;

/// Inference has tests of its own.
const MEASURED_ELSEWHERE: &[&str] = &["CheckTypes"];

/// Parses, compiles and drops a module; the time that the stages took, without those that others measure.
fn compile(text: &str) -> Duration {
    let mut sources = Sources::default();
    let id = sources.add(Source::new("0.rego", text));
    let module = parse::parse_module(sources.get(id).unwrap(), id, &parse::Options::of(Version::V1)).unwrap();
    with_depth(module.depth.saturating_mul(3), || {
        let mut compiler = Compiler::new(Arc::new(sources), vec![module], Options::default());
        let mut took = Duration::ZERO;
        for stage in STAGES {
            let begun = Instant::now();
            (stage.run)(&mut compiler);
            took += if MEASURED_ELSEWHERE.contains(&stage.name) { Duration::ZERO } else { begun.elapsed() };
        }
        assert!(!compiler.findings.stopped());
        took
    })
}

/// Four times as much takes no more than eight times as long: the best of some runs, above what a clock can tell.
fn linear(what: &str, make: impl Fn(usize) -> String, size: usize) {
    let best = |size| (0..3).map(|_| compile(&make(size))).min().unwrap();
    let (small, large) = (best(size), best(size.saturating_mul(4)));
    assert!(large < small.saturating_mul(8).max(Duration::from_millis(20)), "{what}: {small:?}, then {large:?}");
}

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("package a\n\nr if {{\n\t{}{inner}{}\n}}\n", open.repeat(depth), close.repeat(depth))
}

#[test]
#[ignore = "a measurement: run it on an idle machine"]
fn long_and_deep_texts_take_time_in_proportion() {
    linear(
        "rules",
        |n| {
            format!(
                "package a\n\n{}",
                (0..n)
                    .map(|i| format!("r{i} := x if {{ x := f{i}(input.x) }}\n\nf{i}(y) := [y, r0]\n\n").replace("r0]", "1]"))
                    .collect::<String>()
            )
        },
        250,
    );
    linear(
        "expressions",
        |n| {
            format!(
                "package a\n\nr if {{\n{}}}\n",
                (0..n).map(|i| format!("\tx{i} := count(input.x{i})\n\tx{i} > 0\n")).collect::<String>()
            )
        },
        250,
    );
    linear("arrays", |n| nested("[", "input.x", "]", n), 100);
    linear("comprehensions", |n| nested("[x | x := ", "1", "]", n), 50);
    linear("calls", |n| nested("count([", "input.x", "])", n), 50);
    linear("calls in heads of comprehensions", |n| nested("count([", "1", " | input.x])", n), 25);
    linear("every", |n| nested("every x in [1] { x == 1; ", "true", "}", n), 25);
}

#[test]
fn what_nests_deep_fits_on_a_small_stack() {
    let run = || {
        for (open, inner, close) in
            [("[", "1", "]"), ("{\"a\": ", "input.x", "}"), ("[x | x := ", "1", "]"), ("count([", "1", "])")]
        {
            compile(&nested(open, inner, close, 1_500));
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}
