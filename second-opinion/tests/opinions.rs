//! What regorus makes of the tests of `rego/tests/testing`: pinned, since it is one version of it. `opinions/sets.json` has what it does not
//! agree with.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod opinions {
    #[path = "../../../rego/tests/testing/judge.rs"]
    mod judge;
    #[allow(dead_code, reason = "nothing is queried here")]
    #[path = "../../../rego/tests/testing/set.rs"]
    mod set;

    use serde_json::{Map, Value as Json};

    use plimsoll_rego::limits::Limits;
    use plimsoll_rego::program::Request;
    use plimsoll_rego::testing::{run_test, tests};
    use plimsoll_second_opinion::{Opinion, SecondOpinion};

    use judge::judge_by;
    use set::Set;

    #[test]
    fn regorus_agrees_but_for_what_is_known() {
        judge_by("sets", "second-opinion/tests/opinions/sets", 25, opinions);
    }

    /// Of tests by name what regorus says otherwise, or what it refuses.
    fn opinions(set: &Set) -> Json {
        let bound = set.bound();
        let opinion = match SecondOpinion::new(bound.program(), bound.data(), Limits::default().time) {
            Ok(opinion) => opinion,
            Err(refused) => return refused.into(),
        };
        let others = tests(bound.program()).into_iter().filter_map(|test| {
            let run = run_test(&bound, &test, &Request::default());
            match opinion.of(&test, run.verdict.passed(), &run.cases) {
                Opinion::Agrees => None,
                Opinion::Differs(how) => Some((test.to_string(), how.into())),
                Opinion::Unasked(why) => Some((test.to_string(), format!("unasked: {why}").into())),
            }
        });
        Json::Object(Map::from_iter(others))
    }
}
