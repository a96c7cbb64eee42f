//! What a caller wants to do, and the answer. Source of the texts: `apiserver`
//! `pkg/endpoints/handlers/responsewriters/errors.go`.

use std::fmt::{self, Display};
use std::sync::Arc;

use crate::authn::User;
use crate::status::{Details, Reason, Status};

/// What a caller wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What<'a> {
    /// Something with a resource.
    Resource(Access<'a>),
    /// Something with a path that is no resource.
    Path {
        /// The HTTP method in lower case.
        verb: &'a str,
        /// As it was routed.
        path: &'a str,
    },
}

/// Something with a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access<'a> {
    /// Such as `get` or `escalate`.
    pub verb: &'a str,
    /// Empty for core.
    pub group: &'a str,
    /// The plural.
    pub resource: &'a str,
    /// Mostly empty.
    pub subresource: &'a str,
    /// Empty for the whole cluster.
    pub namespace: &'a str,
    /// Empty for a whole collection.
    pub name: &'a str,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes, and which binding says so; empty for `system:masters`.
    Allowed(Arc<str>),
    /// Nothing says yes. What could not be looked at, mostly empty.
    NoOpinion(String),
}

impl Verdict {
    /// Whether it is yes.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed(_))
    }

    /// Why, for people.
    pub fn reason(&self) -> &str {
        match self {
            Self::Allowed(reason) => reason,
            Self::NoOpinion(reason) => reason,
        }
    }

    /// The error that the caller gets, unless allowed.
    pub fn or_forbidden(&self, user: &User, what: &What<'_>) -> Result<(), Status> {
        match self {
            Self::Allowed(_) => Ok(()),
            Self::NoOpinion(reason) => Err(forbidden(user, what, reason)),
        }
    }
}

impl Display for What<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path { verb, path } => write!(out, "{verb} path {path:?}"),
            Self::Resource(access) => {
                let Access { verb, group, resource, subresource, namespace, .. } = access;
                write!(out, "{verb} resource \"{resource}")?;
                if !subresource.is_empty() {
                    write!(out, "/{subresource}")?;
                }
                write!(out, "\" in API group {group:?} ")?;
                match *namespace {
                    "" => write!(out, "at the cluster scope"),
                    namespace => write!(out, "in the namespace {namespace:?}"),
                }
            }
        }
    }
}

fn forbidden(user: &User, what: &What<'_>, reason: &str) -> Status {
    let mut why = harmless(&format!("User {:?} cannot {what}", user.name));
    if !reason.is_empty() {
        why = format!("{why}: {reason}");
    }
    match what {
        What::Path { .. } => Status::forbidden_path(why),
        What::Resource(access) => forbidden_object(access.group, access.resource, access.name, &why),
    }
}

/// A 403 about a resource that need not be in the table of kinds.
pub fn forbidden_object(group: &str, resource: &str, name: &str, why: &str) -> Status {
    let qualified = if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") };
    let message = match name {
        "" => format!("{qualified} is forbidden: {why}"),
        name => format!("{qualified} {name:?} is forbidden: {why}"),
    };
    let details = Details { name: name.into(), group: group.into(), kind: resource.into(), ..Details::default() };
    Status::new(403, Reason::Forbidden, message).with_details(details)
}

/// The text without what a browser might take for HTML.
fn harmless(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_kubernetes_words() {
        let user = User::authenticated("u", "", vec![]);
        let pods = Access { verb: "get", resource: "pods", namespace: "d", name: "x", ..Access::default() };
        let scale = Access { verb: "update", group: "apps", resource: "deployments", subresource: "scale", ..pods };
        let all = Access { verb: "list", resource: "pods", ..Access::default() };
        let cases = [
            (
                What::Resource(pods),
                r#"pods "x" is forbidden: User "u" cannot get resource "pods" in API group "" in the namespace "d""#,
            ),
            (
                What::Resource(scale),
                r#"deployments.apps "x" is forbidden: User "u" cannot update resource "deployments/scale" in API group "apps" in the namespace "d""#,
            ),
            (
                What::Resource(all),
                r#"pods is forbidden: User "u" cannot list resource "pods" in API group "" at the cluster scope"#,
            ),
            (What::Path { verb: "get", path: "/metrics" }, r#"forbidden: User "u" cannot get path "/metrics""#),
            (What::Path { verb: "get", path: "/<x>" }, r#"forbidden: User "u" cannot get path "/&lt;x&gt;""#),
        ];
        for (what, expected) in cases {
            let status = Verdict::NoOpinion(String::new()).or_forbidden(&user, &what).unwrap_err();
            assert_eq!((status.message.as_str(), status.code), (expected, 403));
        }
        let why = Verdict::NoOpinion("RBAC: lost".into());
        let status = why.or_forbidden(&user, &What::Resource(all)).unwrap_err();
        assert!(status.message.ends_with("at the cluster scope: RBAC: lost"), "{}", status.message);
    }
}
