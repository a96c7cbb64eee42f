//! The constructors of [`Status`] about a resource, with Kubernetes' own text. Source: `apimachinery` `pkg/api/errors` and
//! `apiserver` `pkg/endpoints/handlers`.

use std::fmt::Display;

use super::Resource;
use crate::status::{Details, FieldError, Reason, Status};

/// Why a write lost against another one; the end of a conflict's message.
const MODIFIED: &str = "the object has been modified; please apply your changes to the latest version and try again";

impl Status {
    fn about(self, resource: &Resource, name: &str) -> Self {
        let details =
            Details { name: name.into(), group: resource.group.clone(), kind: resource.plural.clone(), ..Details::default() };
        self.with_details(details)
    }

    /// There is no such object.
    pub fn not_found(resource: &Resource, name: &str) -> Self {
        let message = format!("{} {name:?} not found", resource.qualified());
        Self::new(404, Reason::NotFound, message).about(resource, name)
    }

    /// The name is taken.
    pub fn already_exists(resource: &Resource, name: &str) -> Self {
        let message = format!("{} {name:?} already exists", resource.qualified());
        Self::new(409, Reason::AlreadyExists, message).about(resource, name)
    }

    /// The name is taken by an object that is being deleted.
    pub fn still_deleting(resource: &Resource, name: &str) -> Self {
        let message = format!("object is being deleted: {} {name:?} already exists", resource.qualified());
        Self::new(409, Reason::AlreadyExists, message).about(resource, name)
    }

    /// No free name was drawn for `generateName`.
    pub fn generate_name_conflict(resource: &Resource, name: &str) -> Self {
        let why = "the server was not able to generate a unique name for the object";
        let message = format!("{} {name:?} already exists, {why}", resource.qualified());
        Self::new(409, Reason::AlreadyExists, message).about(resource, name).retry_after(1)
    }

    /// The object is another one than the caller thinks.
    pub fn conflict(resource: &Resource, name: &str, why: impl Display) -> Self {
        let message = format!("Operation cannot be fulfilled on {} {name:?}: {why}", resource.qualified());
        Self::new(409, Reason::Conflict, message).about(resource, name)
    }

    /// The object changed since the caller read it.
    pub fn modified(resource: &Resource, name: &str) -> Self {
        Self::conflict(resource, name, MODIFIED)
    }

    /// Fields are not as they must be.
    pub fn invalid(resource: &Resource, name: &str, errors: &[FieldError]) -> Self {
        Self::invalid_kind(&resource.group, &resource.kind, name, errors)
    }

    /// The caller may not do this to an object, or to the whole collection where `name` is empty.
    pub fn forbidden(resource: &Resource, name: &str, why: impl Display) -> Self {
        let resource_name = resource.qualified();
        let message = match name {
            "" => format!("{resource_name} is forbidden: {why}"),
            name => format!("{resource_name} {name:?} is forbidden: {why}"),
        };
        Self::new(403, Reason::Forbidden, message).about(resource, name)
    }

    /// The kind does not know the verb.
    pub fn not_supported(resource: &Resource, action: &str) -> Self {
        let message = format!("{action} is not supported on resources of kind {:?}", resource.qualified());
        Self::new(405, Reason::MethodNotAllowed, message).about(resource, "")
    }

    /// Try again.
    pub fn server_timeout(resource: &Resource, operation: &str) -> Self {
        let subject = resource.qualified();
        let message =
            format!("The {operation} operation against {subject} could not be completed at this time, please try again.");
        Self::new(500, Reason::ServerTimeout, message).about(resource, operation).retry_after(1)
    }
}
