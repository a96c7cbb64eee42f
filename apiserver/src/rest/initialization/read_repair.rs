//! A GET that finds an object which should have been initialized long ago passes one initializer over. With timers that start
//! anew with the server this is what is left for an object whose timer could not do its work.

use std::sync::Arc;

use serde_json::Value as Json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::pass_over::{Turn, pass_over};
use crate::admission::initializers::FailOpen;
use crate::resources::object;
use crate::rest::context::{Context, Object};
use crate::server::InitializerSettings;
use crate::status::Status;
use crate::storage::Record;

/// The object as it is after the repair; as it was where nothing is to be repaired, or the repair failed. Fails with 404 if the
/// repair failed the object.
pub async fn read_repaired(context: &Context, record: Arc<Record>) -> Result<Arc<Record>, Status> {
    let settings = &context.server.initialization.settings;
    if !record.uninitialized || !settings.enabled {
        return Ok(record);
    }
    let Ok(value) = serde_json::from_slice::<Json>(&record.value) else { return Ok(record) };
    let Some(turn) = Turn::of(&value).filter(|_| is_overdue(&value, settings, OffsetDateTime::now_utc())) else {
        return Ok(record);
    };
    match pass_over(&context.server, &record.key, &turn, FailOpen::ReadRepair).await {
        Ok(Object::Stored(_) | Object::Built(_)) => {}
        Err(status) => tracing::warn!(key = ?record.key, %status, "an object that should be initialized could not be repaired"),
    }
    context.current()
}

/// By the wall clock, which is all that is left of the time of creation.
fn is_overdue(value: &Json, settings: &InitializerSettings, now: OffsetDateTime) -> bool {
    let Ok(created) = OffsetDateTime::parse(object::text(value, "creationTimestamp"), &Rfc3339) else { return false };
    now - created > settings.global_timeout + settings.clock_drift
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_older_than_timeout_and_drift_is_overdue() {
        let settings = InitializerSettings::default();
        let now = OffsetDateTime::parse("2026-01-01T01:00:00Z", &Rfc3339).unwrap();
        let table = [
            ("2026-01-01T00:49:54Z", true),
            ("2026-01-01T00:49:55Z", false),
            ("2026-01-01T01:00:00Z", false),
            ("2026-01-01T02:00:00Z", false),
            ("", false),
            ("yesterday", false),
        ];
        for (created, expected) in table {
            let value = json!({"metadata": {"creationTimestamp": created}});
            assert_eq!(is_overdue(&value, &settings, now), expected, "{created}");
        }
    }
}
