//! `ListOptions` of a watch. Source of the rules: `apimachinery` `pkg/apis/meta/internalversion/validation`.

use std::time::Duration;

use uuid::Uuid;

use super::list::revision;
use crate::http::query::Query;
use crate::rest::context::Context;
use crate::status::{FieldError, Status};
use crate::watch::{Options, Start};

/// Shortest stream without `timeoutSeconds`; the longest is twice that, as upstream.
const SHORTEST: u64 = 1800;

/// Of a watch request.
pub fn watch(context: &Context, query: &Query) -> Result<Options, Status> {
    let selector = super::selector(query, context)?;
    let selector = if context.name.is_empty() { selector } else { selector.named(&context.name) };
    let seconds = query.number("timeoutSeconds")?.and_then(|seconds| u64::try_from(seconds).ok()).filter(|seconds| *seconds > 0);
    let length = Duration::from_secs(seconds.unwrap_or_else(random_length));
    Ok(Options { selector, start: start(query)?, bookmarks: query.flag("allowWatchBookmarks"), length })
}

fn start(query: &Query) -> Result<Start, Status> {
    let revision = revision(query).map_err(|error| Status::unreadable_version(&error))?;
    let initial = query.get("sendInitialEvents").map(|_| query.flag("sendInitialEvents"));
    check(query, initial)?;
    Ok(match (initial, revision) {
        (Some(true), not_before) => Start::State { not_before, marked: query.flag("allowWatchBookmarks") },
        (Some(false), None | Some(0)) => Start::Now,
        (None, None | Some(0)) => Start::State { not_before: None, marked: false },
        (_, Some(revision)) => Start::After(revision),
    })
}

/// Source: `apimachinery` `pkg/apis/meta/internalversion/validation`.
fn check(query: &Query, initial: Option<bool>) -> Result<(), Status> {
    let field = "resourceVersionMatch";
    let matching = query.text(field);
    let error = match (initial, matching) {
        (None, "") | (Some(_), "NotOlderThan") => None,
        (None, _) => {
            Some(FieldError::forbidden(field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
        }
        (Some(_), "") => {
            Some(FieldError::forbidden(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
        }
        (Some(_), other) => Some(FieldError::not_supported(field, other, &["NotOlderThan"])),
    };
    error.map_or(Ok(()), |error| Err(Status::invalid_kind("meta.k8s.io", "ListOptions", "", &[error])))
}

/// So that watchers that came together do not all come back together.
fn random_length() -> u64 {
    let random = u64::from(u16::from_le_bytes([Uuid::new_v4().as_bytes()[0], Uuid::new_v4().as_bytes()[1]]));
    SHORTEST + random * SHORTEST / u64::from(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_begins_where_it_is_asked_to() {
        let state = |not_before, marked| Some(Start::State { not_before, marked });
        let table = [
            ("", state(None, false)),
            ("resourceVersion=0", state(None, false)),
            ("resourceVersion=7", Some(Start::After(7))),
            ("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", state(None, true)),
            ("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=7", state(Some(7), false)),
            ("sendInitialEvents=false&resourceVersionMatch=NotOlderThan", Some(Start::Now)),
            ("sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=7", Some(Start::After(7))),
            ("sendInitialEvents=true", None),
            ("sendInitialEvents=true&resourceVersionMatch=Exact", None),
            ("resourceVersionMatch=NotOlderThan&resourceVersion=7", None),
            ("resourceVersion=x", None),
        ];
        for (text, expected) in table {
            assert_eq!(start(&Query::read(text).unwrap()).ok(), expected, "{text}");
        }
    }

    #[test]
    fn a_stream_ends_within_an_hour() {
        for _ in 0..100 {
            assert!((SHORTEST..=2 * SHORTEST).contains(&random_length()));
        }
    }
}
