//! `json.patch`: the operations of RFC 6902, one behind the other.

use regorus::Value;
use regorus::value::Object;

use super::super::error::BuiltinError;
use super::super::operand;
use super::path::{self, Path};
use super::tree::Tree;

/// Elements of arrays that the operations of one call may go through.
const ELEMENTS: usize = 100_000_000;

pub(super) fn patch(values: &[Value]) -> Result<Value, BuiltinError> {
    let operations = operand::array(values, 2)?;
    let size = match operand::any(values, 1) {
        Value::Array(items) => items.len(),
        _ => 0,
    };
    if operations.len().saturating_mul(size.saturating_add(operations.len())) > ELEMENTS {
        return Err(BuiltinError::Limit(format!("would go through more than {ELEMENTS} elements")));
    }
    let mut document = Some(Tree::new(operand::any(values, 1).clone()));
    for operation in operations {
        let Value::Object(operation) = operation else {
            return Err(BuiltinError::other("must be an array of JSON-Patch objects, but at least one element is not an object"));
        };
        apply(&mut document, operation)?;
    }
    match document {
        Some(document) => Ok(document.render()),
        // OPA ends with a panic.
        None => Err(BuiltinError::Limit("would leave no document".into())),
    }
}

fn apply(document: &mut Option<Tree>, operation: &Object) -> Result<(), BuiltinError> {
    let to = attribute(operation, "path")?;
    let name = match attribute(operation, "op")? {
        Value::String(name) => name.clone(),
        other => {
            let found = operand::type_name(other);
            return Err(BuiltinError::other(format!("attribute 'op' must be a string but found: {found}")));
        }
    };
    let to = path::read(to)?;
    match name.as_ref() {
        "add" => insert(document, &to, attribute(operation, "value")?.clone()),
        "remove" => delete(document, &to),
        "replace" => {
            delete(document, &to)?;
            insert(document, &to, attribute(operation, "value")?.clone())
        }
        "move" | "copy" => {
            let from = path::read(attribute(operation, "from")?)?;
            let value = render(document, &from)?;
            if name.as_ref() == "move" {
                delete(document, &from)?;
            }
            insert(document, &to, value)
        }
        "test" => {
            let found = render(document, &to)?;
            if found == *attribute(operation, "value")? {
                return Ok(());
            }
            Err(BuiltinError::other("value from EditTree != patch value"))
        }
        other => Err(BuiltinError::other(format!("unrecognized op: '{other}'"))),
    }
}

fn attribute<'o>(operation: &'o Object, name: &str) -> Result<&'o Value, BuiltinError> {
    let missing = || BuiltinError::other(format!("missing required attribute '{name}'"));
    operation.get(&Value::from(name)).ok_or_else(missing)
}

fn insert(document: &mut Option<Tree>, path: &Path, value: Value) -> Result<(), BuiltinError> {
    let Some((last, above)) = path.split_last() else {
        *document = Some(Tree::new(value));
        return Ok(());
    };
    root(document)?.at(above, &mut |tree| tree.insert(last, value.clone()))
}

fn delete(document: &mut Option<Tree>, path: &Path) -> Result<(), BuiltinError> {
    let Some((last, above)) = path.split_last() else {
        root(document)?;
        *document = None;
        return Ok(());
    };
    root(document)?.at(above, &mut |tree| tree.delete(last))
}

fn render(document: &mut Option<Tree>, path: &Path) -> Result<Value, BuiltinError> {
    let mut rendered = Value::Undefined;
    root(document)?.at(path, &mut |tree| {
        rendered = tree.render();
        Ok(())
    })?;
    Ok(rendered)
}

fn root(document: &mut Option<Tree>) -> Result<&mut Tree, BuiltinError> {
    document.as_mut().ok_or_else(|| BuiltinError::other("deleted node encountered"))
}
