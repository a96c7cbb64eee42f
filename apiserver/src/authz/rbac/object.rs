//! Roles and bindings as they are stored, reduced to what is evaluated.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::rule::{Rule, null_is_empty};
use crate::authn::User;
use crate::authn::user::split_service_account;

/// Any of the four kinds.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Object {
    pub(super) kind: String,
    pub(super) metadata: Metadata,
    #[serde(deserialize_with = "null_is_empty")]
    pub(super) rules: Vec<Rule>,
    pub(super) aggregation_rule: Option<AggregationRule>,
    #[serde(deserialize_with = "null_is_empty")]
    pub(super) subjects: Vec<Subject>,
    pub(super) role_ref: RoleRef,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Metadata {
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) labels: Option<BTreeMap<String, String>>,
}

/// Which role a binding grants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct RoleRef {
    /// The API group of roles.
    pub api_group: String,
    /// `Role` or `ClusterRole`.
    pub kind: String,
    /// Its name.
    pub name: String,
}

/// Whom a binding grants it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Subject {
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) namespace: String,
}

/// Which cluster roles make up another one.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct AggregationRule {
    #[serde(deserialize_with = "null_is_empty")]
    pub(super) cluster_role_selectors: Vec<Selector>,
}

/// A label selector.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Selector {
    pub(super) match_labels: Option<BTreeMap<String, String>>,
    #[serde(deserialize_with = "null_is_empty")]
    pub(super) match_expressions: Vec<Expression>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Expression {
    key: String,
    operator: String,
    #[serde(deserialize_with = "null_is_empty")]
    values: Vec<String>,
}

impl Subject {
    /// Whether the subject of a binding in `namespace` (empty: of the cluster) is, or holds, the user.
    pub(super) fn is(&self, user: &User, namespace: &str) -> bool {
        match self.kind.as_str() {
            "User" => self.name == user.name,
            "Group" => user.in_group(&self.name),
            "ServiceAccount" => split_service_account(&user.name) == Some((self.namespace_in(namespace), &self.name)),
            _ => false,
        }
    }

    /// As reasons name it.
    pub(super) fn describe(&self, namespace: &str) -> String {
        match self.kind.as_str() {
            "ServiceAccount" => format!("{} {:?}", self.kind, format!("{}/{}", self.name, self.namespace_in(namespace))),
            _ => format!("{} {:?}", self.kind, self.name),
        }
    }

    fn namespace_in<'a>(&'a self, namespace: &'a str) -> &'a str {
        if self.namespace.is_empty() { namespace } else { &self.namespace }
    }
}

impl Selector {
    pub(super) fn matches(&self, labels: Option<&BTreeMap<String, String>>) -> bool {
        let label = |key: &str| labels.and_then(|labels| labels.get(key));
        self.match_labels.iter().flatten().all(|(key, value)| label(key) == Some(value))
            && self.match_expressions.iter().all(|expression| expression.matches(label(&expression.key)))
    }
}

impl Expression {
    fn matches(&self, value: Option<&String>) -> bool {
        let listed = value.is_some_and(|value| self.values.contains(value));
        match self.operator.as_str() {
            "In" => listed,
            "NotIn" => !listed,
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_subject_is_a_user_a_group_or_an_account() {
        let user = User::service_account("ns", "robot", "1");
        let cases = [
            (json!({"kind": "User", "name": "system:serviceaccount:ns:robot"}), "", true),
            (json!({"kind": "User", "name": "robot"}), "ns", false),
            (json!({"kind": "Group", "name": "system:serviceaccounts:ns"}), "", true),
            (json!({"kind": "Group", "name": "system:masters"}), "", false),
            (json!({"kind": "ServiceAccount", "name": "robot", "namespace": "ns"}), "", true),
            (json!({"kind": "ServiceAccount", "name": "robot", "namespace": "other"}), "ns", false),
            (json!({"kind": "ServiceAccount", "name": "robot"}), "ns", true),
            (json!({"kind": "ServiceAccount", "name": "robot"}), "", false),
            (json!({"kind": "Robot", "name": "system:serviceaccount:ns:robot"}), "", false),
        ];
        for (json, namespace, expected) in cases {
            let subject: Subject = serde_json::from_value(json.clone()).unwrap();
            assert_eq!(subject.is(&user, namespace), expected, "{json} in {namespace:?}");
        }
    }

    #[test]
    fn a_selector_matches_labels() {
        let labels = BTreeMap::from([("a".to_owned(), "1".to_owned())]);
        let expression =
            |operator: &str, values: &[&str]| json!({"matchExpressions": [{"key": "a", "operator": operator, "values": values}]});
        let cases = [
            (json!({}), true),
            (json!({"matchLabels": {"a": "1"}}), true),
            (json!({"matchLabels": {"a": "1", "b": "2"}}), false),
            (expression("In", &["1", "2"]), true),
            (expression("NotIn", &["1"]), false),
            (expression("Exists", &[]), true),
            (expression("DoesNotExist", &[]), false),
            (expression("Near", &["1"]), false),
        ];
        for (json, expected) in cases {
            let selector: Selector = serde_json::from_value(json.clone()).unwrap();
            assert_eq!(selector.matches(Some(&labels)), expected, "{json}");
        }
    }
}
