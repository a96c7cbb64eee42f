//! The roles and bindings that every server starts with: those of Kubernetes' that this server has a use for. Source:
//! `kubernetes` `plugin/pkg/auth/authorizer/rbac/bootstrappolicy`.

use serde_json::{Value as Json, json};

use super::object::Object;
use super::{GROUP, aggregate};

/// Name, the roles it is aggregated to or from, and rules.
const ROLES: &str = include_str!("bootstrap.yaml");

/// The objects, complete but for what the store adds: cluster roles, then their bindings.
pub fn objects() -> Result<Vec<Json>, yaml_serde::Error> {
    let Json::Object(parts) = yaml_serde::from_str(ROLES)? else {
        return Ok(Vec::new());
    };
    let of = |kind: &'static str, key: &str| {
        let entries = parts.get(key).and_then(Json::as_object).cloned().unwrap_or_default();
        entries.into_iter().map(move |(name, body)| complete(kind, &name, body))
    };
    let mut objects: Vec<Json> =
        of("ClusterRole", "clusterRoles").chain(of("ClusterRoleBinding", "clusterRoleBindings")).collect();
    join_aggregated(&mut objects);
    Ok(objects)
}

fn complete(kind: &str, name: &str, mut body: Json) -> Json {
    let mut labels = json!({"kubernetes.io/bootstrapping": "rbac-defaults"});
    if let (Some(labels), Some(to)) = (labels.as_object_mut(), body.get("aggregateTo").and_then(Json::as_str)) {
        labels.insert(format!("rbac.authorization.k8s.io/aggregate-to-{to}"), "true".into());
    }
    if let Some(body) = body.as_object_mut() {
        body.remove("aggregateTo");
        body.insert("apiVersion".into(), format!("{GROUP}/v1").into());
        body.insert("kind".into(), kind.into());
        let annotations = json!({"rbac.authorization.kubernetes.io/autoupdate": "true"});
        body.insert("metadata".into(), json!({"name": name, "labels": labels, "annotations": annotations}));
    }
    body
}

/// Shows in aggregated roles what they are made of, as upstream's controller would.
fn join_aggregated(objects: &mut [Json]) {
    let parsed = objects.iter().filter_map(|object| serde_json::from_value::<Object>(object.clone()).ok());
    let roles = parsed.filter(|object| object.kind == "ClusterRole");
    let roles = roles.map(|object| (object.metadata.name.clone(), object)).collect();
    let rules = aggregate::effective_rules(&roles);
    for object in objects.iter_mut().filter(|object| object.get("aggregationRule").is_some()) {
        let name = object.pointer("/metadata/name").and_then(Json::as_str).unwrap_or_default();
        let joined = rules.get(name).map(|rules| json!(rules)).unwrap_or_default();
        if let Some(object) = object.as_object_mut() {
            object.insert("rules".into(), joined);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Policy;
    use super::*;
    use crate::authn::User;
    use crate::authz::request::{Access, What};

    #[test]
    fn all_objects_are_whole() {
        let objects = objects().unwrap();
        assert!(objects.len() > 12, "{}", objects.len());
        for object in &objects {
            assert!(object["metadata"]["name"].is_string() && object["apiVersion"].is_string(), "{object}");
            assert!(
                object["rules"].as_array().is_some_and(|rules| !rules.is_empty()) || object["roleRef"].is_object(),
                "{object}"
            );
        }
    }

    #[test]
    fn everybody_may_discover_and_ask_what_they_may_do() {
        let policy = Policy::bootstrap();
        let user = User::authenticated("u", "", vec![]);
        let path = |path| What::Path { verb: "get", path };
        let review = What::Resource(Access {
            verb: "create",
            group: "authorization.k8s.io",
            resource: "selfsubjectaccessreviews",
            ..Access::default()
        });
        let pods = What::Resource(Access { verb: "list", resource: "pods", namespace: "a", ..Access::default() });
        let cases = [
            (path("/apis/apps/v1"), true, false),
            (path("/openapi/v3"), true, false),
            (path("/healthz"), true, true),
            (path("/version"), true, true),
            (path("/metrics"), false, false),
            (review, true, false),
            (pods, false, false),
        ];
        for (what, authenticated, anonymous) in cases {
            assert_eq!(policy.authorize(&user, &what).is_allowed(), authenticated, "{what}");
            assert_eq!(policy.authorize(&User::anonymous(), &what).is_allowed(), anonymous, "anonymous: {what}");
        }
    }
}
