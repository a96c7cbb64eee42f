//! Operands of `json.match_schema` and `json.verify_schema`, which OPA also takes as JSON texts; a schema that does not say of
//! which draft it is, is read as draft 7, the newest that OPA knows (opa `v1/topdown/jsonschema.go`, `internal/gojsonschema`).

use regorus::Value;

use super::guards;

const DRAFT: &str = "http://json-schema.org/draft-07/schema#";

/// What both are; nothing if one of them is not what it has to be: the call has no answer then.
pub(super) fn operands(document: &Value, schema: &Value) -> Option<Vec<Value>> {
    let (document, schema) = (json(document).ok()?, read(schema).ok()?);
    let verified = guards::interpreters("json.verify_schema", std::slice::from_ref(&schema)).ok()?;
    let is_valid = verified.as_array().ok()?.first() == Some(&Value::Bool(true));
    is_valid.then(|| vec![document, schema])
}

/// A schema with its draft; or why it is none, in OPA's words.
pub(super) fn read(schema: &Value) -> Result<Value, &'static str> {
    let mut schema = json(schema)?;
    if let Ok(members) = schema.as_object_mut()
        && members.get(&Value::from("$schema")).is_none()
    {
        members.insert(Value::from("$schema"), Value::from(DRAFT));
    }
    Ok(schema)
}

fn json(value: &Value) -> Result<Value, &'static str> {
    match value {
        Value::String(text) => Value::from_json_str(text).map_err(|_| "invalid JSON string"),
        Value::Object(_) | Value::Array(_) => Ok(value.clone()),
        _ => Err("wrong type, expected string or object"),
    }
}
