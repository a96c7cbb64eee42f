//! What OPA 1.22 says of modules when it compiles them: `check/*.jsonl`, one case in each line. `snippets` are those of OPA's own tests,
//! `mutants` are its conformance cases with something changed; both say which errors OPA finds, as `file:row:column: code: message` and
//! the lines that explain it. `bodies` are modules that compile, with the bodies of their rules after OPA's last stage: the order in
//! which they are evaluated.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod check {
    use std::path::Path;
    use std::sync::Arc;

    use plimsoll_rego::compile::{Compiled, Options, compile};
    use plimsoll_rego::error::Error;
    use plimsoll_rego::syntax::source::{Source, Sources};
    use plimsoll_rego::syntax::tree::{Rule, Version};
    use plimsoll_rego::syntax::{parse, print};
    use serde::Deserialize;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Case {
        note: String,
        /// 0 or 1.
        version: u8,
        #[serde(default)]
        strict: bool,
        /// Their names are `m0.rego`, `m1.rego` …
        modules: Vec<String>,
        #[serde(default)]
        errors: Vec<String>,
        #[serde(default)]
        bodies: Vec<String>,
    }

    #[test]
    fn errors_of_opas_own_tests() {
        run("snippets", 250);
    }

    #[test]
    fn errors_of_mutants() {
        run("mutants", 1_200);
    }

    #[test]
    fn orders_of_bodies() {
        run("bodies", 400);
    }

    /// Runs a file on threads that are large enough for anything in it.
    fn run(name: &str, least: usize) {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/check/{name}.jsonl"));
        let text = std::fs::read_to_string(file).unwrap();
        let cases: Vec<Case> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(cases.len() >= least, "{} cases", cases.len());
        let wrong: Vec<String> = cases.iter().filter_map(differs).collect();
        assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    }

    fn differs(case: &Case) -> Option<String> {
        let (errors, bodies) = match compiled(case) {
            Ok(set) => (Vec::new(), bodies(&set)),
            Err(errors) => (errors, Vec::new()),
        };
        let mut wanted = case.errors.clone();
        wanted.sort();
        // Where nothing is wrong, the bodies are what counts.
        let same = errors == wanted && (!errors.is_empty() || bodies == case.bodies);
        (!same).then(|| {
            let modules = case.modules.join("\n---\n");
            format!("== {}\n{modules}\nopa:  {wanted:?} {:?}\nours: {errors:?} {bodies:?}", case.note, case.bodies)
        })
    }

    fn compiled(case: &Case) -> Result<Compiled, Vec<String>> {
        let version = if case.version == 0 { Version::V0 } else { Version::V1 };
        let mut sources = Sources::default();
        let ids: Vec<_> =
            case.modules.iter().enumerate().map(|(at, text)| sources.add(Source::new(&format!("m{at}.rego"), text))).collect();
        let parsed = ids.iter().map(|id| parse::parse_module(sources.get(*id).unwrap(), *id, &parse::Options::of(version)));
        let modules: Result<Vec<_>, _> = parsed.collect();
        let sources = Arc::new(sources);
        let options = Options { strict: case.strict, ..Options::default() };
        let set = modules.and_then(|modules| compile(Arc::clone(&sources), modules, &options));
        set.map_err(|errors| {
            let mut said: Vec<String> = errors.iter().map(|error| told(&sources, error)).collect();
            said.sort();
            said
        })
    }

    fn told(sources: &Sources, error: &Error) -> String {
        let source = sources.get(error.span().source).unwrap();
        let position = source.position(error.span().start);
        let place = format!("{}:{}:{}", source.name, position.row, position.col);
        let first = format!("{place}: {}: {}", error.code().as_str(), error.message());
        std::iter::once(first).chain(error.details().iter().cloned()).collect::<Vec<_>>().join("\n")
    }

    fn bodies(set: &Compiled) -> Vec<String> {
        let rules = set.modules.iter().flat_map(|module| &module.rules);
        let all = rules.flat_map(|rule| std::iter::successors(Some(rule), |rule: &&Rule| rule.otherwise.as_deref()));
        all.map(|rule| print::body(&rule.body)).collect()
    }
}
