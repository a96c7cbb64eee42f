//! `/scale`: the replicas of an object, seen as `autoscaling/v1` `Scale`. Source: `apiextensions-apiserver`
//! `pkg/registry/customresource/etcd.go` and the scale storages of `pkg/registry/apps`.

use serde_json::{Map, Value as Json, json};

use super::object;
use super::resource::Scale;

/// The scale of an object.
pub fn view(object: &Json, paths: &Scale) -> Json {
    let metadata = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];
    let metadata = metadata.into_iter().filter_map(|field| Some((field.to_owned(), object::field(object, field)?.clone())));
    let number = |path: &str| at(object, path).and_then(Json::as_i64).unwrap_or_default();
    let mut status = json!({ "replicas": number(&paths.status_replicas) });
    if let (Some(selector), Some(status)) =
        (paths.selector.as_deref().and_then(|path| selector(object, path)), status.as_object_mut())
    {
        status.insert("selector".into(), selector.into());
    }
    json!({
        "kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata.collect::<Map<_, _>>(),
        "spec": { "replicas": number(&paths.spec_replicas) }, "status": status,
    })
}

fn at<'a>(object: &'a Json, path: &str) -> Option<&'a Json> {
    path.trim_start_matches('.').split('.').try_fold(object, |value, field| value.get(field))
}

/// Sets the replicas that an object asks for to those of a scale.
pub fn set_replicas(object: &mut Json, paths: &Scale, replicas: i64) {
    put(object, &paths.spec_replicas, replicas.into());
}

fn put(object: &mut Json, path: &str, value: Json) {
    let mut place = object;
    for field in path.trim_start_matches('.').split('.') {
        if !place.is_object() {
            *place = json!({});
        }
        let Some(fields) = place.as_object_mut() else { return };
        place = fields.entry(field).or_insert(Json::Null);
    }
    *place = value;
}

/// As one text: a selector of labels is spelled out, a text is taken as it is.
fn selector(object: &Json, path: &str) -> Option<String> {
    let value = at(object, path)?;
    if let Some(text) = value.as_str() {
        return Some(text.to_owned());
    }
    let labels = value.get("matchLabels").and_then(Json::as_object).into_iter().flatten();
    let mut parts: Vec<String> = labels.filter_map(|(key, value)| Some(format!("{key}={}", value.as_str()?))).collect();
    let expressions = value.get("matchExpressions").and_then(Json::as_array).into_iter().flatten();
    parts.extend(expressions.filter_map(expression));
    Some(parts.join(","))
}

fn expression(expression: &Json) -> Option<String> {
    let key = expression.get("key")?.as_str()?;
    let values: Vec<&str> =
        expression.get("values").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
    Some(match expression.get("operator")?.as_str()? {
        "In" => format!("{key} in ({})", values.join(",")),
        "NotIn" => format!("{key} notin ({})", values.join(",")),
        "Exists" => key.to_owned(),
        _ => format!("!{key}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_shows_replicas_and_selector() {
        let paths = Scale {
            spec_replicas: "spec.replicas".into(),
            status_replicas: "status.replicas".into(),
            selector: Some("spec.selector".into()),
        };
        let object = json!({
            "metadata": {"name": "a", "uid": "u", "labels": {"x": "y"}},
            "spec": {"replicas": 3, "selector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "In", "values": ["d", "e"]}]}},
        });
        let scale = view(&object, &paths);
        assert_eq!(scale.pointer("/spec/replicas"), Some(&json!(3)));
        assert_eq!(scale.get("status"), Some(&json!({"replicas": 0, "selector": "a=b,c in (d,e)"})));
        assert_eq!(scale.get("metadata"), Some(&json!({"name": "a", "uid": "u"})));
    }

    #[test]
    fn replicas_are_put_where_the_path_says() {
        let mut object = json!({"spec": 3});
        put(&mut object, ".spec.size.count", 2.into());
        assert_eq!(object, json!({"spec": {"size": {"count": 2}}}));
    }
}
