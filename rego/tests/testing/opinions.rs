//! What regorus makes of the same tests: pinned, since it is one version of it. `opinions.json` has what it does not agree with.

use serde_json::{Map, Value as Json};

use plimsoll_rego::limits::Limits;
use plimsoll_rego::program::Request;
use plimsoll_rego::testing::second_opinion::{Opinion, SecondOpinion};
use plimsoll_rego::testing::{run_test, tests};

use super::judge::judge_by;
use super::set::Set;

#[test]
fn regorus_agrees_but_for_what_is_known() {
    judge_by("sets", "opinions", 25, opinions);
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
