//! `json.patch` (`v1/topdown/json.go`): the operations of RFC 6902, one behind the other.

use super::super::comparison::same;
use super::super::operand::{array, at};
use super::super::{BuiltinError, Context};
use super::path::{self, Path};
use super::tree::Tree;
use crate::value::{Object, Value};

pub(super) fn patch(context: &mut Context, operands: &[&Value]) -> Result<Option<Value>, BuiltinError> {
    let operations = array(operands, 1)?;
    let mut document = Some(Tree::new(at(operands, 0)?.clone()));
    for operation in operations {
        let Value::Object(operation) = operation else {
            return Err(BuiltinError::failed(
                "must be an array of JSON-Patch objects, but at least one element is not an object",
            ));
        };
        context.account.step(1)?;
        apply(context, &mut document, operation)?;
    }
    // Without a document OPA ends with a panic.
    document.map(|document| document.render(context)).transpose().map_err(Into::into)
}

fn apply(context: &mut Context, document: &mut Option<Tree>, operation: &Object) -> Result<(), BuiltinError> {
    let to = attribute(operation, "path")?;
    let name = match attribute(operation, "op")? {
        Value::String(name) => name,
        other => {
            let found = other.type_name();
            return Err(BuiltinError::failed(format!("attribute 'op' must be a string but found: {found}")));
        }
    };
    let to = path::read(context, to)?;
    match name.as_str() {
        "add" => insert(context, document, &to, attribute(operation, "value")?),
        "remove" => delete(context, document, &to),
        "replace" => {
            delete(context, document, &to)?;
            insert(context, document, &to, attribute(operation, "value")?)
        }
        "move" | "copy" => {
            let from = path::read(context, attribute(operation, "from")?)?;
            let value = render(context, document, &from)?;
            if name.as_str() == "move" {
                delete(context, document, &from)?;
            }
            insert(context, document, &to, &value)
        }
        "test" => {
            let found = render(context, document, &to)?;
            test(context, attribute(operation, "value")?, &found)
        }
        other => Err(BuiltinError::failed(format!("unrecognized op: '{other}'"))),
    }
}

fn attribute<'o>(operation: &'o Object, name: &str) -> Result<&'o Value, BuiltinError> {
    operation.member(name).ok_or_else(|| BuiltinError::failed(format!("missing required attribute '{name}'")))
}

fn test(context: &mut Context, expected: &Value, found: &Value) -> Result<(), BuiltinError> {
    if same(context, found, expected)? {
        return Ok(());
    }
    let (expected, found) = (shown(context, expected)?, shown(context, found)?);
    let message = format!("value from EditTree != patch value.\n\nExpected: {expected}\n\nFound: {found}");
    Err(BuiltinError::failed(message))
}

/// For a message.
pub(super) fn shown(context: &mut Context, value: &Value) -> Result<String, BuiltinError> {
    value.print_within(usize::MAX, &mut context.account).map_err(|error| match error {
        crate::value::print::TextError::Halt(halt) => halt.into(),
        other => BuiltinError::failed(other.to_string()),
    })
}

fn insert(context: &mut Context, document: &mut Option<Tree>, path: &Path, value: &Value) -> Result<(), BuiltinError> {
    let Some((last, above)) = path.split_last() else {
        *document = Some(Tree::new(value.clone()));
        return Ok(());
    };
    root(document)?.at(context, above, &mut |context, tree| tree.insert(context, last, value))
}

fn delete(context: &mut Context, document: &mut Option<Tree>, path: &Path) -> Result<(), BuiltinError> {
    let Some((last, above)) = path.split_last() else {
        if document.take().is_none() {
            return Err(BuiltinError::failed("deleted node encountered during delete operation"));
        }
        return Ok(());
    };
    root(document)?.at(context, above, &mut |context, tree| tree.delete(context, last))
}

fn render(context: &mut Context, document: &mut Option<Tree>, path: &Path) -> Result<Value, BuiltinError> {
    let mut rendered = Value::Null;
    root(document)?.at(context, path, &mut |context, tree| {
        rendered = tree.render(context)?;
        Ok(())
    })?;
    Ok(rendered)
}

fn root(document: &mut Option<Tree>) -> Result<&mut Tree, BuiltinError> {
    document.as_mut().ok_or_else(|| BuiltinError::failed("nil value encountered where composite value was expected"))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{answer, call, context};
    use crate::value::Value;

    /// As OPA 1.22 answers with `--strict-builtin-errors`.
    #[test]
    fn documents_are_patched_as_in_opa() {
        let mut context = context();
        for (name, operands, expected) in [
            (
                "json.patch",
                r#"[{"a": 1}, [{"op": "add", "path": "/b", "value": {"c": 2}}, {"op": "add", "path": "b/c", "value": 3}]]"#,
                r#"{"a": 1, "b": {"c": 3}}"#,
            ),
            (
                "json.patch",
                r#"[{"a": [1, 2]}, [{"op": "add", "path": "a/-", "value": 3}, {"op": "add", "path": "a/0", "value": 0}]]"#,
                r#"{"a": [0, 1, 2, 3]}"#,
            ),
            (
                "json.patch",
                r#"[{"a": [1, 2]}, [{"op": "remove", "path": "a/0"}, {"op": "replace", "path": "a/0", "value": 9}]]"#,
                r#"{"a": [9]}"#,
            ),
            (
                "json.patch",
                r#"[{"a": {"b": 1}}, [{"op": "move", "from": "a/b", "path": "c"}, {"op": "copy", "from": "c", "path": ["d"]}]]"#,
                r#"{"a": {}, "c": 1, "d": 1}"#,
            ),
            (
                "json.patch",
                r#"[{"a": {"set": [1, [2]]}}, [{"op": "remove", "path": ["a", 1]}, {"op": "add", "path": ["a", 5], "value": 5}]]"#,
                r#"{"a": {5, [2]}}"#,
            ),
            (
                "json.patch",
                r#"[{"a": {"set": [[2]]}}, [{"op": "add", "path": ["a", [2], 0], "value": 1}]]"#,
                r#"{"a": {[1, 2]}}"#,
            ),
            (
                "json.patch",
                r#"[[7], [{"op": "add", "path": "", "value": [1]}, {"op": "test", "path": "0", "value": 1.0}]]"#,
                "[1]",
            ),
            (
                "json.patch",
                r#"[[1, [2], [3]], [{"op": "remove", "path": "0"}, {"op": "add", "path": "1/0", "value": 0}]]"#,
                "[[2], [0, 2]]",
            ),
            ("json.patch", r#"[{"a": 1}, []]"#, r#"{"a": 1}"#),
            (
                "json.patch",
                r#"[{"a": 1}, [{"op": "test", "path": "a", "value": 2}]]"#,
                "eval_builtin_error: json.patch: value from EditTree != patch value.\n\nExpected: 2\n\nFound: 1",
            ),
            (
                "json.patch",
                r#"[{"a": 1}, [{"op": "remove", "path": "b"}]]"#,
                "eval_builtin_error: json.patch: cannot delete child key \"b\" that does not exist",
            ),
            (
                "json.patch",
                r#"[{"a": 1}, [{"op": "add", "path": "b/c", "value": 1}]]"#,
                "eval_builtin_error: json.patch: path \"b\" does not exist in object term {\"a\": 1}",
            ),
            (
                "json.patch",
                r#"[{"a": 1}, [{"op": "add", "path": "a/c", "value": 1}]]"#,
                "eval_builtin_error: json.patch: expected composite type, found value: 1 (type: ast.Number)",
            ),
            (
                "json.patch",
                r#"[{"a": "s"}, [{"op": "add", "path": "a/c/d", "value": 1}]]"#,
                "eval_builtin_error: json.patch: expected composite type for path \"c\", found value: \"s\" (type: ast.String)",
            ),
            (
                "json.patch",
                r#"[[1], [{"op": "add", "path": "2", "value": 1}]]"#,
                "eval_builtin_error: json.patch: index for array insertion out of bounds",
            ),
            (
                "json.patch",
                r#"[[1], [{"op": "remove", "path": "1"}]]"#,
                "eval_builtin_error: json.patch: index for array delete out of bounds",
            ),
            (
                "json.patch",
                r#"[[1], [{"op": "remove", "path": "01"}]]"#,
                "eval_builtin_error: json.patch: leading zeros are not allowed in JSON paths",
            ),
            (
                "json.patch",
                r#"[[1], [{"op": "remove", "path": "x"}]]"#,
                "eval_builtin_error: json.patch: invalid string for indexing",
            ),
            (
                "json.patch",
                r#"[[1], [{"op": "remove", "path": [true]}]]"#,
                "eval_builtin_error: json.patch: invalid type for indexing",
            ),
            (
                "json.patch",
                r#"[[1], [{"op": "remove", "path": [0.5]}]]"#,
                "eval_builtin_error: json.patch: invalid number type for indexing",
            ),
            (
                "json.patch",
                r#"[[1], [{"op": "add", "path": "5/a", "value": 1}]]"#,
                "eval_builtin_error: json.patch: path 5 does not exist in array term [1]",
            ),
            (
                "json.patch",
                r#"[{"set": [1]}, [{"op": "add", "path": [2], "value": 3}]]"#,
                "eval_builtin_error: json.patch: set key 2 does not equal value to be inserted 3",
            ),
            ("json.patch", r#"[{}, [{"op": "fly", "path": "a"}]]"#, "eval_builtin_error: json.patch: unrecognized op: 'fly'"),
            (
                "json.patch",
                r#"[{}, [{"op": 1, "path": "a"}]]"#,
                "eval_builtin_error: json.patch: attribute 'op' must be a string but found: number",
            ),
            (
                "json.patch",
                r#"[{}, [{"op": "add", "path": "a"}]]"#,
                "eval_builtin_error: json.patch: missing required attribute 'value'",
            ),
            (
                "json.patch",
                r#"[{}, [{"op": "add", "value": 1}]]"#,
                "eval_builtin_error: json.patch: missing required attribute 'path'",
            ),
            (
                "json.patch",
                r#"[{}, [1]]"#,
                "eval_builtin_error: json.patch: must be an array of JSON-Patch objects, but at least one element is not an object",
            ),
            ("json.patch", r#"[{}, {}]"#, "eval_type_error: json.patch: operand 2 must be array but got object"),
        ] {
            assert_eq!(answer(&mut context, name, operands), expected, "{name} {operands}");
        }
    }

    #[test]
    fn deep_documents_overflow_nothing() {
        let document = (0..9_000).fold(Value::object([]), |value, _| Value::object([("a".into(), value)]));
        let path = Value::array((0..8_000).map(|_| Value::from("a")));
        let operation = Value::object([("op".into(), "add".into()), ("path".into(), path), ("value".into(), Value::Int(1))]);
        let patched = call(&mut context(), "json.patch", &[document, Value::array([operation])]).unwrap().unwrap();
        assert_eq!(patched.depth(), 8_000);
    }
}
