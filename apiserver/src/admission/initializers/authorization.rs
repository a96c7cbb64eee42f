//! The verb `initialize`: an ordinary verb of RBAC on the kind that is initialized.

use crate::admission::Attributes;
use crate::authn::User;
use crate::authz::Authorizer;
use crate::authz::request::{Access, What};
use crate::resources::Resource;

/// The object that somebody wants to initialize.
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
    /// Returns the object of a write.
    pub fn of(request: &'a Attributes) -> Self {
        Self { resource: &request.resource, namespace: &request.namespace, name: &request.name }
    }
}

/// Somebody who may not initialize an object.
#[derive(Debug, thiserror::Error)]
#[error("User {user:?} cannot {access}{}", if reason.is_empty() { String::new() } else { format!(": {reason}") })]
pub struct MayNotInitialize {
    user: String,
    /// The verb and its object, as RBAC's refusals say them.
    access: String,
    /// The authorizer's; may be empty.
    reason: String,
}

/// Fails unless `user` may initialize `target`.
pub fn may_initialize(authorizer: &Authorizer, user: &User, target: &Target<'_>) -> Result<(), MayNotInitialize> {
    let Target { resource, namespace, name } = *target;
    let (group, plural) = (resource.group.as_str(), resource.plural.as_str());
    let access = Access { verb: "initialize", group, resource: plural, subresource: "", namespace, name };
    let what = What::Resource(access);
    let verdict = authorizer.authorize(user, &what);
    if verdict.is_allowed() {
        return Ok(());
    }
    Err(MayNotInitialize { user: user.name.clone(), access: what.to_string(), reason: verdict.reason().to_owned() })
}
