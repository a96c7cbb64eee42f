//! [`Status`] on the wire: the JSON of a failure and of a success.

use serde_json::{Map, Value as Json, json};

use super::{Details, Status};

impl Status {
    /// What clients get.
    pub fn to_json(&self) -> Json {
        let metadata = match &self.continue_token {
            Some(token) => json!({ "continue": token }),
            None => json!({}),
        };
        let mut body = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": metadata, "status": "Failure",
            "message": self.message, "code": self.code,
        });
        if let (false, Some(body)) = (self.reason.is_unknown(), body.as_object_mut()) {
            body.insert("reason".into(), json!(self.reason));
        }
        if let (Some(details), Some(body)) = (&self.details, body.as_object_mut()) {
            body.insert("details".into(), details_json(details));
        }
        body
    }
}

/// The answer to a delete that took effect.
pub fn success(details: &Details) -> Json {
    json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details_json(details) })
}

fn details_json(details: &Details) -> Json {
    serde_json::to_value(details).unwrap_or_else(|_| Json::Object(Map::new()))
}
