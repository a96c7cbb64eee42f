//! What is told of a denial beside its message.

use serde_json::{Value as Json, json};

use super::federation::{CONTROLLER, Federation, SIDECAR, TENANT, replica_set};
use crate::decision::Config;
use crate::server::review::judge::Judge;

const POLICY: &str = r#"
package kubernetes.placement

near := {name: {} | some name, c in data.kubernetes.clusters; is_near(c)}

is_near(c) if c.metadata.labels.region == input.metadata.labels.region

placement := {"clusters": near}

# METADATA
# title: Closed regions
errors contains "nobody may go there" if input.metadata.labels.region == "closed"

errors contains "nobody at all" if input.metadata.labels.region == "closed"

rejected[name] := "too far" if {
	input.metadata.labels.region == "far"
	some name, _ in data.kubernetes.clusters
}
"#;

fn placing() -> Federation {
    let federation = Federation::with(Config { sidecars: [SIDECAR.to_owned()].into(), ..Config::default() });
    federation.policy(POLICY);
    federation
}

fn warnings(federation: &Federation, judge: Judge, object: &Json) -> Vec<String> {
    federation.judged(judge, &Federation::review(TENANT, object, None)).warnings
}

#[test]
fn a_denial_names_the_rule_that_says_it() {
    let object = replica_set("closed", &json!({}));
    let said = ["\"nobody at all\": said by p.rego:14:1", "\"nobody may go there\": said by p.rego:12:1, \"Closed regions\""];
    for judge in [Judge::Mutate, Judge::Validate] {
        let federation = placing();
        assert_eq!(warnings(&federation, judge, &object), said, "{judge:?}");
    }
    let federation = placing();
    let denied = federation.write(TENANT, &object, None).unwrap_err();
    assert_eq!(denied.message, "reason(s): nobody at all; nobody may go there");
}

#[test]
fn what_may_run_nowhere_is_told_what_keeps_it_out_unless_policy_says_it() {
    let federation = placing();
    let mut told = warnings(&federation, Judge::Mutate, &replica_set("mars", &json!({})));
    assert!(told.remove(0).contains("will run nowhere"), "{told:?}");
    let start = ["cluster e1: fails at p.rego:4:", "cluster u1: fails at p.rego:4:"];
    assert!(told.len() == 2 && told.iter().zip(start).all(|(text, start)| text.starts_with(start)), "{told:?}");
    let far = warnings(&federation, Judge::Mutate, &replica_set("far", &json!({})));
    assert!(far.len() == 1 && far[0].contains("e1: too far"), "{far:?}");
}

#[test]
fn who_shows_no_warnings_is_told_nothing() {
    let federation = placing();
    for user in [CONTROLLER, SIDECAR] {
        let review = Federation::review(user, &replica_set("closed", &json!({})), None);
        assert!(federation.judged(Judge::Mutate, &review).warnings.is_empty(), "{user}");
    }
    federation.policy(&format!("{POLICY}\n# {}", "x".repeat(300 << 10)));
    assert!(warnings(&federation, Judge::Mutate, &replica_set("closed", &json!({}))).is_empty(), "that would take too long");
}
