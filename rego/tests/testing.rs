//! Tests of small sets and their coverage, as OPA 1.22 has said: `testing/sets.yaml` and `testing/coverage.yaml`, with the answers
//! beside them as JSON (`tools/testing/record.py`).

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod testing {
    mod judge;
    mod set;

    use serde_json::{Value as Json, json};

    use plimsoll_rego::program::Request;
    use plimsoll_rego::testing::coverage::Coverage;
    use plimsoll_rego::testing::{self, Run, Test, Verdict};

    use judge::judge_by;

    #[test]
    fn tests_end_as_in_opa() {
        judge_by("sets", "rego/tests/testing/sets", 25, |set| {
            let bound = set.bound();
            let tests = testing::tests(bound.program());
            Json::from_iter(tests.iter().map(|test| shown(test, testing::run_test(&bound, test, &Request::default()))))
        });
    }

    #[test]
    fn what_is_covered_is_what_opa_covers() {
        judge_by("coverage", "rego/tests/testing/coverage", 15, |set| {
            let bound = set.bound();
            let mut coverage = Coverage::default();
            match &set.query {
                Some(query) => {
                    let input = set.input();
                    let request = Request { input: input.as_ref(), ..Request::default() };
                    let path: Vec<_> = query.split('.').skip(1).map(Into::into).collect();
                    // What is covered up to an error counts.
                    let _ = coverage.ask(&bound, &path, &request);
                }
                None => testing::tests(bound.program()).iter().for_each(|test| {
                    let run = coverage.run_test(&bound, test, &Request::default());
                    assert_eq!(run.verdict, Verdict::Pass, "{test}");
                }),
            }
            serde_json::to_value(coverage.report(bound.program())).unwrap()
        });
    }

    /// As `opa test --format json` has it, with prints as text.
    fn shown(test: &Test, run: Run) -> Json {
        let mut shown = json!({"location": test.location, "package": test.package, "name": test.name});
        let mut set = |key: &str, value: Json| _ = shown.as_object_mut().unwrap().insert(key.to_owned(), value);
        match run.verdict {
            Verdict::Pass => {}
            Verdict::Fail => set("fail", true.into()),
            Verdict::Skip => set("skip", true.into()),
            Verdict::Error(error) => set("error", serde_json::to_value(error).unwrap()),
        }
        if !run.prints.is_empty() {
            set("output", run.prints.iter().map(|line| format!("{}\n", line.text)).collect::<String>().into());
        }
        if !run.cases.is_empty() {
            set("sub_results", serde_json::to_value(run.cases).unwrap());
        }
        shown
    }
}
