//! Policies in several styles.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::{cluster, explained, lines, workload};

fn fleet() -> Vec<Json> {
    vec![
        cluster("a", &json!({"region": "eu"}), &json!({"ready": true, "zones": ["a1", "a2"]})),
        cluster("b", &json!({"region": "us"}), &json!({"ready": true, "taint": "gpu"})),
        cluster("c", &json!({"region": "us"}), &json!({"ready": false})),
        cluster("d", &json!({}), &json!({"ready": true})),
    ]
}

fn said(policy: &str, cluster: &str) -> Vec<String> {
    let text = format!("package kubernetes.placement\n\n{policy}\n");
    let object = workload(&json!({"region": "eu"}));
    lines(&explained(&[("p.rego", &text)], &fleet(), &object), cluster)
}

const COMPREHENSION: &str = "placement := {\"clusters\": [name |
	some name, c in data.kubernetes.clusters
	c.spec.ready
	c.metadata.labels.region == input.metadata.labels.region
]}";

#[test]
fn all_conditions_that_fail_are_said() {
    assert_eq!(said(COMPREHENSION, "a"), ["data.kubernetes.placement.placement:3 holds"]);
    let region = "- c.metadata.labels.region == input.metadata.labels.region fails";
    assert_eq!(
        said(COMPREHENSION, "c"),
        [
            "data.kubernetes.placement.placement:3",
            "- c.spec.ready fails (c.spec.ready is false)",
            &format!("{region} (c.metadata.labels.region is \"us\") (input.metadata.labels.region is \"eu\")"),
        ]
    );
    assert_eq!(
        said(COMPREHENSION, "d"),
        ["data.kubernetes.placement.placement:3", &format!("{region} (input.metadata.labels.region is \"eu\")")]
    );
}

#[test]
fn the_shipped_policies_are_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("policies");
    let mut files = Vec::new();
    for file in
        ["lib/clusters.rego", "lib/placement.rego", "lib/rules.rego", "placement/compliance.rego", "placement/jurisdiction.rego"]
    {
        files.push((file, std::fs::read_to_string(folder.join(file)).unwrap()));
    }
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let mut object = workload(&json!({}));
    object["metadata"]["annotations"] = json!({"policy.plimsoll.io/jurisdiction": "eu"});
    let fleet = [
        cluster("dublin", &json!({}), &json!({"region": "eu-west-1"})),
        cluster("virginia", &json!({}), &json!({"region": "us-east-1"})),
    ];
    let why = explained(&files, &fleet, &object);
    assert_eq!(lines(&why, "dublin"), ["data.plimsoll.rules.chosen:17 holds"]);
    let virginia = [
        "data.plimsoll.rules.chosen:17",
        "- not is_rejected(name) fails (name is \"virginia\")",
        "  data.plimsoll.rules.is_rejected:22 holds",
        "  - some entry in reject holds",
        "    data.plimsoll.rules.reject:52 holds",
        "    - regions := jurisdictions[jurisdiction] holds",
        "    - some name, cluster in clusters.all holds",
        "    - not is_inside(regions, cluster) holds",
        "      data.plimsoll.rules.is_inside:60",
        "      - regions[lower(cluster.provider)][cluster.region] fails",
        "      data.plimsoll.rules.is_inside:62",
        "      - cluster.provider == \"\" holds",
        "      - regions[provider][cluster.region] fails",
        "    - reason := sprintf(\"region %q is outside %s\", [cluster.region, jurisdiction]) holds",
        "  - entry.cluster == name holds (entry.cluster is \"virginia\") (name is \"virginia\")",
    ];
    assert_eq!(lines(&why, "virginia"), virginia);
}

#[test]
fn functions_that_hold_are_said() {
    let policy = "placement := {\"clusters\": {name: {} |\n\tsome name, c in data.kubernetes.clusters\n\tnot f(c)\n}}\n\nf(c) if not c.spec.taint";
    let function = ["  data.kubernetes.placement.f:8 holds", "  - not c.spec.taint holds"];
    assert_eq!(said(policy, "a"), [&["data.kubernetes.placement.placement:3", "- not f(c) fails"][..], &function].concat());
}

#[test]
fn what_ranks_is_not_separable() {
    let policy = "ready := [name | some name, c in data.kubernetes.clusters; c.spec.ready]

placement := {\"clusters\": array.slice(sort(ready), 0, 1)}";
    assert_eq!(said(policy, "a"), ["data.kubernetes.placement.ready:3 holds"]);
    assert_eq!(
        said(policy, "d"),
        ["data.kubernetes.placement.ready:3", "- sort(ready) not separable", "- array.slice(sort(ready), 0, 1) not separable"]
    );
    assert_eq!(
        said(policy, "c"),
        ["data.kubernetes.placement.ready:3", "- c.spec.ready fails (c.spec.ready is false)"],
        "what does not come to the ranking is not dropped by it"
    );
}

#[test]
fn each_branch_of_an_else_is_a_body() {
    let policy = "placement := {\"clusters\": eu} if input.metadata.labels.region == \"asia\"

else := {\"clusters\": us} if input.metadata.labels.region == \"us\"

eu contains name if {
	some name, c in data.kubernetes.clusters
	c.metadata.labels.region == \"eu\"
}

us contains name if {
	some name, c in data.kubernetes.clusters
	c.metadata.labels.region == \"us\"
}";
    assert_eq!(
        said(policy, "a"),
        [
            "data.kubernetes.placement.eu:7",
            "- input.metadata.labels.region == \"asia\" fails (input.metadata.labels.region is \"eu\")",
            "data.kubernetes.placement.us:12",
            "- equal(input.metadata.labels.region, \"us\") fails",
            "- c.metadata.labels.region == \"us\" fails (c.metadata.labels.region is \"eu\")",
        ]
    );
}

#[test]
fn what_stands_behind_an_else_waits_for_what_is_before_it() {
    let policy = "placement := {\"clusters\": {\"a\"}} if input.metadata.labels.region == \"eu\"

else := {\"clusters\": [name | some name, _ in data.kubernetes.clusters]}";
    assert_eq!(
        said(policy, "b"),
        [
            "data.kubernetes.placement.placement:5",
            "- else fails",
            "  data.kubernetes.placement.placement:3 holds",
            "  - input.metadata.labels.region == \"eu\" holds (input.metadata.labels.region is \"eu\")",
        ]
    );
}

#[test]
fn a_member_without_a_value_is_none() {
    let policy = "placement := {\"clusters\": {name: {\"weight\": c.spec.weight} | some name, c in data.kubernetes.clusters}}";
    assert_eq!(said(policy, "a"), ["data.kubernetes.placement.placement:3", "- {\"weight\": c.spec.weight} fails"]);
}

#[test]
fn values_that_no_condition_satisfies_together_are_said() {
    let policy = "placement := {\"clusters\": [name |
	some name, c in data.kubernetes.clusters
	some zone in c.spec.zones
	endswith(zone, \"1\")
	endswith(zone, \"2\")
]}";
    let zones = said(policy, "a");
    assert_eq!(zones[1], "- endswith(zone, \"2\") fails together");
    assert_eq!(
        said(policy, "b"),
        [
            "data.kubernetes.placement.placement:3",
            "- some zone in c.spec.zones fails",
            "- endswith(zone, \"1\") not reached",
            "- endswith(zone, \"2\") not reached",
        ]
    );
}

#[test]
fn policies_of_2017_are_explained() {
    let text = "package kubernetes.placement

annotations[key] = value {
	key := \"federation.kubernetes.io/replica-set-preferences\"
	value := {\"clusters\": {name: {\"weight\": 1} | allowed[name]}}
}

allowed[name] {
	cluster = data.kubernetes.clusters[name]
	cluster.spec.ready
	not tainted[name]
}

tainted[name] { data.kubernetes.clusters[name].spec.taint }
";
    let why = explained(&[("p.rego", text)], &fleet(), &workload(&json!({})));
    assert!(why.clusters[0].is_in && !why.clusters[1].is_in, "{:?}", why.outcome);
    assert_eq!(
        lines(&why, "b"),
        [
            "data.kubernetes.placement.annotations:5",
            "- allowed[name] fails",
            "  data.kubernetes.placement.allowed:8",
            "  - cluster = data.kubernetes.clusters[name] holds",
            "  - cluster.spec.ready holds",
            "  - not tainted[name] fails (tainted[name] is \"b\")",
            "    data.kubernetes.placement.tainted:14 holds",
            "    - data.kubernetes.clusters[name].spec.taint holds (data.kubernetes.clusters[name].spec.taint is \"gpu\")",
        ]
    );
}

#[test]
fn what_denies_is_said_with_its_rule() {
    let text = "# METADATA
# labels: {owner: platform, level: low}
package kubernetes.placement

# METADATA
# title: Teams answer for what they run
# labels: {level: high}
errors contains message if {
	not input.metadata.labels.team
	message := sprintf(\"%s has no team\", [input.metadata.name])
}
";
    let why = explained(&[("p.rego", text)], &fleet(), &workload(&json!({})));
    let said = &why.said[0];
    assert_eq!((said.rule.as_str(), said.message.as_deref()), ("errors", Some("a has no team")));
    let body = &said.alternatives[0];
    assert_eq!((body.location.row, body.title.as_deref(), body.holds), (8, Some("Teams answer for what they run"), true));
    assert_eq!(json!(body.labels), json!({"owner": "platform", "level": "high"}));
}

#[test]
fn an_exempt_object_and_one_without_policy_are_not_explained() {
    let mut object = workload(&json!({}));
    object["metadata"]["namespace"] = json!("kube-system");
    assert!(
        explained(&[("p.rego", &format!("package kubernetes.placement\n\n{COMPREHENSION}"))], &fleet(), &object)
            .clusters
            .is_empty()
    );
    assert!(explained(&[], &fleet(), &workload(&json!({}))).clusters.is_empty());
}

/// A value that doubles itself fifty times is larger than any memory, if it is written.
#[test]
fn values_that_double_themselves_end_nothing() {
    let doubled: String = (1..50).map(|n| format!("d{n} := [d{}, d{}]\n\n", n - 1, n - 1)).collect();
    let policy = format!(
        "d0 := [1]

{doubled}placement := {{\"clusters\": [name |
	some name, c in data.kubernetes.clusters
	all := [d49, c]
	f(all)
	c.spec.ready
]}}

f(x) if x[1].spec.ready"
    );
    assert_eq!(said(&policy, "c").last().map(String::as_str), Some("- c.spec.ready fails (c.spec.ready is false)"));
}

#[test]
fn what_is_taken_away_and_what_is_in_both_is_told_by_side() {
    let sets = "all contains n if some n, _ in data.kubernetes.clusters

bad contains n if {
	some n, c in data.kubernetes.clusters
	not c.spec.ready
}

us contains n if {
	some n, c in data.kubernetes.clusters
	c.metadata.labels.region == \"us\"
}
";
    let taken = format!("{sets}\nplacement := {{\"clusters\": all - bad}}");
    assert_eq!(
        said(&taken, "c"),
        [
            "data.kubernetes.placement.all:3",
            "- not in bad fails",
            "  data.kubernetes.placement.bad:5 holds",
            "  - some n, c in data.kubernetes.clusters holds",
            "  - not c.spec.ready holds (c.spec.ready is false)",
        ]
    );
    let common = format!("{sets}\nplacement := {{\"clusters\": all & us}}");
    assert_eq!(
        said(&common, "a"),
        ["data.kubernetes.placement.us:10", "- c.metadata.labels.region == \"us\" fails (c.metadata.labels.region is \"eu\")"]
    );
}

#[test]
fn what_is_written_down_is_told_by_its_rule_and_of_nobody_else() {
    let policy = "default placement := {\"clusters\": {\"a\": {}}}

placement := {\"clusters\": {\"b\": {}}} if input.metadata.labels.region == \"us\"";
    let guard = "- input.metadata.labels.region == \"us\" fails (input.metadata.labels.region is \"eu\")";
    assert_eq!(said(policy, "a"), ["data.kubernetes.placement.placement:3 holds"]);
    assert_eq!(said(policy, "b"), ["data.kubernetes.placement.placement:5", guard]);
    assert!(said(policy, "c").is_empty());
    let keys = "placement := {\"clusters\": chosen}

chosen contains \"a\" if input.metadata.labels.region == \"eu\"

chosen contains \"b\" if input.metadata.labels.region == \"us\"";
    assert_eq!(said(keys, "a"), ["data.kubernetes.placement.chosen:5 holds"]);
    assert_eq!(said(keys, "b"), ["data.kubernetes.placement.chosen:7", guard]);
    assert!(said(keys, "d").is_empty());
}

#[test]
fn what_a_function_answers_is_looked_at() {
    let policy = "placement := {\"clusters\": {n | some n, c in data.kubernetes.clusters; ok(c)}}

ok(c) := false if c.spec.taint

else := c.spec.ready";
    assert_eq!(
        said(policy, "b"),
        [
            "data.kubernetes.placement.placement:3",
            "- ok(c) fails",
            "  data.kubernetes.placement.ok:5",
            "  - c.spec.taint holds",
            "  - false fails",
            "  data.kubernetes.placement.ok:7",
            "  - else fails",
            "    data.kubernetes.placement.ok:5 holds",
            "    - c.spec.taint holds (c.spec.taint is \"gpu\")",
        ]
    );
    assert_eq!(said(policy, "c").last().map(String::as_str), Some("  - c.spec.ready fails"));
}

#[test]
fn a_variable_is_no_rule_of_its_name() {
    let policy = "ready if input.never

placement := {\"clusters\": {n | some n, c in data.kubernetes.clusters; ready := c.spec.ready; ready}}";
    assert_eq!(said(policy, "c"), ["data.kubernetes.placement.placement:5", "- ready fails (ready is false)"]);
}

/// Eleven lines would be looked at for ever, and fifty be told in gigabytes.
#[test]
fn what_multiplies_itself_ends() {
    let unions: String = (1..9).map(|n| format!("s{n} := {}\n\n", vec![format!("s{}", n - 1); 10].join(" | "))).collect();
    let policy = format!("s0 := {{\"a\"}}\n\n{unions}placement := {{\"clusters\": s8}}");
    assert!(said(&policy, "b").is_empty());
    let chain: String = (1..25)
        .map(|n| {
            format!("r{n}(c) if {{\n\tr{m}(c)\n\tc.spec.x{n}\n}}\n\nr{n}(c) if {{\n\tr{m}(c)\n\tc.spec.y{n}\n}}\n\n", m = n - 1)
        })
        .collect();
    let policy = format!(
        "r0(c) if c.spec.none\n\n{chain}placement := {{\"clusters\": {{n | some n, c in data.kubernetes.clusters; r24(c)}}}}"
    );
    let text = format!("package kubernetes.placement\n\n{policy}\n");
    let why = explained(&[("p.rego", &text)], &fleet(), &workload(&json!({})));
    let bytes = serde_json::to_vec(&why).unwrap().len();
    assert!(bytes < 32 << 20 && !why.notes.is_empty(), "{bytes} bytes");
}
