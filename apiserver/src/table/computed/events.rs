//! Cells of events, in the words of core/v1 or of events.k8s.io/v1: one storage, two spellings.

use serde_json::Value as Json;
use time::OffsetDateTime;

use crate::table::duration;
use crate::table::object::{integer, present, text};

/// The spelling of core/v1, then that of events.k8s.io/v1.
const REGARDING: [&str; 2] = ["/involvedObject", "/regarding"];
const FIRST: [&str; 2] = ["/firstTimestamp", "/deprecatedFirstTimestamp"];
const LAST: [&str; 2] = ["/lastTimestamp", "/deprecatedLastTimestamp"];
const COUNT: [&str; 2] = ["/count", "/deprecatedCount"];
const SOURCE: [&str; 2] = ["/source", "/deprecatedSource"];
const MESSAGE: [&str; 2] = ["/message", "/note"];
const CONTROLLER: [&str; 2] = ["/reportingComponent", "/reportingController"];

pub(super) fn last_seen(event: &Json, now: OffsetDateTime) -> String {
    if let Some(series) = present(event, "/series") {
        return duration::since(series.get("lastObservedTime"), now);
    }
    either(event, LAST).map_or_else(|| first_seen(event, now), |time| duration::since(Some(time), now))
}

pub(super) fn first_seen(event: &Json, now: OffsetDateTime) -> String {
    duration::since(either(event, FIRST).or_else(|| present(event, "/eventTime")), now)
}

/// How often; events of the new API that happened once do not say so.
pub(super) fn count(event: &Json) -> i64 {
    match present(event, "/series") {
        Some(series) => integer(series, "/count"),
        None => either(event, COUNT).and_then(Json::as_i64).filter(|count| *count != 0).unwrap_or(1),
    }
}

pub(super) fn object(event: &Json) -> String {
    let about = either(event, REGARDING).unwrap_or(&Json::Null);
    let kind = text(about, "/kind").to_lowercase();
    match text(about, "/name") {
        "" => kind,
        name => format!("{kind}/{name}"),
    }
}

pub(super) fn message(event: &Json) -> &str {
    either(event, MESSAGE).and_then(Json::as_str).unwrap_or_default().trim()
}

pub(super) fn source(event: &Json) -> String {
    let source = either(event, SOURCE).unwrap_or(&Json::Null);
    let reporter = either(event, CONTROLLER).and_then(Json::as_str).unwrap_or_default();
    let component = first_filled(text(source, "/component"), reporter);
    match first_filled(text(source, "/host"), text(event, "/reportingInstance")) {
        "" => component.into(),
        instance => format!("{component}, {instance}"),
    }
}

fn either<'a>(event: &'a Json, spellings: [&str; 2]) -> Option<&'a Json> {
    spellings.iter().find_map(|pointer| present(event, pointer))
}

fn first_filled<'a>(one: &'a str, other: &'a str) -> &'a str {
    if one.is_empty() { other } else { one }
}
