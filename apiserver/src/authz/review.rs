//! Reviews: questions about access and identity, answered and forgotten. Source: `kubernetes`
//! `pkg/registry/{authorization,authentication}`; the texts are those of a running kube-apiserver 1.36.3. Ownership of fields
//! is not noted, unlike upstream: nobody applies a question.

mod spec;

use serde_json::{Map, Value as Json, json};

use self::spec::{Spec, faults};
use super::rbac::{Policy, Rule};
use super::request::What;
use crate::authn::service_account::ISSUER;
use crate::authn::{Authenticator, User};
use crate::status::Status;

/// What a review is answered with.
#[derive(Clone, Copy, Debug)]
pub struct Reviewer<'a> {
    /// Who asks.
    pub user: &'a User,
    /// What is allowed at this moment.
    pub policy: &'a Policy,
    /// Knows tokens.
    pub authenticator: &'a Authenticator,
}

/// Answers a review: the object as it came, with its status. Its kind, version and namespace have been checked.
pub fn review(reviewer: &Reviewer<'_>, kind: &str, mut object: Json) -> Result<Json, Status> {
    let spec = Spec::read(&object)?;
    let status = match kind {
        "SelfSubjectReview" => json!({ "userInfo": user_info(reviewer.user) }),
        "SelfSubjectRulesReview" => {
            set(&mut object, "spec", json!({}));
            rules(reviewer, &spec.namespace)?
        }
        "TokenReview" => token(reviewer.authenticator, &spec)?,
        kind => {
            let faults = faults(kind, &object, &spec);
            if !faults.is_empty() {
                // Upstream has lost the kind at this point: the text begins with the group.
                return Err(Status::invalid_kind("authorization.k8s.io", "", "", &faults));
            }
            access(reviewer, kind, &spec)
        }
    };
    set(&mut object, "status", status);
    Ok(object)
}

fn set(object: &mut Json, field: &str, value: Json) {
    if let Some(object) = object.as_object_mut() {
        object.insert(field.into(), value);
    }
}

fn access(reviewer: &Reviewer<'_>, kind: &str, spec: &Spec) -> Json {
    let Some(what) = spec.what() else { return json!({ "allowed": false }) };
    let subject = match kind {
        "SelfSubjectAccessReview" => reviewer.user.clone(),
        _ => spec.subject(),
    };
    let verdict = reviewer.policy.authorize(&subject, &what);
    let mut status = json!({ "allowed": verdict.is_allowed() });
    if !verdict.reason().is_empty() {
        set(&mut status, "reason", verdict.reason().into());
    }
    status
}

fn rules(reviewer: &Reviewer<'_>, namespace: &str) -> Result<Json, Status> {
    if namespace.is_empty() {
        return Err(Status::bad_request("no namespace on request"));
    }
    let (rules, lost) = reviewer.policy.rules_for(reviewer.user, namespace);
    let of_resources = rules.iter().filter(|rule| !rule.resources.is_empty());
    let of_paths = rules.iter().filter(|rule| !rule.non_resource_urls.is_empty());
    let resource_rules: Vec<_> = of_resources.map(|rule| Rule { non_resource_urls: vec![], ..Rule::clone(rule) }).collect();
    let path = |rule: &&&Rule| json!({ "verbs": rule.verbs, "nonResourceURLs": rule.non_resource_urls });
    let path_rules: Vec<_> = of_paths.map(|rule| path(&rule)).collect();
    let mut status = json!({ "resourceRules": resource_rules, "nonResourceRules": path_rules, "incomplete": false });
    if !lost.is_empty() {
        let lost = if lost.len() == 1 { lost.concat() } else { format!("[{}]", lost.join(", ")) };
        set(&mut status, "evaluationError", lost.into());
    }
    Ok(status)
}

fn token(authenticator: &Authenticator, spec: &Spec) -> Result<Json, Status> {
    if spec.token.is_empty() {
        return Err(Status::bad_request("token is required for TokenReview in authentication"));
    }
    let audiences = if spec.audiences.is_empty() { vec![ISSUER.to_owned()] } else { spec.audiences.clone() };
    Ok(match authenticator.token(&spec.token, &audiences) {
        Ok(known) => json!({ "authenticated": true, "user": user_info(&known.user), "audiences": known.audiences }),
        Err(error) => json!({ "user": {}, "error": format!("invalid bearer token: {error}") }),
    })
}

/// `UserInfo`, without what is empty.
fn user_info(user: &User) -> Json {
    let mut info = Map::new();
    info.insert("username".into(), user.name.as_str().into());
    if !user.uid.is_empty() {
        info.insert("uid".into(), user.uid.as_str().into());
    }
    info.insert("groups".into(), json!(user.groups));
    if !user.extra.is_empty() {
        info.insert("extra".into(), json!(user.extra));
    }
    Json::Object(info)
}

/// Whether a spec asks about a resource or a path; `None` for neither.
impl Spec {
    fn what(&self) -> Option<What<'_>> {
        let resource = self.resource_attributes.as_ref().map(|resource| What::Resource(resource.access()));
        let path = self.non_resource_attributes.as_ref();
        resource.or_else(|| path.map(|asked| What::Path { verb: &asked.verb, path: &asked.path }))
    }

    fn subject(&self) -> User {
        User { name: self.user.clone(), uid: self.uid.clone(), groups: self.groups.clone(), extra: self.extra.clone() }
    }
}

#[cfg(test)]
mod tests;
