//! The refusal that an initializer wrote into an object, as its creator gets it.

use serde_json::Value as Json;

use crate::resources::initializers;
use crate::status::{Reason, Status};
use crate::storage::Record;

/// What a creator gets; `None` if the object is not refused. An initializer cannot make it look like a success.
pub(super) fn of(record: &Record) -> Option<Status> {
    let object: Json = serde_json::from_slice(&record.value).ok()?;
    initializers::result(&object).map(status)
}

fn status(result: &Json) -> Status {
    let text = |field: &str| result.get(field).and_then(Json::as_str).unwrap_or_default();
    let code = result.get("code").and_then(Json::as_u64).and_then(|code| u16::try_from(code).ok());
    let code = code.filter(|code| (400..600).contains(code)).unwrap_or(500);
    let details = result.get("details").and_then(|details| serde_json::from_value(details.clone()).ok());
    Status { message: text("message").to_owned(), reason: Reason::named(text("reason")), details, code, continue_token: None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_is_always_a_failure() {
        let table = [
            (json!({"code": 422, "reason": "Invalid", "message": "no"}), (422, Reason::Invalid, "no")),
            (json!({"code": 403, "reason": "NotOurs"}), (403, Reason::Other("NotOurs".into()), "")),
            (json!({}), (500, Reason::Unknown, "")),
            (json!({"code": 0}), (500, Reason::Unknown, "")),
            (json!({"code": 201, "message": "fine"}), (500, Reason::Unknown, "fine")),
            (json!({"code": 70_000}), (500, Reason::Unknown, "")),
        ];
        for (result, expected) in table {
            let status = status(&result);
            assert_eq!((status.code, status.reason, status.message.as_str()), expected, "{result}");
        }
    }
}
