//! The verb `initialize`: an ordinary verb of RBAC on the kind that is initialized.

use crate::admission::Attributes;
use crate::authn::User;
use crate::authz::Authorizer;
use crate::authz::request::{Access, What};
use crate::resources::Resource;

/// What somebody wants to initialize.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// In the version of the request.
    pub resource: &'a Resource,
    /// Empty for what has no namespace.
    pub namespace: &'a str,
    /// Empty while it is not known.
    pub name: &'a str,
}

impl<'a> Target<'a> {
    /// What a write is about.
    pub fn of(request: &'a Attributes) -> Self {
        Self { resource: &request.resource, namespace: &request.namespace, name: &request.name }
    }
}

/// Whether `user` may initialize `target`. Fails with the reason, for people.
pub fn may_initialize(authorizer: &Authorizer, user: &User, target: &Target<'_>) -> Result<(), String> {
    let Target { resource, namespace, name } = *target;
    let (group, plural) = (resource.group.as_str(), resource.plural.as_str());
    let access = Access { verb: "initialize", group, resource: plural, subresource: "", namespace, name };
    let what = What::Resource(access);
    let verdict = authorizer.authorize(user, &what);
    match (verdict.is_allowed(), verdict.reason()) {
        (true, _) => Ok(()),
        (false, "") => Err(format!("User {:?} cannot {what}", user.name)),
        (false, reason) => Err(format!("User {:?} cannot {what}: {reason}", user.name)),
    }
}
