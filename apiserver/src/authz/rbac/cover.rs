//! Whether some rules allow all that others allow: nobody may grant what they do not have. Source:
//! `component-helpers` `auth/rbac/validation` and `kubernetes` `pkg/registry/rbac/validation/policy_compact.go`.

use std::collections::BTreeSet;

use super::rule::{Rule, has, quoted, url_covers};

/// Permissions that somebody would grant without having them. Source of the text: `ConfirmNoEscalation` in `kubernetes`
/// `pkg/registry/rbac/validation/rule.go`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "user {user:?} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}{}",
    quoted(.groups), .missing.join("\n"), resolution_errors(.unresolved)
)]
pub struct EscalationError {
    /// Name of the user who would grant them.
    pub user: String,
    /// The user's groups.
    pub groups: Vec<String>,
    /// The permissions that the user lacks: one line for each resource or path, sorted.
    pub missing: Vec<String>,
    /// Why roles that bindings give to the user could not be looked at: they may allow what is missing.
    pub unresolved: Vec<String>,
}

fn resolution_errors(unresolved: &[String]) -> String {
    if unresolved.is_empty() { String::new() } else { format!("; resolution errors: [{}]", unresolved.join(", ")) }
}

/// What of `wanted` the rules in `owned` do not allow: one line for each resource or path, sorted. Empty: all allowed.
pub(super) fn missing(owned: &[&Rule], wanted: &[Rule]) -> BTreeSet<String> {
    let pieces = wanted.iter().flat_map(break_down);
    let missing = pieces.filter(|piece| !owned.iter().any(|rule| covers(rule, piece)));
    compact(missing).iter().map(Rule::to_string).collect()
}

/// The rule as rules that each have one verb, one resource or path, and at most one name.
fn break_down(rule: &Rule) -> Vec<Rule> {
    let mut pieces = Vec::new();
    let one = |word: &String| vec![word.clone()];
    let names: Vec<Vec<String>> = match rule.resource_names.as_slice() {
        [] => vec![Vec::new()],
        names => names.iter().map(one).collect(),
    };
    for group in &rule.api_groups {
        for resource in &rule.resources {
            for verb in &rule.verbs {
                pieces.extend(names.iter().map(|name| Rule {
                    verbs: one(verb),
                    api_groups: one(group),
                    resources: one(resource),
                    resource_names: name.clone(),
                    ..Rule::default()
                }));
            }
        }
    }
    for url in &rule.non_resource_urls {
        let of_url = |verb| Rule { verbs: one(verb), non_resource_urls: one(url), ..Rule::default() };
        pieces.extend(rule.verbs.iter().map(of_url));
    }
    pieces
}

/// Whether one rule allows the whole of a piece that [`break_down`] made.
fn covers(rule: &Rule, piece: &Rule) -> bool {
    let all = |own: &[String], wanted: &[String]| wanted.iter().all(|word| has(own, word));
    let names = rule.resource_names.is_empty()
        || (!piece.resource_names.is_empty() && piece.resource_names.iter().all(|name| rule.resource_names.contains(name)));
    names
        && all(&rule.verbs, &piece.verbs)
        && all(&rule.api_groups, &piece.api_groups)
        && piece.resources.iter().all(|resource| covers_resource(&rule.resources, resource))
        && piece.non_resource_urls.iter().all(|path| rule.non_resource_urls.iter().any(|url| url_covers(url, path)))
}

fn covers_resource(owned: &[String], resource: &str) -> bool {
    let any_parent = resource.split_once('/').map(|(_, subresource)| format!("*/{subresource}"));
    has(owned, resource) || any_parent.is_some_and(|any| owned.contains(&any))
}

/// Pieces that differ in nothing but their verb become one.
fn compact(pieces: impl Iterator<Item = Rule>) -> Vec<Rule> {
    let mut compacted: Vec<Rule> = Vec::new();
    for piece in pieces {
        let same = |other: &&mut Rule| {
            piece.non_resource_urls.is_empty()
                && other.api_groups == piece.api_groups
                && other.resources == piece.resources
                && other.resource_names == piece.resource_names
        };
        match compacted.iter_mut().find(same) {
            Some(other) => other.verbs.extend(piece.verbs),
            None => compacted.push(piece),
        }
    }
    compacted
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn rules(json: Json) -> Vec<Rule> {
        serde_json::from_value(json).unwrap()
    }

    fn of(verbs: &[&str], group: &str, resource: &str, names: &[&str]) -> Json {
        json!({"verbs": verbs, "apiGroups": [group], "resources": [resource], "resourceNames": names})
    }

    #[test]
    fn what_is_not_owned_is_missing() {
        let pods = of(&["get", "list"], "", "pods", &[]);
        let cases: [(Json, Json, &[&str]); 10] = [
            (json!([pods]), json!([pods]), &[]),
            (json!([of(&["*"], "*", "*", &[])]), json!([pods]), &[]),
            (json!([pods]), json!([of(&["get"], "", "pods", &["x"])]), &[]),
            (
                json!([of(&["get"], "", "pods", &["x"])]),
                json!([pods]),
                &[r#"{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}"#],
            ),
            (
                json!([pods]),
                json!([of(&["get", "delete", "update"], "", "pods", &["x"])]),
                &[r#"{APIGroups:[""], Resources:["pods"], ResourceNames:["x"], Verbs:["delete" "update"]}"#],
            ),
            (json!([of(&["update"], "apps", "*/scale", &[])]), json!([of(&["update"], "apps", "sets/scale", &[])]), &[]),
            (json!([pods]), json!([of(&["*"], "", "pods", &[])]), &[r#"{APIGroups:[""], Resources:["pods"], Verbs:["*"]}"#]),
            (
                json!([{"verbs": ["get"], "nonResourceURLs": ["/apis/*"]}]),
                json!([{"verbs": ["get"], "nonResourceURLs": ["/apis/apps", "/healthz"]}]),
                &[r#"{NonResourceURLs:["/healthz"], Verbs:["get"]}"#],
            ),
            (json!([]), json!([]), &[]),
            (
                json!([of(&["get"], "", "pods", &[]), of(&["list"], "", "pods", &[])]),
                json!([of(&["get", "list"], "", "pods", &[])]),
                &[],
            ),
        ];
        for (owned, wanted, expected) in cases {
            let (owned, wanted) = (rules(owned), rules(wanted));
            let owned: Vec<&Rule> = owned.iter().collect();
            let found: Vec<String> = missing(&owned, &wanted).into_iter().collect();
            assert_eq!(found, expected, "{wanted:?}");
        }
    }
}
