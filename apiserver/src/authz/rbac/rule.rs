//! One rule of a role, and whether it allows something. Source: `kubernetes` `pkg/apis/rbac/v1/evaluation_helpers.go`.

use std::fmt::{self, Display};

use serde::{Deserialize, Deserializer, Serialize};

use crate::authz::request::{Access, What};

/// One rule: verbs times API groups times resources, perhaps of some names only; or verbs times paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Rule {
    /// Such as `get`; `*` for all.
    #[serde(deserialize_with = "null_is_empty")]
    pub verbs: Vec<String>,
    /// Empty string for core; `*` for all.
    #[serde(deserialize_with = "null_is_empty", skip_serializing_if = "Vec::is_empty")]
    pub api_groups: Vec<String>,
    /// Such as `pods`, `pods/status`, `*/scale`, `*`.
    #[serde(deserialize_with = "null_is_empty", skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// Only objects of these names; empty for all.
    #[serde(deserialize_with = "null_is_empty", skip_serializing_if = "Vec::is_empty")]
    pub resource_names: Vec<String>,
    /// Paths that are no resources, such as `/healthz` or `/apis/*`.
    #[serde(rename = "nonResourceURLs", deserialize_with = "null_is_empty", skip_serializing_if = "Vec::is_empty")]
    pub non_resource_urls: Vec<String>,
}

/// Go encodes an absent list as `null`.
pub(super) fn null_is_empty<'de, D, T>(input: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(input).map(Option::unwrap_or_default)
}

impl Rule {
    /// Whether the rule allows it.
    pub fn allows(&self, what: &What<'_>) -> bool {
        match what {
            What::Resource(access) => self.allows_access(access),
            What::Path { verb, path } => has(&self.verbs, verb) && self.non_resource_urls.iter().any(|url| url_covers(url, path)),
        }
    }

    fn allows_access(&self, access: &Access<'_>) -> bool {
        has(&self.verbs, access.verb)
            && has(&self.api_groups, access.group)
            && self.resources.iter().any(|resource| resource_matches(resource, access))
            && (self.resource_names.is_empty() || self.resource_names.iter().any(|name| name == access.name))
    }
}

/// Whether the list holds the word or the star.
pub(super) fn has(list: &[String], word: &str) -> bool {
    list.iter().any(|own| own == "*" || own == word)
}

fn resource_matches(rule: &str, access: &Access<'_>) -> bool {
    let Access { resource, subresource, .. } = access;
    match rule.split_once('/') {
        None => rule == "*" || (rule == *resource && subresource.is_empty()),
        Some((left, right)) => !subresource.is_empty() && (left == "*" || left == *resource) && right == *subresource,
    }
}

/// Whether a path of a rule stands for another path; a star at its end for whatever follows.
pub(super) fn url_covers(rule: &str, path: &str) -> bool {
    rule == path || (rule.ends_with('*') && path.starts_with(rule.trim_end_matches('*')))
}

/// As messages about escalation show it. Source: `CompactString` of upstream's evaluation helpers.
impl Display for Rule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("APIGroups", &self.api_groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.non_resource_urls),
            ("ResourceNames", &self.resource_names),
            ("Verbs", &self.verbs),
        ];
        let shown = parts.iter().filter(|(_, list)| !list.is_empty());
        let shown: Vec<String> = shown.map(|(name, list)| format!("{name}:{}", quoted(list))).collect();
        write!(out, "{{{}}}", shown.join(", "))
    }
}

/// A list of strings as Go's `%q` prints it.
pub(super) fn quoted(list: &[String]) -> String {
    let quoted: Vec<String> = list.iter().map(|word| format!("{word:?}")).collect();
    format!("[{}]", quoted.join(" "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rule(json: serde_json::Value) -> Rule {
        serde_json::from_value(json).unwrap()
    }

    /// `verb group resource[/subresource] name`, `-` for nothing.
    fn access(text: &str) -> Access<'_> {
        let words: Vec<&str> = text.split(' ').map(|word| if word == "-" { "" } else { word }).collect();
        let (resource, subresource) = words[2].split_once('/').unwrap_or((words[2], ""));
        Access { verb: words[0], group: words[1], resource, subresource, name: words[3], namespace: "" }
    }

    #[test]
    fn resources_are_matched_as_upstream_matches_them() {
        let pods = json!({"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods", "services/status"]});
        let all = json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]});
        let scale = json!({"verbs": ["update"], "apiGroups": ["apps"], "resources": ["*/scale"]});
        let named = json!({"verbs": ["get"], "apiGroups": [""], "resources": ["secrets"], "resourceNames": ["one"]});
        let cases = [
            (&pods, "get - pods -", true),
            (&pods, "get - pods x", true),
            (&pods, "delete - pods x", false),
            (&pods, "get apps pods x", false),
            (&pods, "get - pods/status x", false),
            (&pods, "get - services/status x", true),
            (&pods, "get - services x", false),
            (&pods, "get - pod x", false),
            (&pods, "get - podss x", false),
            (&all, "escalate any things/sub x", true),
            (&scale, "update apps deployments/scale x", true),
            (&scale, "update apps deployments/status x", false),
            (&scale, "update apps deployments x", false),
            (&scale, "update apps scale x", false),
            (&named, "get - secrets one", true),
            (&named, "get - secrets two", false),
            (&named, "get - secrets -", false),
            (&json!({}), "get - pods x", false),
            (&json!({"verbs": null, "apiGroups": null, "resources": null}), "get - pods x", false),
            (&json!({"verbs": ["get"], "nonResourceURLs": ["*"]}), "get - pods x", false),
        ];
        for (json, asked, expected) in cases {
            let what = What::Resource(access(asked));
            assert_eq!(rule(json.clone()).allows(&what), expected, "{asked} by {json}");
        }
    }

    #[test]
    fn paths_are_matched_as_upstream_matches_them() {
        let cases = [
            ("/healthz", "/healthz", true),
            ("/healthz", "/healthz/ping", false),
            ("/healthz/*", "/healthz/ping", true),
            ("/healthz/*", "/healthz", false),
            ("/api*", "/apis/apps", true),
            ("*", "/anything", true),
            ("/metrics", "/metric", false),
        ];
        for (url, path, expected) in cases {
            let rule = rule(json!({"verbs": ["get"], "nonResourceURLs": [url]}));
            assert_eq!(rule.allows(&What::Path { verb: "get", path }), expected, "{path} by {url}");
            assert!(!rule.allows(&What::Path { verb: "post", path }));
        }
    }
}
