//! `json.match_schema` and `json.verify_schema` (`v1/topdown/jsonschema.go`, `internal/gojsonschema`): drafts 4, 6 and 7, and a
//! mixture of all for schemas that do not say; findings word for word. Schemas elsewhere are not fetched.

mod array;
mod finding;
mod format;
mod keywords;
mod object;
mod parse;
mod pool;
mod reference;
mod scalar;
mod schema;
mod validate;

use super::encoding::json;
use super::error::{Answer, Fault};
use super::{BuiltinError, Context, operand};
use crate::value::Value;
use schema::Schema;

/// Whether a document fits a schema, and what is wrong with it.
pub(super) fn match_schema(context: &mut Context, operands: &[&Value]) -> Answer {
    let document = document(context, operand::at(operands, 0)?)?;
    let schema = document_of_schema(context, operands, 1)?;
    let findings = validate::validate(&mut context.account, &schema, &document)?;
    let valid = findings.is_empty();
    Ok(Some(Value::array([valid.into(), Value::array(findings.into_iter().map(finding::Finding::value))])))
}

/// Whether a schema is one, or why not.
pub(super) fn verify_schema(context: &mut Context, operands: &[&Value]) -> Answer {
    match document_of_schema(context, operands, 0) {
        Ok(_) => Ok(Some(Value::array([true.into(), Value::Null]))),
        Err(error) => match error.into_fault() {
            Fault::Failed(why) => Ok(Some(Value::array([false.into(), format!("jsonschema: {why}").into()]))),
            other => Err(other.into()),
        },
    }
}

fn document_of_schema(context: &mut Context, operands: &[&Value], index: usize) -> Result<Schema, BuiltinError> {
    let document = document(context, operand::at(operands, index)?)?;
    parse::parse(context, &document)
}

/// JSON, which may be written in a string.
fn document(context: &mut Context, value: &Value) -> Result<Value, BuiltinError> {
    match value {
        Value::String(text) if !json::is_json(text) => Err(BuiltinError::failed("invalid JSON string")),
        Value::String(text) => json::read(context, text),
        Value::Object(_) | Value::Array(_) => {
            let text = json::write(context, value, None)?;
            json::read(context, &text)
        }
        _ => Err(BuiltinError::failed("wrong type, expected string or object")),
    }
}
