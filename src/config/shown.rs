//! The configuration as `GET /v1/config` shows it: without anything secret.

use serde_json::{Map, Value as Json, json};

/// What was read, with OPA's defaults in place, less credentials, keys and the values of headers.
pub fn active(raw: &Json, id: &str) -> Json {
    let mut shown = raw.as_object().cloned().unwrap_or_default();
    for (field, default) in [("default_decision", "/system/main"), ("default_authorization_decision", "/system/authz/allow")] {
        shown.entry(field).or_insert_with(|| default.into());
    }
    let labels = shown.entry("labels").or_insert_with(|| json!({}));
    if let Some(labels) = labels.as_object_mut() {
        labels.extend(own_labels(id));
    }
    for service in shown.get_mut("services").into_iter().flat_map(members) {
        service.remove("credentials");
        for value in service.get_mut("headers").and_then(Json::as_object_mut).into_iter().flat_map(Map::values_mut) {
            *value = "[secret]".into();
        }
        if let Some(url) = service.get_mut("url") {
            *url = url.as_str().map(without_password).unwrap_or_default().into();
        }
    }
    for key in shown.get_mut("keys").into_iter().flat_map(members) {
        key.remove("key");
        key.remove("private_key");
    }
    Json::Object(shown)
}

/// The labels that nobody need configure.
pub fn own_labels(id: &str) -> [(String, Json); 2] {
    [("id".into(), id.into()), ("version".into(), env!("CARGO_PKG_VERSION").into())]
}

/// The objects of a list or a map.
fn members(value: &mut Json) -> Vec<&mut Map<String, Json>> {
    match value {
        Json::Array(items) => items.iter_mut().filter_map(Json::as_object_mut).collect(),
        Json::Object(fields) => fields.values_mut().filter_map(Json::as_object_mut).collect(),
        _ => Vec::new(),
    }
}

/// A URL without the part before `@`.
pub fn without_password(url: &str) -> String {
    match reqwest::Url::parse(url) {
        Ok(mut parsed) if parsed.password().is_some() || !parsed.username().is_empty() => {
            // Both fail only where a URL has no host, hence no password.
            let _ = parsed.set_password(None);
            let _ = parsed.set_username("");
            parsed.into()
        }
        _ => url.into(),
    }
}
