//! The shipped policies on the shipped fleet, and what can go wrong.

use std::path::Path;

use super::*;

/// Runs the command line in the repository; files named `{dir}/…` are written first.
fn place(line: &str, files: &[(&str, &str)]) -> (u8, String) {
    place_stdin(line, files, "")
}

fn place_stdin(line: &str, files: &[(&str, &str)], stdin: &str) -> (u8, String) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = dir.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let (root, here) = (env!("CARGO_MANIFEST_DIR"), dir.path().display().to_string());
    let words = line.split_whitespace().map(|word| {
        let word = word.replace("{dir}", &here);
        if !word.starts_with('/') && Path::new(root).join(&word).exists() { format!("{root}/{word}") } else { word }
    });
    let args = match <Line as clap::Parser>::try_parse_from(["place".to_owned()].into_iter().chain(words)) {
        Ok(line) => line.args,
        Err(error) => return (1, error.to_string()),
    };
    let mut out = Vec::new();
    let code = super::place(args, &mut stdin.as_bytes(), &mut out);
    let text = String::from_utf8(out).unwrap();
    match code {
        Ok(code) => {
            let number = (0..4).find(|n| format!("{:?}", ExitCode::from(*n)) == format!("{code:?}")).unwrap();
            (number, text.replace(&format!("{root}/"), "").replace(&here, "{dir}"))
        }
        Err(error) => (1, format!("{error:#}").replace(&here, "{dir}")),
    }
}

#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

const SHIPPED: &str = "--policies policies --state examples/fleet";
const OBJECT: (&str, &str) =
    ("o.yaml", "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web, namespace: shop, labels: {app: web}}\n");
const CLUSTER: (&str, &str) = ("state/c.yaml", "apiVersion: federation/v1beta1\nkind: Cluster\nmetadata: {name: a}\n");

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "`{part}` is not in:\n{text}"));
}

#[test]
fn people_are_told_where_why_not_elsewhere_and_what_changes() {
    let (code, text) = place(&format!("{SHIPPED} -f examples/workloads/payments.yaml"), &[]);
    assert_eq!(code, 0, "{text}");
    assert_has(
        &text,
        &[
            "ReplicaSet default/payments (examples/workloads/payments.yaml:2): placed\n",
            "  clusters  eu-dublin\n            eu-frankfurt\n            eu-paris\n",
            "            us-virginia: region \"us-east-1\" is outside eu\n",
            "      metadata:\n      annotations:\n".trim_start(),
            "  +     federation.kubernetes.io/replica-set-preferences: '{\"clusters\":{\"eu-dublin\"",
            "  +     plimsoll.io/applied: ",
            "        requires-pci: 'true'\n",
        ],
    );
}

#[test]
fn exit_codes_tell_the_outcome_and_the_highest_wins() {
    let cases = [("web", 0, "no opinion"), ("requested", 0, "warning   requested clusters left out: us-oregon")];
    for (name, code, part) in cases.into_iter().chain([("refused", 2, "error     none of the requested clusters is allowed")]) {
        let (found, text) = place(&format!("{SHIPPED} -f examples/workloads/{name}.yaml"), &[]);
        assert_eq!(found, code, "{name}: {text}");
        assert_has(&text, &[part]);
    }
    assert_eq!(place(&format!("{SHIPPED} -f examples/workloads"), &[]).0, 2);
}

#[test]
fn machines_get_json_yaml_patches_and_manifests() {
    let (code, text) = place(&format!("{SHIPPED} -f examples/workloads -o json"), &[]);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let decisions = document["decisions"].as_array().unwrap();
    let outcomes: Vec<_> = decisions.iter().map(|d| (d["name"].as_str().unwrap(), d["outcome"].as_str().unwrap())).collect();
    assert_eq!(outcomes, [("payments", "place"), ("cards", "denied"), ("ledger", "place"), ("web", "noOpinion")]);
    assert_eq!(decisions[0]["clusters"], serde_json::json!(["eu-dublin", "eu-frankfurt", "eu-paris"]));
    assert_eq!(decisions[0]["object"]["metadata"]["annotations"]["requires-pci"], "true");
    assert_eq!(code, 2);

    let (_, text) = place(&format!("{SHIPPED} -f examples/workloads -o yaml"), &[]);
    assert_eq!(yaml_serde::from_str::<serde_json::Value>(&text).unwrap()["decisions"][1]["errors"], decisions[1]["errors"]);

    let (_, text) = place(&format!("{SHIPPED} -f examples/workloads -o patch"), &[]);
    let patches: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(patches[0]["metadata"]["annotations"], decisions[0]["patch"]);
    assert_eq!(patches[3], serde_json::json!({}));

    let (_, text) = place(&format!("{SHIPPED} -f examples/workloads -o manifest"), &[]);
    assert_has(&text, &["# ReplicaSet default/cards: denied: reason(s): none of the requested"]);
    assert_eq!(text.matches("\n---\n").count() + usize::from(text.starts_with("---\n")), 3, "{text}");
}

#[test]
fn what_was_placed_is_placed_again_without_a_change() {
    let (_, manifest) = place(&format!("{SHIPPED} -f examples/workloads/payments.yaml -o manifest"), &[]);
    let (code, text) = place_stdin(&format!("{SHIPPED} -f - -o patch"), &[], &manifest);
    assert_eq!((code, text.as_str()), (0, "{}\n"));
}

#[test]
fn t09_no_cluster_left_is_nowhere() {
    let (code, text) = place("--policies policies --state {dir}/state -f examples/workloads/payments.yaml", &[CLUSTER]);
    assert_eq!(code, 2);
    assert_has(&text, &["nowhere: no cluster may run it", "a: not PCI certified", "{\"clusters\":{},\"rebalance\":true}"]);
}

#[test]
fn without_a_usable_policy_there_is_no_decision() {
    let broken = ("p/a.rego", "package kubernetes.placement\n\nplacement := }\n");
    let (code, text) = place("--policies {dir}/p -f {dir}/o.yaml", &[OBJECT, broken]);
    assert_eq!(code, 3);
    assert_has(&text, &["error     {dir}/p/a.rego:3:"]);
    let (code, text) = place("--policies {dir}/p -f {dir}/o.yaml", &[OBJECT, ("p/a.rego", "package other\n")]);
    assert_eq!(code, 0);
    assert_has(&text, &["unarmed: no policy defines the placement path"]);
}

#[test]
fn t07_a_value_that_nobody_could_read_names_its_rule() {
    let policy = ("p/a.rego", "package kubernetes.placement\nplacement := {\"clusters\": {\"a\": {\"weight\": 0.5}}}\n");
    let (code, text) = place("--policies {dir}/p --state {dir}/state -f {dir}/o.yaml", &[OBJECT, CLUSTER, policy]);
    assert_eq!(code, 3);
    assert_has(&text, &["`weight` is 0.5, not a whole number", "(from {dir}/p/a.rego:2:1)", "the object stays as it is"]);
}

#[test]
fn a_table_of_kinds_gives_custom_kinds_a_target() {
    let table = "kinds:\n- {gvr: example.com/v1/jobs, kind: Job, place: true, target: example.com/spread}\n- {gvr: federation/v1beta1/clusters, fleet: true}\n";
    let job = ("o.yaml", "apiVersion: example.com/v1\nkind: Job\nmetadata: {name: x, namespace: n}\n");
    let policy =
        ("p/a.rego", "package kubernetes.placement\nplacement := {\"clusters\": object.keys(data.kubernetes.clusters)}\n");
    let files = [("table.yaml", table), job, policy, CLUSTER];
    let line = "--policies {dir}/p --state {dir}/state -f {dir}/o.yaml";
    let (code, text) = place(&format!("{line} --config {{dir}}/table.yaml"), &files);
    assert_eq!(code, 0, "{text}");
    assert_has(&text, &["+     example.com/spread: '{\"clusters\":{\"a\":{\"weight\":1}}}'"]);
    let (code, text) = place(line, &files);
    assert_eq!(code, 3);
    assert_has(&text, &["kind `Job` has no target", "--config sync.yaml"]);
}

#[test]
fn a_fleet_that_was_not_given_is_named() {
    let (code, text) = place("--policies policies -f examples/workloads/payments.yaml", &[]);
    assert_eq!(code, 2);
    assert_has(&text, &["nowhere", "  note      there is no cluster in the state: give the fleet's manifests with --state"]);
    let (_, text) = place(&format!("{SHIPPED} -f examples/workloads/refused.yaml"), &[]);
    assert_has(&text, &["it is refused; one that exists stays as it is"]);
    assert!(!text.contains("--state"), "{text}");
}

#[test]
fn exempt_objects_say_why() {
    let secret = ("o.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: x, namespace: kube-system}\n");
    let (code, text) = place("--policies policies -f {dir}/o.yaml", &[secret]);
    assert_eq!(code, 0);
    assert_has(&text, &["exempt: namespace `kube-system` is exempt from placement"]);
}

#[test]
fn wrong_use_is_exit_code_1_and_names_the_place() {
    let twice = ("state/d.yaml", CLUSTER.1);
    type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str);
    let cases: [Case<'_>; 9] = [
        ("-f {dir}/o.yaml", &[], "--policies"),
        ("--policies policies", &[], "--filename"),
        ("--policies policies -f {dir}/o.yaml --nope", &[], "--nope"),
        ("--policies policies -f {dir}/none.yaml", &[], "could not read the objects to place: could not read `{dir}/none.yaml`"),
        (
            "--policies policies --state {dir}/none -f {dir}/o.yaml",
            &[OBJECT],
            "could not read the state: could not read `{dir}/none`",
        ),
        ("--policies {dir}/none -f {dir}/o.yaml", &[OBJECT], "could not read the policies: could not read `{dir}/none`"),
        ("--policies policies -f {dir}/x.yaml", &[("x.yaml", "kind: A\nmetadata: [\n")], "{dir}/x.yaml:"),
        ("--policies policies -f {dir}/x.yaml", &[("x.yaml", "# nothing\n")], "there is no object in {dir}/x.yaml"),
        (
            "--policies policies --state {dir}/state -f {dir}/o.yaml",
            &[OBJECT, CLUSTER, twice],
            "state/d.yaml:1: Cluster a is also in {dir}/state/c.yaml:1",
        ),
    ];
    for (line, files, expected) in cases {
        let (code, text) = place(line, files);
        assert_eq!(code, 1, "{line}: {text}");
        assert_has(&text, &[expected]);
    }
}

#[test]
fn two_kinds_with_one_plural_are_refused_by_name() {
    let other = ("state/k.yaml", "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: b}\n");
    let (code, text) = place("--policies policies --state {dir}/state -f {dir}/o.yaml", &[OBJECT, CLUSTER, other]);
    assert_eq!(code, 1);
    assert_has(&text, &["federation/v1beta1/clusters", "cluster.karmada.io/v1alpha1/clusters"]);
}
