//! What printer columns may say, and what they find.

use serde_json::json;

use super::*;

fn object() -> Json {
    json!({
        "metadata": {"name": "a", "labels": {"app.kubernetes.io/name": "web", "x": "1"}},
        "spec": {"replicas": 3, "names": ["one", "two", "three"], "empty": [], "nothing": null},
        "status": {"conditions": [
            {"type": "Synced", "status": "False", "generation": 1},
            {"type": "Ready", "status": "True", "generation": 7, "reason": "a)b"}]},
    })
}

#[test]
fn finds_the_first_result() {
    let cases = [
        (".metadata.name", json!("a")),
        ("$.metadata.name", json!("a")),
        (".spec.replicas", json!(3)),
        (".spec['replicas']", json!(3)),
        (r".metadata.labels.app\.kubernetes\.io/name", json!("web")),
        (r".metadata.labels['app\.kubernetes\.io/name']", json!("web")),
        (".spec.names[1]", json!("two")),
        (".spec.names[-1]", json!("three")),
        (".spec.names[1:]", json!("two")),
        (".spec.names[::2]", json!("one")),
        (".spec.names[*]", json!("one")),
        (".spec.names[2,0]", json!("three")),
        (".metadata.labels.*", json!("web")),
        (r#".status.conditions[?(@.type=="Ready")].status"#, json!("True")),
        (".status.conditions[?(@.type=='Ready')].status", json!("True")),
        (r#".status.conditions[?( @.type == "Ready" )].status"#, json!("True")),
        (".status.conditions[?(@.generation>1)].type", json!("Ready")),
        (".status.conditions[?(@.generation<=1)].type", json!("Synced")),
        (r#".status.conditions[?(@.type!="Synced")].type"#, json!("Ready")),
        (".status.conditions[?(@.reason)].type", json!("Ready")),
        (r#".status.conditions[?(@.reason=="a)b")].type"#, json!("Ready")),
        ("..reason", json!("a)b")),
        (".spec.nothing", json!(null)),
        (".", object()),
    ];
    for (path, expected) in cases {
        assert_eq!(JsonPath::parse(path).unwrap().first(&object()), Some(&expected), "{path}");
    }
}

#[test]
fn a_path_that_leads_nowhere_finds_nothing() {
    for path in [
        ".spec.missing",
        ".spec.replicas.inner",
        ".spec.names[7]",
        ".spec.names[2:9]",
        ".spec.empty[0]",
        ".spec.empty[*]",
        ".spec.nothing[0]",
        ".spec.replicas[0]",
        r#".status.conditions[?(@.type=="Other")].status"#,
        r#".status.conditions[?(@.generation=="1")].status"#,
        ".spec.names[9223372036854775807]",
    ] {
        assert_eq!(JsonPath::parse(path).unwrap().first(&object()), None, "{path}");
    }
}

#[test]
fn what_is_not_a_path_is_refused() {
    for path in ["spec", ".a[", ".a[b]", ".a[?(@.b==)]", ".a[?(@.b", ".....", ".a[1:2:3:4]", ".a[?(@.b=='c')"] {
        assert_eq!(JsonPath::parse(path), None, "{path}");
    }
    assert_eq!(JsonPath::parse(&".a".repeat(MAX_RESULTS)), None);
}

#[test]
fn descending_again_and_again_ends() {
    let mut wide = json!({});
    for _ in 0..6 {
        wide = json!([wide, wide, wide, wide, 1]);
    }
    assert_eq!(JsonPath::parse("..a..b..c").unwrap().first(&wide), None);
    assert_eq!(JsonPath::parse("..[*]..[*]..[*]").unwrap().first(&wide), None);
}
