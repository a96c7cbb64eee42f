//! OPA's own conformance cases, run through our Rego: each must pass, or be listed by name with a reason in
//! `tests/conformance/expected.yaml`. The list is exact: a case that begins to pass, or to fail, fails the test.
//!
//! The cases are not copied into this repository: they are read from the OPA Go module that `tests/tools/build` builds OPA
//! from. Without it the test says that it is skipped and passes; with `PLIMSOLL_E2E=required`, as in CI, it fails instead.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod conformance {
    mod cases;
    mod expected;
    mod json;
    mod run;

    use std::collections::BTreeMap;

    use run::Verdict;

    #[test]
    fn opas_own_cases_pass_or_are_listed() {
        let Some(folder) = cases::folder() else { return };
        let mut cases = cases::load(&folder);
        assert!(cases.len() > 4000, "only {} cases in {}", cases.len(), folder.display());
        // By hand, only some folders.
        if let Ok(topics) = std::env::var("CONFORMANCE_TOPICS") {
            cases.retain(|case| topics.split(',').any(|topic| case.folder.contains(topic)));
        }
        let verdicts = run::all(&cases);
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (case, verdict) in cases.iter().zip(&verdicts) {
            *counts.entry((&case.version, verdict.name())).or_default() += 1;
        }
        #[allow(clippy::print_stdout, reason = "the figures are the point of the test")]
        {
            println!("conformance: {counts:?}");
        }
        if let Ok(to) = std::env::var("CONFORMANCE_DUMP") {
            std::fs::write(to, dump(&cases, &verdicts)).unwrap();
        }
        let list = expected::List::read();
        if let Ok(to) = std::env::var("CONFORMANCE_LIST") {
            std::fs::write(to, list.renewed(&cases, &verdicts)).unwrap();
            return;
        }
        let problems = list.compare(&cases, &verdicts);
        assert!(problems.is_empty(), "{} cases are not as listed:\n{}", problems.len(), problems.join("\n"));
    }

    /// Every case that does not pass, one a line.
    fn dump(cases: &[cases::Case], verdicts: &[Verdict]) -> String {
        let failing = cases.iter().zip(verdicts).filter(|(_, verdict)| !matches!(verdict, Verdict::Pass));
        failing.map(|(case, verdict)| format!("{}\t{}\t{}\t{verdict}\n", case.version, case.folder, case.note)).collect()
    }
}
