//! The process.

use std::sync::Arc;

use super::signature::Type;
use super::table::{Builtin, Dependence, row};
use super::{BuiltinError, Context};
use crate::value::{Object, Value};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[row("opa.runtime", &[], Some(Type::Object(&Type::String, &Type::Any)))
    .by(runtime)
    .depends(Dependence::Runtime)
    .nondeterministic()];

/// What the process says of itself, without secrets of its configuration (`v1/topdown/runtime.go`).
fn runtime(context: &mut Context, _: &[&Value]) -> Result<Option<Value>, BuiltinError> {
    Ok(Some(match &context.runtime {
        Value::Object(runtime) => Value::Object(Arc::new(redacted(runtime))),
        Value::Null => Value::object([]),
        other => other.clone(),
    }))
}

fn redacted(runtime: &Object) -> Object {
    changed(runtime, "config", |config| {
        let services = changed(config, "services", |services| each(services, |service| without(service, &["credentials"])));
        changed(&services, "keys", |keys| each(keys, |key| without(key, &["key", "private_key"])))
    })
}

/// With one member changed, if it is an object or an array of objects.
fn changed(object: &Object, key: &str, change: impl Fn(&Object) -> Object) -> Object {
    let key = Value::from(key);
    let unchanged = || object.filtered(|_| true);
    match object.get(&key) {
        Some(Value::Object(inner)) => object.with(key, Value::Object(Arc::new(change(inner)))),
        // A list of services.
        Some(Value::Array(items)) => {
            let one = Value::from("");
            let each = items.items().iter().map(|item| {
                let wrapped = Value::object([(one.clone(), item.clone())]);
                wrapped.as_object().and_then(|wrapped| change(wrapped).get(&one).cloned()).unwrap_or(Value::Null)
            });
            object.with(key, Value::array(each))
        }
        _ => unchanged(),
    }
}

fn each(objects: &Object, change: impl Fn(&Object) -> Object) -> Object {
    objects.iter().fold(objects.filtered(|_| true), |so_far, (name, value)| match value {
        Value::Object(inner) => so_far.with(name.clone(), Value::Object(Arc::new(change(inner)))),
        _ => so_far,
    })
}

fn without(object: &Object, secrets: &[&str]) -> Object {
    object.filtered(|key| !secrets.iter().any(|secret| key.as_str().is_some_and(|key| key == *secret)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answer, context};
    use crate::value::{Value, json};

    #[test]
    fn secrets_are_not_shown() {
        let mut context = context();
        assert_eq!(answer(&mut context, "opa.runtime", "[]"), "{}");
        let text = br#"{"version": "1.22.0", "config": {"labels": {"a": "b"}, "services": {"s": {"url": "u", "credentials": {"bearer": 1}}},
            "keys": {"k": {"key": "secret", "private_key": "p", "algorithm": "RS256"}}}}"#;
        context.runtime = json::read(text, 9).unwrap();
        let expected = r#"{"config": {"keys": {"k": {"algorithm": "RS256"}}, "labels": {"a": "b"}, "services": {"s": {"url": "u"}}}, "version": "1.22.0"}"#;
        assert_eq!(answer(&mut context, "opa.runtime", "[]"), expected);
        context.runtime = json::read(br#"{"config": {"services": [{"name": "s", "credentials": {}}]}}"#, 9).unwrap();
        assert_eq!(answer(&mut context, "opa.runtime", "[]"), r#"{"config": {"services": [{"name": "s"}]}}"#);
        context.runtime = Value::from("x");
        assert_eq!(answer(&mut context, "opa.runtime", "[]"), "\"x\"");
    }
}
