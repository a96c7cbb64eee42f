//! OPA's own conformance cases: each must pass, or be listed by name with a reason in `conformance/expected.yaml`. The list is
//! exact: a case that begins to pass, or to fail, fails the test. So do figures in `docs/rego.md` that are not those counted here.
//!
//! The cases are not copied into this repository: they are read from the OPA Go module that `tests/tools/build` builds OPA
//! from. Without it the test says that it is skipped and passes; with `PLIMSOLL_E2E=required`, as in CI, it fails instead.
//!
//! By hand: `CONFORMANCE_TOPICS=with,sets` runs folders whose names have one of these in them, `CONFORMANCE_DUMP=file` writes what
//! does not pass, one a line, grouped by cause; `CONFORMANCE_LIST=file` writes the list anew.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod conformance {
    mod cases;
    mod causes;
    mod documented;
    mod engine;
    mod expected;
    mod judge;
    mod run;
    mod traced;
    mod yaml;

    use std::collections::BTreeMap;

    #[test]
    fn opas_own_cases_pass_or_are_listed() {
        let Some(folder) = cases::folder() else { return };
        let mut cases = cases::load(&folder);
        assert!(cases.len() > 4000, "only {} cases in {}", cases.len(), folder.display());
        let topics = std::env::var("CONFORMANCE_TOPICS").ok();
        if let Some(topics) = &topics {
            cases.retain(|case| topics.split(',').any(|topic| case.folder.contains(topic)));
        }
        let verdicts = run::all(&engine::Rego, &cases);
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (case, verdict) in cases.iter().zip(&verdicts) {
            *counts.entry((case.version.name(), verdict.name())).or_default() += 1;
        }
        #[allow(clippy::print_stdout, reason = "the figures are the point of the test")]
        {
            println!("conformance: {counts:?}");
        }
        if let Ok(to) = std::env::var("CONFORMANCE_DUMP") {
            std::fs::write(to, causes::grouped(&cases, &verdicts)).unwrap();
        }
        let list = expected::List::read();
        if let Ok(to) = std::env::var("CONFORMANCE_LIST") {
            std::fs::write(to, list.renewed(&cases, &verdicts)).unwrap();
            return;
        }
        let mut problems = list.compare(&cases, &verdicts);
        if topics.is_none() {
            problems.extend(documented::compare(&verdicts));
        }
        assert!(problems.is_empty(), "{} things are not as they are said to be:\n{}", problems.len(), problems.join("\n"));
    }
}
