//! Whether a rule is for a request. Source: `apiserver` `pkg/admission/plugin/webhook/predicates/rules`.

use serde::Deserialize;

use crate::admission::{Attributes, Operation};
use crate::resources::Resource;

/// Operations, groups, versions and resources, of which one each must fit.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct Rule {
    /// `CREATE`, `UPDATE`, `DELETE`, `CONNECT`, or `*`.
    pub operations: Vec<String>,
    /// Empty for core; or `*`.
    pub api_groups: Vec<String>,
    /// Such as `v1`; or `*`.
    pub api_versions: Vec<String>,
    /// Such as `pods`, `pods/status`, `*/scale`; `*` is every resource without its subresources.
    pub resources: Vec<String>,
    /// `*`, `Cluster`, `Namespaced`.
    pub scope: Option<String>,
}

impl Rule {
    /// Whether it is for the request, if that were made in the version of `resource`.
    pub fn matches(&self, request: &Attributes, resource: &Resource) -> bool {
        self.in_scope(request)
            && self.has_operation(request)
            && any(&self.api_groups, &resource.group)
            && any(&self.api_versions, &resource.version)
            && self.resources.iter().any(|wanted| has_resource(wanted, &resource.plural, &request.subresource))
    }

    fn in_scope(&self, request: &Attributes) -> bool {
        match self.scope.as_deref() {
            None | Some("*") => true,
            // A Namespace is no namespaced object, although its requests carry its name.
            Some("Namespaced") => !request.namespace.is_empty() && !request.is_about_namespace(),
            Some("Cluster") => request.namespace.is_empty() || request.is_about_namespace(),
            Some(_) => false,
        }
    }

    /// A create-only rule sees the object once more when it is initialized: at its creation it was unfinished.
    fn has_operation(&self, request: &Attributes) -> bool {
        any(&self.operations, request.operation.name()) || request.reveals && any(&self.operations, Operation::Create.name())
    }
}

fn any(items: &[String], wanted: &str) -> bool {
    items.iter().any(|item| item == "*" || item == wanted)
}

/// As upstream means it: `pods/*` is for `pods` too.
fn has_resource(wanted: &str, plural: &str, subresource: &str) -> bool {
    let (name, sub) = wanted.split_once('/').unwrap_or((wanted, ""));
    (name == "*" || name == plural) && (sub == "*" || sub == subresource)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::admission::testing::{attributes, resource};

    #[test]
    fn resources_and_subresources() {
        let table = [
            ("pods", "pods", "", true),
            ("pods", "pods", "status", false),
            ("pods/status", "pods", "status", true),
            ("pods/status", "pods", "", false),
            ("pods/*", "pods", "status", true),
            // Not what the documentation says, but what upstream does.
            ("pods/*", "pods", "", true),
            ("*", "pods", "", true),
            ("*", "pods", "status", false),
            ("*/*", "pods", "status", true),
            ("*/*", "pods", "", true),
            ("*/scale", "deployments", "scale", true),
            ("*/scale", "deployments", "", false),
            ("services", "pods", "", false),
        ];
        for (wanted, plural, subresource, expected) in table {
            assert_eq!(has_resource(wanted, plural, subresource), expected, "{wanted} {plural}/{subresource}");
        }
    }

    #[test]
    fn scopes_operations_groups_and_versions() {
        let list = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let rule = |operation: &str, group: &str, version: &str, scope: &str| Rule {
            operations: list(&["CONNECT", operation]),
            api_groups: list(&[group]),
            api_versions: list(&[version]),
            resources: list(&["*"]),
            scope: Some(scope.to_owned()),
        };
        let mut namespaced = attributes(Operation::Create, json!({}));
        namespaced.resource = resource("apps", "v1", "Deployment", "deployments").into();
        let mut namespace = attributes(Operation::Create, json!({}));
        namespace.resource = resource("", "v1", "Namespace", "namespaces").into();
        let mut cluster = attributes(Operation::Create, json!({}));
        (cluster.resource, cluster.namespace) = (resource("", "v1", "Node", "nodes").into(), String::new());
        let requests = [&namespaced, &namespace, &cluster];
        let table = [
            (rule("CREATE", "*", "*", "*"), [true, true, true]),
            (rule("CREATE", "*", "*", "Namespaced"), [true, false, false]),
            (rule("CREATE", "*", "*", "Cluster"), [false, true, true]),
            (rule("UPDATE", "*", "*", "*"), [false, false, false]),
            (rule("*", "", "v1", "*"), [false, true, true]),
            (rule("*", "apps", "v1", "*"), [true, false, false]),
            (rule("*", "apps", "v1beta1", "*"), [false, false, false]),
        ];
        for (rule, expected) in table {
            assert_eq!(requests.map(|request| rule.matches(request, &request.resource)), expected, "{rule:?}");
        }
    }
}
