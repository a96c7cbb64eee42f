//! One fault at a time, in a configuration that is otherwise fine.

use serde_json::json;

use super::*;

fn hook() -> Json {
    json!({
        "name": "a.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://localhost:8443/x"},
        "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "scope": "*"}],
    })
}

fn faults(new: &Json, old: Option<&Json>) -> Vec<String> {
    let mut faults = Faults::default();
    configuration(new, old, "v1", &mut faults);
    faults.into_result().err().unwrap_or_default().iter().map(ToString::to_string).collect()
}

/// The hook with a value at a pointer.
fn with(pointer: &str, value: Json) -> Json {
    let mut hook = hook();
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    hook.pointer_mut(parent).unwrap()[field] = value;
    json!({ "webhooks": [hook] })
}

#[test]
fn a_fault_is_told_in_upstreams_words() {
    let rule = |field: &str| format!("/rules/0/{field}");
    let service = |service: Json| json!({ "service": service });
    let table = [
        (
            "/name".into(),
            json!("a.com"),
            "webhooks[0].name: Invalid value: \"a.com\": should be a domain with at least three segments separated by dots",
        ),
        ("/name".into(), json!(""), "webhooks[0].name: Required value"),
        (
            "/timeoutSeconds".into(),
            json!(31),
            "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
        ),
        (
            "/sideEffects".into(),
            json!("Some"),
            "webhooks[0].sideEffects: Unsupported value: \"Some\": supported values: \"None\", \"NoneOnDryRun\"",
        ),
        ("/sideEffects".into(), Json::Null, "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun"),
        (
            "/failurePolicy".into(),
            json!("x"),
            "webhooks[0].failurePolicy: Unsupported value: \"x\": supported values: \"Fail\", \"Ignore\"",
        ),
        (
            "/matchPolicy".into(),
            json!("x"),
            "webhooks[0].matchPolicy: Unsupported value: \"x\": supported values: \"Equivalent\", \"Exact\"",
        ),
        (
            "/admissionReviewVersions".into(),
            json!([]),
            "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1",
        ),
        (
            "/admissionReviewVersions".into(),
            json!(["v2"]),
            "webhooks[0].admissionReviewVersions: Invalid value: [\"v2\"]: must include at least one of v1, v1beta1",
        ),
        (
            "/admissionReviewVersions".into(),
            json!(["v1", "v1"]),
            "webhooks[0].admissionReviewVersions[1]: Invalid value: \"v1\": duplicate version",
        ),
        (
            "/clientConfig".into(),
            json!({}),
            "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
        ),
        (
            "/clientConfig/url".into(),
            json!("http://x"),
            "webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
        ),
        (
            "/clientConfig/url".into(),
            json!("https:///x"),
            "webhooks[0].clientConfig.url: Invalid value: \"\": host must be specified; desired format: https://host[/path]",
        ),
        (
            "/clientConfig/url".into(),
            json!("https://u:p@x"),
            "webhooks[0].clientConfig.url: Invalid value: \"u\": user information is not permitted in the URL",
        ),
        (
            "/clientConfig/url".into(),
            json!("https://x#f"),
            "webhooks[0].clientConfig.url: Invalid value: \"f\": fragments are not permitted in the URL",
        ),
        (
            "/clientConfig/url".into(),
            json!("https://x?q"),
            "webhooks[0].clientConfig.url: Invalid value: \"q\": query parameters are not permitted in the URL",
        ),
        (
            "/clientConfig".into(),
            service(json!({"name": "s", "port": 443})),
            "webhooks[0].clientConfig.service.namespace: Required value",
        ),
        (
            "/clientConfig".into(),
            service(json!({"name": "s", "namespace": "n", "port": 0})),
            "webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
        ),
        (
            "/clientConfig".into(),
            service(json!({"name": "s", "namespace": "n", "port": 1, "path": "/a//b"})),
            "webhooks[0].clientConfig.service.path: Invalid value: \"/a//b\": segment[1] may not be empty",
        ),
        (
            rule("operations"),
            json!(["*", "CREATE"]),
            "webhooks[0].rules[0].operations: Invalid value: [\"*\",\"CREATE\"]: if '*' is present, must not specify other operations",
        ),
        (
            rule("operations"),
            json!(["PATCH"]),
            "webhooks[0].rules[0].operations[0]: Unsupported value: \"PATCH\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"",
        ),
        (rule("apiGroups"), json!([]), "webhooks[0].rules[0].apiGroups: Required value"),
        (rule("apiVersions"), json!([""]), "webhooks[0].rules[0].apiVersions[0]: Required value"),
        (
            rule("resources"),
            json!(["*/*", "pods"]),
            "webhooks[0].rules[0].resources: Invalid value: [\"*/*\",\"pods\"]: if '*/*' is present, must not specify other resources",
        ),
        (
            rule("resources"),
            json!(["*", "pods"]),
            "webhooks[0].rules[0].resources: Invalid value: [\"*\",\"pods\"]: if '*' is present, must not specify other resources without subresources",
        ),
        (
            rule("resources"),
            json!(["pods/status", "pods/*"]),
            "webhooks[0].rules[0].resources[0]: Invalid value: \"pods/status\": if 'pods/*' is present, must not specify pods/status",
        ),
        (
            rule("resources"),
            json!(["*/status", "pods/status"]),
            "webhooks[0].rules[0].resources[1]: Invalid value: \"pods/status\": if '*/status' is present, must not specify pods/status",
        ),
        (
            rule("scope"),
            json!("x"),
            "webhooks[0].rules[0].scope: Unsupported value: \"x\": supported values: \"*\", \"Cluster\", \"Namespaced\"",
        ),
    ];
    for (pointer, value, expected) in table {
        assert_eq!(faults(&with(&pointer, value), None), [expected], "{pointer}");
    }
    assert_eq!(faults(&json!({"webhooks": [hook()]}), None), Vec::<String>::new());
}

#[test]
fn what_an_old_object_breaks_already_its_update_may_break() {
    let broken = [
        with("/sideEffects", json!("Unknown")),
        with("/admissionReviewVersions", json!(["v2"])),
        json!({"webhooks": [hook(), hook()]}),
    ];
    for object in broken {
        assert_eq!(faults(&object, None).len(), 1);
        assert_eq!(faults(&object, Some(&object)), Vec::<String>::new());
        assert_eq!(faults(&object, Some(&json!({"webhooks": [hook()]}))).len(), 1);
    }
}

#[test]
fn a_condition_has_a_name_and_is_certain_to_be_evaluated() {
    let condition = |name: &str, expression: &str| json!({"name": name, "expression": expression});
    let at = "webhooks[0].matchConditions";
    let table = [
        (json!([condition("a", "object.x == 1"), condition("b.c/d", "true")]), vec![]),
        (json!([condition("", "true")]), vec![format!("{at}[0].name: Required value")]),
        (json!([condition("a", " ")]), vec![format!("{at}[0].expression: Required value")]),
        (json!([condition("a", "true"), condition("a", "true")]), vec![format!("{at}[1].name: Duplicate value: \"a\"")]),
        (
            json!([condition("a", "foo")]),
            vec![format!(
                "{at}[0].expression: Invalid value: \"foo\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo\n | ^"
            )],
        ),
        (
            json!([condition("a", "'text'")]),
            vec![format!("{at}[0].expression: Invalid value: \"'text'\": must evaluate to bool but got string")],
        ),
    ];
    for (conditions, expected) in table {
        assert_eq!(faults(&with("/matchConditions", conditions.clone()), None), expected, "{conditions}");
    }
    let many: Vec<Json> = (0..65).map(|number| condition(&format!("c{number}"), "true")).collect();
    assert_eq!(faults(&with("/matchConditions", many.into()), None), [format!("{at}: Too many: 65: must have at most 64 items")]);
    let stored = with("/matchConditions", json!([condition("a", "foo")]));
    assert_eq!(faults(&stored, Some(&stored)), Vec::<String>::new(), "what is stored is not compiled again");
}

#[test]
fn v1beta1_asks_for_less() {
    for object in [with("/sideEffects", json!("Unknown")), json!({"webhooks": [hook(), hook()]})] {
        let mut faults = Faults::default();
        configuration(&object, None, "v1beta1", &mut faults);
        assert!(faults.is_empty(), "{object}");
    }
}
