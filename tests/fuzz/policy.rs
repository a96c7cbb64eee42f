//! Policy text: parsed, accepted, compiled; then its packages are evaluated for a moment.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use plimsoll::rego::{Document, EvalError, Limits, Module, Program, RegoVersion, Value};

use super::findings::watched;

/// Of the processor: the evaluator looks at the clock every thousand steps. Without optimisation.
const EVALUATING: Duration = Duration::from_secs(4);
/// Of the processor: the 10 s after which compiling a small set is ended (`src/rego/limits/compiling.rs`), and 2 s for the stage under
/// way then.
const COMPILING: Duration = Duration::from_secs(12);
/// Between the modules of one input.
const BETWEEN: &str = "\n####\n";

/// What policies may read: some of it is there, some is of another shape than they think.
const DATA: &str = r#"{"kubernetes": {"clusters": {
    "berlin": {"metadata": {"name": "berlin", "labels": {"region": "eu"}}, "status": {"ready": true, "cpu": 4}, "n": [1, 2, 3]},
    "oregon": {"metadata": {"name": "oregon"}, "status": null, "n": []}}},
    "a": {"b": {"c": [1, 2.5, -3, "x", null, true, {"y": []}]}}, "b": "text", "list": ["b", "a", "b"], "n": 7}"#;
const INPUT: &str = r#"{"kind": "ReplicaSet", "list": ["b", "a", "b"], "a": 1, "n": 3, "s": "a.b,c", "x": {"y": {"z": [1, "2"]}},
    "request": {"kind": {"kind": "Deployment"}, "object": {"metadata": {"name": "w", "annotations": {}}, "spec": {"replicas": 3}}}}"#;

/// Builtins that answer otherwise each time.
const CHANGING: [&str; 4] = ["now_ns", "rand", "uuid", "runtime"];

static DOCUMENTS: LazyLock<(Value, Value)> =
    LazyLock::new(|| (Value::from_json(DATA.as_bytes()).unwrap(), Value::from_json(INPUT.as_bytes()).unwrap()));

/// One input: modules, with a line of four hashes between them.
pub(super) fn run(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    let texts = text.split(BETWEEN).enumerate();
    let modules: Vec<_> = texts.map(|(at, text)| Module { key: format!("{at}.rego"), text: text.into() }).collect();
    watched(|| {
        let as_found = compiled(&modules, RegoVersion::Auto);
        // What is Rego v1 may have been meant as v0; what is not was read as v0 already.
        if as_found.is_some_and(|program| program.versions().values().any(|version| version == "v1")) {
            compiled(&modules, RegoVersion::V0);
        }
    });
}

fn compiled(modules: &[Module], version: RegoVersion) -> Option<Arc<Program>> {
    match within(COMPILING, "compiling", || Program::compile(modules, version)) {
        Ok(program) => {
            let program = Arc::new(program);
            evaluated(modules, version, &program);
            Some(program)
        }
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason");
            for error in errors {
                let place = &error.location;
                let known = place.file.is_empty() || modules.iter().any(|module| module.key == place.file);
                assert!(known, "an error in a file that nobody gave: {error:?}");
            }
            None
        }
    }
}

fn evaluated(modules: &[Module], version: RegoVersion, program: &Arc<Program>) {
    let (data, input) = &*DOCUMENTS;
    let prepared = program.prepare(data.clone()).expect("the data is an object");
    let limits = Limits { time: Duration::from_millis(8), output: 64 << 10, ..Limits::default() };
    let constant = !modules.iter().any(|module| CHANGING.iter().any(|name| module.text.contains(name)));
    // Of several, all at once: each alone would cost as much again.
    let package = match modules {
        [module] => module.package(version).expect("what compiles has a package"),
        _ => Vec::new(),
    };
    let ask = || prepared.document(&package, Some(input), &limits);
    let (once, twice) = (within(EVALUATING, "evaluating", ask), within(EVALUATING, "evaluating", ask));
    assert!(!constant || same(&once, &twice), "one question, two answers: {once:?} and {twice:?}");
}

/// Fails if work takes more of the processor than that: on a loaded machine it may take longer all the same.
fn within<T>(most: Duration, what: &str, work: impl FnOnce() -> T) -> T {
    let before = processor();
    let done = work();
    let took = processor().saturating_sub(before);
    assert!(took <= most, "{what} took {took:?} of the processor, {most:?} at the most");
    done
}

/// Time on the processor of this thread, as the kernel counts it.
fn processor() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|time| time.parse().ok()).map_or(Duration::ZERO, Duration::from_nanos)
}

/// What was cut off by a limit may come further another time.
fn same(once: &Result<Option<Document>, EvalError>, twice: &Result<Option<Document>, EvalError>) -> bool {
    match (once, twice) {
        (Err(EvalError::Limit { .. }), _) | (_, Err(EvalError::Limit { .. })) => true,
        (Ok(once), Ok(twice)) => once == twice,
        (Err(once), Err(twice)) => once.to_string() == twice.to_string(),
        _ => false,
    }
}
