//! `ListOptions`. Source: `apimachinery` `pkg/apis/meta/internalversion/validation`.

use super::selector;
use crate::http::query::Query;
use crate::rest::context::Context;
use crate::rest::continue_token::Token;
use crate::rest::list::{Options, Version, namespace};
use crate::status::{FieldError, Status};

/// Of a list request.
pub fn list(context: &Context, query: &Query) -> Result<Options, Status> {
    let limit = query.number("limit")?.unwrap_or_default();
    let limit = usize::try_from(limit).map_err(|_| Status::bad_request("limit: must not be negative"))?;
    let token = query.get("continue").filter(|text| !text.is_empty());
    let version = version(query, token.is_some(), limit)?;
    let token = token.map(|text| Token::read(text, namespace(context))).transpose()?;
    let selector = selector(query, context)?;
    Ok(Options { limit, token, version, selector })
}

/// `resourceVersion` as a number; `None` for absent and empty.
pub fn revision(query: &Query) -> Result<Option<u64>, FieldError> {
    let text = query.text("resourceVersion");
    if text.is_empty() {
        return Ok(None);
    }
    let parsed = text.parse::<u64>();
    let invalid = |error| FieldError::invalid("resourceVersion", text, format!("strconv.ParseUint: parsing {text:?}: {error}"));
    parsed.map(Some).map_err(|_| invalid("invalid syntax"))
}

fn version(query: &Query, continued: bool, limit: usize) -> Result<Version, Status> {
    check_match(query, continued)?;
    let unreadable = |error: FieldError| Status::bad_request(format!("invalid resource version: {error}"));
    let revision = revision(query).map_err(unreadable)?;
    if continued && revision.is_some_and(|revision| revision != 0) {
        return Err(Status::bad_request("specifying resource version is not allowed when using continue"));
    }
    Ok(match (revision, query.text("resourceVersionMatch")) {
        (None | Some(0), _) => Version::Latest,
        (Some(revision), "Exact") => Version::Exactly(revision),
        (Some(revision), "") if limit > 0 => Version::Exactly(revision),
        (Some(revision), _) => Version::NotOlder(revision),
    })
}

fn check_match(query: &Query, continued: bool) -> Result<(), Status> {
    let (version, matching) = (query.text("resourceVersion"), query.text("resourceVersionMatch"));
    let field = "resourceVersionMatch";
    let error = match matching {
        _ if query.get("sendInitialEvents").is_some() && !query.flag("watch") => {
            Some(FieldError::forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
        }
        "" => None,
        _ if continued => Some(FieldError::forbidden(field, "resourceVersionMatch is forbidden when continue is provided")),
        _ if version.is_empty() => {
            Some(FieldError::forbidden(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
        }
        "Exact" if version == "0" => {
            Some(FieldError::forbidden(field, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""))
        }
        "Exact" | "NotOlderThan" => None,
        other => Some(FieldError::not_supported(field, other, &["Exact", "NotOlderThan", ""])),
    };
    error.map_or(Ok(()), |error| Err(Status::invalid_kind("meta.k8s.io", "ListOptions", "", &[error])))
}
