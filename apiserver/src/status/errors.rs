//! The constructors of [`Status`]: each error that clients know, with Kubernetes' own text. Source: `apimachinery`
//! `pkg/api/errors` and `apiserver` `pkg/endpoints/handlers`.

use std::fmt::Display;

use super::{Cause, Details, Reason, Status};
use crate::resources::{FieldError, Resource};

/// Why a write lost against another one; the end of a conflict's message.
const MODIFIED: &str = "the object has been modified; please apply your changes to the latest version and try again";

impl Status {
    /// Any error.
    pub fn new(code: u16, reason: Reason, message: impl Into<String>) -> Self {
        Self { message: message.into(), reason, details: None, code, continue_token: None }
    }

    /// With what the request was about.
    pub fn with_details(mut self, details: Details) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// With one more cause.
    pub fn with_cause(mut self, cause: Cause) -> Self {
        self.details.get_or_insert_default().causes.push(cause);
        self
    }

    /// With the seconds after which to try again, also sent as `Retry-After`.
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.details.get_or_insert_default().retry_after_seconds = Some(seconds);
        self
    }

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

    /// There is nothing at this path.
    pub fn no_such_path() -> Self {
        let message = "the server could not find the requested resource";
        Self::new(404, Reason::NotFound, message).with_details(Details::default())
    }

    /// The namespace of a request does not exist.
    pub fn no_namespace(name: &str) -> Self {
        let details = Details { name: name.into(), kind: "namespaces".into(), ..Details::default() };
        Self::new(404, Reason::NotFound, format!("namespaces {name:?} not found")).with_details(details)
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

    /// Server-side apply: others own the fields.
    pub fn apply_conflict(message: impl Into<String>, causes: Vec<Cause>) -> Self {
        Self::new(409, Reason::Conflict, message).with_details(Details { causes, ..Details::default() })
    }

    /// Fields are not as they must be.
    pub fn invalid(resource: &Resource, name: &str, errors: &[FieldError]) -> Self {
        Self::invalid_kind(&resource.group, &resource.kind, name, errors)
    }

    /// `resourceVersion` is no number, of a get or a watch. Upstream's bare error, but not with its code 500.
    pub fn unreadable_version(error: &FieldError) -> Self {
        Self::new(400, Reason::Unknown, error.to_string())
    }

    /// Fields are not as they must be, of something that is no resource, such as `DeleteOptions`.
    pub fn invalid_kind(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Self {
        let qualified = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        let message = match errors {
            [] => format!("{qualified} {name:?} is invalid"),
            errors => format!("{qualified} {name:?} is invalid: {}", aggregate(errors)),
        };
        let causes = errors.iter().map(FieldError::cause).collect();
        let details = Details { name: name.into(), group: group.into(), kind: kind.into(), causes, ..Details::default() };
        Self::new(422, Reason::Invalid, message).with_details(details)
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

    /// The caller may not reach a path that is no resource.
    pub fn forbidden_path(why: impl Display) -> Self {
        Self::new(403, Reason::Forbidden, format!("forbidden: {why}")).with_details(Details::default())
    }

    /// Nobody is known by these credentials.
    pub fn unauthorized() -> Self {
        Self::new(401, Reason::Unauthorized, "Unauthorized")
    }

    /// The request itself is wrong.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, Reason::BadRequest, message)
    }

    /// The path does not know the method.
    pub fn method_not_allowed() -> Self {
        Self::new(405, Reason::MethodNotAllowed, "the server does not allow this method on the requested resource")
            .with_details(Details::default())
    }

    /// The kind does not know the verb.
    pub fn not_supported(resource: &Resource, action: &str) -> Self {
        let message = format!("{action} is not supported on resources of kind {:?}", resource.qualified());
        Self::new(405, Reason::MethodNotAllowed, message).about(resource, "")
    }

    /// None of the accepted answers can be given.
    pub fn not_acceptable(accepted: &[&str]) -> Self {
        let message = format!("only the following media types are accepted: {}", accepted.join(", "));
        Self::new(406, Reason::NotAcceptable, message)
    }

    /// The body is of a type that is not read here.
    pub fn unsupported_media_type(accepted: &[&str]) -> Self {
        let what = "the body of the request was in an unknown format - accepted media types include";
        Self::new(415, Reason::UnsupportedMediaType, format!("{what}: {}", accepted.join(", ")))
    }

    /// The body or the object is too large.
    pub fn too_large(why: impl Display) -> Self {
        Self::new(413, Reason::RequestEntityTooLarge, format!("Request entity too large: {why}"))
    }

    /// Too much at a time.
    pub fn too_many_requests() -> Self {
        Self::new(429, Reason::TooManyRequests, "Too many requests, please try again later.").retry_after(1)
    }

    /// A revision, or a continue token, from too long ago.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, Reason::Expired, message)
    }

    /// The deadline passed, or `message` says what did not come in time.
    pub fn timeout(message: impl Display) -> Self {
        Self::new(504, Reason::Timeout, format!("Timeout: {message}"))
    }

    /// The request did not end within its deadline.
    pub fn deadline() -> Self {
        Self::timeout("request did not complete within requested timeout - context deadline exceeded")
            .with_details(Details::default())
    }

    /// A resourceVersion from the future; reflectors know the cause.
    pub fn future_version(asked: u64, current: u64) -> Self {
        let message = format!("Too large resource version: {asked}, current: {current}");
        let cause =
            Cause { reason: "ResourceVersionTooLarge".into(), message: "Too large resource version".into(), ..Cause::default() };
        Self::timeout(message).with_cause(cause).retry_after(1)
    }

    /// Try again.
    pub fn server_timeout(resource: &Resource, operation: &str) -> Self {
        let subject = resource.qualified();
        let message =
            format!("The {operation} operation against {subject} could not be completed at this time, please try again.");
        Self::new(500, Reason::ServerTimeout, message).about(resource, operation).retry_after(1)
    }

    /// A defect of the server, or of what it depends on.
    pub fn internal(why: impl Display) -> Self {
        let cause = Cause { message: why.to_string(), ..Cause::default() };
        Self::new(500, Reason::InternalError, format!("Internal error occurred: {why}")).with_cause(cause)
    }

    /// Not now.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(503, Reason::ServiceUnavailable, message)
    }
}

/// All faults in one text: one as it is, several in brackets, each once. Source: `apimachinery` `pkg/util/errors`.
fn aggregate(errors: &[FieldError]) -> String {
    let mut texts: Vec<String> = Vec::with_capacity(errors.len());
    for error in errors {
        let text = error.to_string();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_faults_are_one_text_and_each_is_said_once() {
        let [a, b] = ["a", "b"].map(|field| FieldError::required(field, ""));
        assert_eq!(aggregate(std::slice::from_ref(&a)), "a: Required value");
        assert_eq!(aggregate(&[a.clone(), b, a]), "[a: Required value, b: Required value]");
        let status = Status::invalid_kind("apps", "Deployment", "x", &[FieldError::forbidden("spec", "no")]);
        assert_eq!(status.message, r#"Deployment.apps "x" is invalid: spec: Forbidden: no"#);
        assert_eq!(status.code, 422);
    }
}
