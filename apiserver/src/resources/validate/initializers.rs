//! `metadata.initializers` of every object, and InitializerConfigurations of `v1alpha1`. Source: `apimachinery`
//! `pkg/api/validation/objectmeta.go` and `kubernetes` `pkg/apis/admissionregistration/validation`, 1.7 to 1.13.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::peek::{list, text};
use super::{one_of, qualified_name, webhooks};
use crate::resources::initializers;
use crate::status::field::{Faults, Path};

/// Where InitializerConfigurations are kept.
pub const COLLECTION: &str = "admissionregistration.k8s.io/initializerconfigurations";

/// Every fault of `metadata.initializers`, and of the change from `old` where there is one.
pub(super) fn metadata(object: &Json, old: Option<&Json>, path: &Path<'_>, faults: &mut Faults) {
    if let Some(fault) = old.and_then(|old| initializers::change(old, object)) {
        faults.push(fault);
    }
    if initializers::of(object).is_none() {
        return;
    }
    let path = path.child("initializers");
    let (pending, result) = (path.child("pending"), path.child("result"));
    let mut seen = BTreeSet::new();
    for (index, name) in initializers::pending(object).enumerate() {
        let path = pending.index(index);
        qualified_name(name, &path.child("name"), faults);
        if !seen.insert(name) {
            faults.duplicate(&path.child("name"), &name.into());
        }
    }
    match initializers::result(object) {
        None if seen.is_empty() => faults.invalid(&pending, &Json::Null, "must be non-empty when result is not set"),
        None => {}
        // Upstream stores such an object for good: nothing removes it, and its result cannot be changed.
        Some(_) if old.is_none() => faults.forbidden(&result, "may not be set on an object that is created"),
        Some(given) if text(given, "status") != "Failure" => {
            faults.invalid_text(&result.child("status"), text(given, "status"), "must be 'Failure'");
        }
        Some(_) => {}
    }
}

/// Every fault of a configuration. The name of an initializer may be there more than once, as upstream: the first one counts.
pub(super) fn configuration(object: &Json, faults: &mut Faults) {
    let all = Path::ROOT.child("initializers");
    for (index, one) in list(object, "initializers").iter().enumerate() {
        let path = all.index(index);
        qualified_name(text(one, "name"), &path.child("name"), faults);
        let rules = path.child("rules");
        for (index, rule) in list(one, "rules").iter().enumerate() {
            webhooks::rule_of_initializer(rule, &rules.index(index), faults);
        }
        one_of(one, "failurePolicy", &webhooks::FAILURE, &path, faults);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(faults: Faults) -> Vec<String> {
        faults.into_result().err().unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn metadata_of_every_object() {
        let of = |initializers: Json| json!({"metadata": {"initializers": initializers}});
        let pending = of(json!({"pending": [{"name": "a.b.c"}]}));
        let refusal = |status: &str| of(json!({"pending": [], "result": {"status": status}}));
        let table: [(Json, Option<&Json>, &[&str]); 8] = [
            (pending.clone(), None, &[]),
            (
                of(json!({"pending": [{"name": "a.b"}]})),
                None,
                &[
                    "metadata.initializers.pending[0].name: Invalid value: \"a.b\": should be a domain with at least three segments separated by dots",
                ],
            ),
            (
                of(json!({"pending": [{"name": "a.b.c"}, {"name": "a.b.c"}]})),
                None,
                &["metadata.initializers.pending[1].name: Duplicate value: \"a.b.c\""],
            ),
            (
                of(json!({})),
                None,
                &["metadata.initializers.pending: Invalid value: null: must be non-empty when result is not set"],
            ),
            (refusal("Failure"), None, &["metadata.initializers.result: Forbidden: may not be set on an object that is created"]),
            (refusal("Failure"), Some(&pending), &[]),
            (
                refusal("Success"),
                Some(&pending),
                &["metadata.initializers.result.status: Invalid value: \"Success\": must be 'Failure'"],
            ),
            (json!({"metadata": {}}), Some(&pending), &[]),
        ];
        for (object, old, expected) in table {
            let mut faults = Faults::default();
            metadata(&object, old, &Path::ROOT.child("metadata"), &mut faults);
            assert_eq!(texts(faults), expected, "{object}");
        }
    }

    #[test]
    fn configurations() {
        let rule = |groups: Json, versions: Json, resources: Json| json!({"apiGroups": groups, "apiVersions": versions, "resources": resources});
        let fine = || rule(json!([""]), json!(["v1"]), json!(["pods"]));
        let table: [(Json, &[&str]); 11] = [
            (json!({"name": "a.b.c"}), &[]),
            (json!({"name": "a.b.c", "rules": [fine()], "failurePolicy": "Fail"}), &[]),
            (json!({"name": ""}), &["name: Required value"]),
            (
                json!({"name": "a.b.c", "failurePolicy": "Retry"}),
                &["failurePolicy: Unsupported value: \"Retry\": supported values: \"Fail\", \"Ignore\""],
            ),
            (
                json!({"name": "a.b.c", "rules": [rule(json!([]), json!(["v1"]), json!(["pods"]))]}),
                &["rules[0].apiGroups: Required value"],
            ),
            (
                json!({"name": "a.b.c", "rules": [rule(json!(["*", "apps"]), json!(["v1"]), json!(["pods"]))]}),
                &["rules[0].apiGroups: Invalid value: [\"*\",\"apps\"]: if '*' is present, must not specify other API groups"],
            ),
            (
                json!({"name": "a.b.c", "rules": [rule(json!([""]), json!([""]), json!(["pods"]))]}),
                &["rules[0].apiVersions[0]: Required value"],
            ),
            (
                json!({"name": "a.b.c", "rules": [rule(json!([""]), json!(["*", "v1"]), json!(["pods"]))]}),
                &["rules[0].apiVersions: Invalid value: [\"*\",\"v1\"]: if '*' is present, must not specify other API versions"],
            ),
            (
                json!({"name": "a.b.c", "rules": [rule(json!([""]), json!(["v1"]), json!(["pods/log"]))]}),
                &["rules[0].resources[0]: Invalid value: \"pods/log\": must not specify subresources"],
            ),
            (
                json!({"name": "a.b.c", "rules": [rule(json!([""]), json!(["v1"]), json!(["pods", "*"]))]}),
                &["rules[0].resources: Invalid value: [\"pods\",\"*\"]: if '*' is present, must not specify other resources"],
            ),
            (
                json!({"name": "a.b.c", "rules": [rule(json!([""]), json!(["v1"]), json!([""]))]}),
                &["rules[0].resources[0]: Required value"],
            ),
        ];
        for (one, expected) in table {
            let mut faults = Faults::default();
            configuration(&json!({"initializers": [one]}), &mut faults);
            let expected: Vec<String> = expected.iter().map(|text| format!("initializers[0].{text}")).collect();
            assert_eq!(texts(faults), expected, "{one}");
        }
    }
}
