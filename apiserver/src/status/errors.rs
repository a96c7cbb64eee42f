//! The constructors of [`Status`]: each error that clients know, with Kubernetes' own text. Source: `apimachinery`
//! `pkg/api/errors` and `apiserver` `pkg/endpoints/handlers`.

use std::fmt::Display;

use super::{Cause, Details, FieldError, Reason, Status};

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

    /// Server-side apply: others own the fields.
    pub fn apply_conflict(message: impl Into<String>, causes: Vec<Cause>) -> Self {
        Self::new(409, Reason::Conflict, message).with_details(Details { causes, ..Details::default() })
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
