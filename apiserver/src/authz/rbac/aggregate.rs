//! Cluster roles made of others. Upstream a controller copies the rules into the role; here they are joined when roles are
//! evaluated, so that no stored rule can be out of date. Source: `kubernetes`
//! `pkg/controller/clusterroleaggregation`.

use std::collections::{BTreeMap, BTreeSet};

use super::object::Object;
use super::rule::Rule;

/// The rules of each cluster role, by name.
pub(super) fn effective_rules(roles: &BTreeMap<String, Object>) -> BTreeMap<String, Vec<Rule>> {
    roles.keys().map(|name| (name.clone(), rules_of(name, roles))).collect()
}

/// Rules of the role and of all it is made of, each once; roles made of each other are no trouble.
fn rules_of(name: &str, roles: &BTreeMap<String, Object>) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut seen = BTreeSet::from([name]);
    let mut todo = Vec::from_iter(roles.get_key_value(name));
    while let Some((_, role)) = todo.pop() {
        let Some(aggregation) = &role.aggregation_rule else {
            let new: Vec<&Rule> = role.rules.iter().filter(|rule| !rules.contains(rule)).collect();
            rules.extend(new.into_iter().cloned().collect::<Vec<_>>());
            continue;
        };
        let selected = |other: &Object| {
            let labels = other.metadata.labels.as_ref();
            aggregation.cluster_role_selectors.iter().any(|selector| selector.matches(labels))
        };
        todo.extend(roles.iter().rev().filter(|(name, other)| selected(other) && seen.insert(name)));
    }
    rules
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn roles_are_joined_through_several_steps_and_circles() {
        let label = |value: &str| json!({"to": value});
        let select = |value: &str| json!({"clusterRoleSelectors": [{"matchLabels": {"to": value}}]});
        let rule = |verb: &str| json!([{"verbs": [verb]}]);
        let objects = json!([
            {"metadata": {"name": "admin", "labels": label("edit")}, "aggregationRule": select("admin"), "rules": rule("stale")},
            {"metadata": {"name": "edit", "labels": label("admin")}, "aggregationRule": select("edit"), "rules": null},
            {"metadata": {"name": "piece", "labels": label("edit")}, "rules": rule("update")},
            {"metadata": {"name": "other"}, "rules": rule("watch")},
        ]);
        let objects: Vec<Object> = serde_json::from_value(objects).unwrap();
        let roles = objects.into_iter().map(|object| (object.metadata.name.clone(), object)).collect();
        let rules = effective_rules(&roles);
        let verbs = |name: &str| rules[name].iter().flat_map(|rule| rule.verbs.clone()).collect::<Vec<_>>();
        assert_eq!(verbs("admin"), ["update"]);
        assert_eq!(verbs("edit"), ["update"]);
        assert_eq!(verbs("other"), ["watch"]);
    }
}
