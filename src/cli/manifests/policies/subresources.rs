//! No decision is made about subresources, so nothing that a decision rests on may change through them. Upstream,
//! `deployments/status` lets annotations and owners through, `replicasets/status` labels too; `scale` carries none.

use plimsoll_contract::annotations::HOLD;
use serde_json::{Value as Json, json};

use super::{Guarded, cel, explained, spec, validation};
use crate::cli::manifests::scope::{Part, namespace_selector, rules};

/// Name of the policy and of its binding.
const NAME: &str = "plimsoll-subresources";

/// Returns the policy's name and `spec`. It is for all users: who reports a status has no reason to change any of these fields.
pub(super) fn policy(guarded: &Guarded<'_>) -> (&'static str, Json) {
    let constraints = json!({
        "matchPolicy": "Equivalent",
        "namespaceSelector": namespace_selector(guarded.namespace, guarded.exempt_namespaces),
        "resourceRules": rules(guarded.kinds, Part::Subresources, &["CREATE", "UPDATE"]),
    });
    // To the API server's matcher, `deployments/*` is `deployments` as well.
    let conditions = json!([{"name": "a-subresource", "expression": "request.?subResource.orValue('') != ''"}]);
    let keys = cel::texts(guarded.managed_keys().iter().map(String::as_str).chain([HOLD]));
    let changed = format!("{keys}.filter(key, variables.now.?annotations[?key] != variables.before.?annotations[?key])");
    let variables = [
        ("update", "request.operation == 'UPDATE'".to_owned()),
        // Some subresources have objects of their own (a Scale, a Binding), some are only ever created.
        ("now", "dyn(object).?metadata.orValue({})".into()),
        ("before", "variables.update ? dyn(oldObject).?metadata.orValue({}) : dyn({})".into()),
        ("changed", changed),
    ];
    let annotations = explained(
        "variables.changed.size() == 0",
        "these annotations cannot be changed through a subresource",
        "variables.changed.join(', ')",
    );
    let same = |field: &str, none: &str| {
        let same = format!("variables.now.?{field}.orValue({none}) == variables.before.?{field}.orValue({none})");
        validation(&format!("!variables.update || {same}"), &format!("{field} cannot be changed through a subresource"))
    };
    let validations = vec![annotations, same("labels", "{}"), same("ownerReferences", "[]")];
    (NAME, spec(constraints, conditions, &variables, validations))
}
