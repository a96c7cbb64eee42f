//! `plimsoll.io/hold` is an operator's lock: who sets it opts an object out of repair, who removes it hands the object to
//! policy while somebody counts on it not to move. Both need the verb `hold`.

use plimsoll_contract::annotations::HOLD;
use serde_json::{Value as Json, json};

use super::{Guarded, cel, spec, validation};
use crate::cli::manifests::scope::{Part, namespace_selector, rules};

/// Name of the policy, of its binding, and of the ClusterRole that grants the verb `hold`.
pub const NAME: &str = "plimsoll-hold";

/// Returns the policy's name and `spec`. It is not for exempt namespaces: nothing is placed there, so nothing can be held.
pub(super) fn policy(guarded: &Guarded<'_>) -> (&'static str, Json) {
    let constraints = json!({
        "matchPolicy": "Equivalent",
        "namespaceSelector": namespace_selector(guarded.namespace, guarded.exempt_namespaces),
        "resourceRules": rules(guarded.kinds, Part::Objects, &["CREATE", "UPDATE"]),
    });
    // A controller that copies a Deployment's annotations to its ReplicaSets copies this one too. A raw literal: no
    // backslash of the expression is CEL's.
    let others = format!("!request.userInfo.username.matches(r'{}')", guarded.controllers.expression());
    let conditions = json!([{"name": "not-a-controller", "expression": others}]);
    let key = cel::text(HOLD);
    let variables = [
        ("now", "dyn(object).metadata.?annotations.orValue({})".to_owned()),
        ("before", "request.operation == 'UPDATE' ? dyn(oldObject).metadata.?annotations.orValue({}) : dyn({})".to_owned()),
        ("allowed", allowed()),
    ];
    // The authorizer is asked only if the first half is false.
    let unchanged = format!("variables.now[?{key}] == variables.before[?{key}] || variables.allowed");
    let message = format!("setting, changing or removing {HOLD} needs the verb `hold` on the object (ClusterRole {NAME})");
    (NAME, spec(constraints, conditions, &variables, vec![validation(&unchanged, &message)]))
}

/// Returns the expression that asks the authorizer for the verb `hold` on the object, by the resource of the table of kinds, whatever
/// version the request has. An object that the server is to name has no name yet.
fn allowed() -> String {
    "authorizer.group(request.resource.group).resource(request.resource.resource)\
     .namespace(request.?namespace.orValue('')).name(request.?name.orValue('')).check('hold').allowed()"
        .into()
}
