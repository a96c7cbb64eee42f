//! Requests that ask about access and identity: reviews, and tokens of ServiceAccounts. Nothing is stored.

use serde_json::Value as Json;
use time::OffsetDateTime;

use super::context::Context;
use super::{identity, settle};
use crate::authn::token_request::{Account, grant};
use crate::authz::review::{Reviewer, review};
use crate::resources::decode::Decoded;
use crate::resources::object;
use crate::status::Status;

/// Where ServiceAccounts are kept.
pub const ACCOUNTS: &str = "core/serviceaccounts";

/// Answers a question.
pub type Answer = fn(&Context, Decoded) -> Result<Json, Status>;

/// How the call is answered if it is a question.
pub fn question(context: &Context) -> Option<Answer> {
    match context.subresource.as_str() {
        "token" => Some(token),
        "" if !context.resource.is_stored() => Some(answer),
        _ => None,
    }
}

/// Answers a review.
fn answer(context: &Context, body: Decoded) -> Result<Json, Status> {
    let mut asked = body.object;
    identity::kind(context, &mut asked)?;
    identity::namespace_of_new(context, &mut asked)?;
    settle::fields(context, &mut asked, &body.duplicates)?;
    let server = &context.server;
    let policy = server.authorizer.policy();
    let reviewer = Reviewer { user: &context.user, policy: &policy, authenticator: &server.authenticator };
    let mut answer = review(&reviewer, &context.resource.kind, asked)?;
    if context.resource.kind == "SelfSubjectReview" {
        object::set(&mut answer, "creationTimestamp", Some(object::now().into()));
    }
    Ok(answer)
}

/// Answers a request for a token of the ServiceAccount in the path.
fn token(context: &Context, body: Decoded) -> Result<Json, Status> {
    let Some(key) = context.server.authenticator.token_key() else { return Err(Status::no_such_path()) };
    let asked = body.object;
    let kinds = [("kind", "TokenRequest"), ("apiVersion", "authentication.k8s.io/v1")];
    for (field, expected) in kinds {
        let found = asked.get(field).and_then(Json::as_str).unwrap_or(expected);
        if found != expected {
            return Err(Status::bad_request(format!(
                "the {field} in the data ({found}) does not match the expected {field} ({expected})"
            )));
        }
    }
    let account = Account { namespace: &context.namespace, name: &context.name };
    grant(key, &context.snapshot(), account, &asked, OffsetDateTime::now_utc())
}
