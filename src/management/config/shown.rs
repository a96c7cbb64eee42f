//! The configuration as `GET /v1/config` shows it: without anything secret.

use serde_json::{Map, Value as Json, json};

/// Instead of what is not shown.
const SECRET: &str = "[secret]";

/// Returns what was read, with OPA's defaults in place, less credentials, keys, the values of headers, and what URLs hold beside their
/// paths: passwords, and queries as of URLs that are signed. OPA shows headers, users and queries.
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
            *value = SECRET.into();
        }
        if let Some(url) = service.get_mut("url") {
            *url = url.as_str().map(without_secrets).unwrap_or_default().into();
        }
    }
    let bundles = shown.get_mut("bundles").into_iter().flat_map(members);
    bundles.filter_map(|bundle| bundle.get_mut("resource")).for_each(hide_query);
    shown.get_mut("decision_logs").and_then(|logs| logs.get_mut("resource")).into_iter().for_each(hide_query);
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

/// A URL without the part before `@`, and without the values of its query.
fn without_secrets(url: &str) -> String {
    let Ok(mut parsed) = reqwest::Url::parse(url) else { return SECRET.into() };
    if parsed.password().is_none() && parsed.username().is_empty() && parsed.query().is_none() && parsed.fragment().is_none() {
        return url.into();
    }
    // Both fail only where a URL has no host, hence no password.
    let _ = parsed.set_password(None);
    let _ = parsed.set_username("");
    parsed.set_query(parsed.query().is_some().then_some(SECRET));
    parsed.set_fragment(None);
    parsed.into()
}

/// Of a path below a URL.
fn hide_query(resource: &mut Json) {
    if let Some((path, _)) = resource.as_str().and_then(|text| text.split_once('?')) {
        *resource = format!("{path}?{SECRET}").into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_keep_their_paths_alone() {
        let table = [
            ("https://control.example/v1", "https://control.example/v1"),
            ("https://u:p@control.example/v1", "https://control.example/v1"),
            ("https://t0ken@control.example", "https://control.example/"),
            ("https://control.example/v1?sig=s&se=1#t", "https://control.example/v1?[secret]"),
            ("no url: p", SECRET),
        ];
        for (url, expected) in table {
            assert_eq!(without_secrets(url), expected);
        }
        let raw = json!({"bundles": {"b": {"resource": "b.tgz?sig=s"}}, "decision_logs": {"resource": "/logs?code=c"}});
        let shown = active(&raw, "me");
        assert_eq!(
            (&shown["bundles"]["b"]["resource"], &shown["decision_logs"]["resource"]),
            (&json!("b.tgz?[secret]"), &json!("/logs?[secret]"))
        );
    }
}
