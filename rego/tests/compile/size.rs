//! Compiling takes work in proportion to the text, whatever is long or nests in it, and fits on a small stack.

use std::collections::BTreeSet;
use std::sync::Arc;

use allocation_counter::measure;
use plimsoll_rego::compile::{Compiler, Options, STAGES, compile, lower};
use plimsoll_rego::program::{Program, Text};
use plimsoll_rego::syntax::source::{Source, Sources};
use plimsoll_rego::syntax::stack::with_depth;
use plimsoll_rego::syntax::tree::Version;
use plimsoll_rego::syntax::{parse, steps};

use super::{constructs, show};

/// How many of a construct there are at first; then twice, and four times as many.
const SIZE: usize = 100;

/// How much more work twice as much may be, and how much hash tables may add: they grow by leaps.
const GROWTH: f64 = 2.2;
const SLACK: f64 = 60_000.0;

/// What was done: nodes visited and bytes allocated.
#[derive(Clone, Copy, Debug)]
struct Work {
    steps: u64,
    bytes: u64,
}

fn work<T>(run: impl FnOnce() -> T) -> (T, Work) {
    let (mut answer, before) = (None, steps::taken());
    let allocated = measure(|| answer = Some(run()));
    (answer.unwrap(), Work { steps: steps::taken() - before, bytes: allocated.bytes_total })
}

/// Parses and compiles modules, and says what each stage did.
fn stages(texts: &[String]) -> Vec<(&'static str, Work)> {
    let mut sources = Sources::default();
    let options = parse::Options::of(Version::V1);
    let (modules, parsed) = work(|| {
        let modules = texts.iter().enumerate().map(|(index, text)| {
            let id = sources.add(Source::new(&format!("{index:05}.rego"), text));
            parse::parse_module(sources.get(id).unwrap(), id, &options).unwrap()
        });
        modules.collect::<Vec<_>>()
    });
    let depth = modules.iter().map(|module| module.depth).max().unwrap();
    with_depth(depth.saturating_mul(3), move || {
        let mut compiler = Compiler::new(Arc::new(sources), modules, Options::default());
        let mut all = vec![("parse", parsed)];
        for stage in STAGES {
            all.push((stage.name, work(|| (stage.run)(&mut compiler)).1));
            assert!(!compiler.findings.stopped(), "{}", stage.name);
        }
        let lowered = work(|| lower::policy(&compiler.modules, Arc::clone(&compiler.sources), compiler.arity()));
        all.push(("lower", lowered.1));
        all
    })
}

#[test]
fn twice_as_much_of_a_construct_is_twice_the_work() {
    let mut more = Vec::new();
    for (name, make) in constructs::ALL {
        let [small, medium, large] = [1, 2, 4].map(|times| stages(&make(SIZE * times)));
        for (((stage, a), (_, b)), (_, c)) in small.iter().zip(&medium).zip(&large) {
            let grows = |a: u64, b: u64| b as f64 > a as f64 * GROWTH + SLACK;
            for (what, of) in [("steps", (|work: Work| work.steps * 16) as fn(Work) -> u64), ("bytes", |work| work.bytes)] {
                let [a, b, c] = [a, b, c].map(|work| of(*work));
                if grows(a, b) || grows(b, c) {
                    more.push(format!("{name}: {stage}, {what}: {a}, {b}, {c}"));
                }
            }
        }
    }
    assert!(more.is_empty(), "{}", more.join("\n"));
}

#[test]
fn what_nests_deep_fits_on_a_small_stack() {
    let run = || {
        for name in ["arrays", "objects", "array comprehensions", "calls"] {
            let (_, make) = constructs::ALL.iter().find(|(known, _)| *known == name).unwrap();
            let texts = make(1_500);
            stages(&texts);
            // A flat module beside it takes no room away.
            let texts = texts.into_iter().chain(["package flat\n\np := 1\n".to_owned()]).enumerate();
            let texts: Vec<Text> = texts.map(|(at, text)| Text { name: format!("{at}.rego"), text, version: None }).collect();
            Program::compile(&texts, &Options::default()).unwrap();
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}

/// The numbers of the names in a rule of so many comprehensions inside of each other, each with `every` in its head.
fn names_of_nested_every(levels: usize, innermost: &str) -> BTreeSet<usize> {
    let (mut whole, mut inner) = (String::new(), innermost.to_owned());
    for level in 1..=levels {
        whole = format!("[count([{level} | every v{level} in f(input.a) {{ v{level} > 0 }}]) | {inner}]");
        inner = format!("xs := {whole}; xs");
    }
    names(&format!("package t\n\nf(x) := [x]\n\np := {whole}\n"))
}

/// The numbers of the variables that the compiler has named in a module.
fn names(text: &str) -> BTreeSet<usize> {
    let mut sources = Sources::default();
    let id = sources.add(Source::new("0.rego", text));
    let module = parse::parse_module(sources.get(id).unwrap(), id, &parse::Options::of(Version::V1)).unwrap();
    let sources = Arc::new(sources);
    let set = compile(Arc::clone(&sources), vec![module], &Options::default()).unwrap();
    let text: String = set.modules.iter().flat_map(|module| &module.rules).map(|rule| show::rule(&sources, rule)).collect();
    text.split("__local").skip(1).filter_map(|rest| rest.split("__").next()?.parse().ok()).collect()
}

/// OPA flattens again what is flat already and makes nine names for each level. Here this ends at the sixth level.
#[test]
fn what_holds_every_is_flattened_again_so_often() {
    assert_eq!([1, 2, 5, 6, 7, 8].map(|levels| names_of_nested_every(levels, "input.x").len()), [10, 19, 46, 55, 63, 71]);
}

/// What is in the `with` of `every` is flattened again, too, and counts as a level: OPA makes one name more for five levels, and
/// nine more for each one around them.
#[test]
fn what_is_in_the_with_of_every_is_flattened_again_so_often() {
    let innermost = "every x in f(input.b) { x > 0 } with input as [1 | every y in f(input.c) { y > 0 } with input as \
                     [2 | every z in f(input.d) { z > 0 }]]";
    let last = |levels| names_of_nested_every(levels, innermost).last().copied();
    assert_eq!([1, 2, 3, 4, 5, 6, 7].map(last), [32, 41, 50, 59, 67, 71, 79].map(Some));
}

/// OPA binds such variables to what they stand in, and overflows its stack when it shows them.
#[test]
fn what_stands_in_its_own_value_is_refused() {
    for body in ["x = {x: 1}", "x = {1, x}", "x = [1, {x: 2}]", "[x, y] = [{y: 1}, {x: 2}]", "[x, y] = [{y: 1}, x]"] {
        let text = Text { name: "0.rego".to_owned(), text: format!("package t\n\np if {{ {body} }}\n"), version: None };
        let errors = Program::compile(&[text], &Options::default()).err().unwrap().errors;
        assert!(errors.to_string().contains("rego_unsafe_var_error: var x is unsafe"), "{body}: {errors}");
    }
}

/// OPA takes such a rule for a function where nothing is known of the types of its members. One error is enough.
#[test]
fn rules_with_members_are_not_called() {
    let text = "package t\n\nu() := input.i\n\np[x] := u() if some x in input.xs\n\nq := y + 1 if y := p()\n";
    let text = Text { name: "0.rego".to_owned(), text: text.to_owned(), version: None };
    let errors = Program::compile(&[text], &Options::default()).err().unwrap().errors;
    let said: Vec<_> = errors.iter().map(|error| (error.code().as_str(), error.message())).collect();
    assert_eq!(said, [("rego_type_error", "undefined function data.t.p")]);
}

/// OPA rewrites again what `every` in comprehensions holds, twice as often with each level. Here that ends behind the sixth level.
#[test]
fn what_every_holds_is_renamed_again_so_often() {
    let last = |levels: usize| {
        let inner = (0..levels)
            .fold("true".to_owned(), |inner, level| format!("count([1 | every x{level} in [1] {{ {inner}; x{level} }}]) >= 0"));
        names(&format!("package s\n\np if {{ {inner} }}\n")).last().copied()
    };
    // The mutant has 4, 76, 274, 533, 1048, 2075.
    assert_eq!([1, 5, 7, 8, 9, 10].map(last), [4, 76, 274, 531, 1028, 1963].map(Some));
}
