//! The operations of a data PATCH, read one by one: an absent value and `null` are two things.

use crate::fields::{Each, Fields, List};
use crate::server::limits;
use crate::server::respond::ApiError;
use crate::state::incoming::At;
use crate::state::{Incoming, PatchOp};

/// Reads the operations of a request whose path has so many names. Fails when the text is no list of objects, or an operation has
/// something else than text where text is expected.
pub(super) fn operations(body: &[u8], depth: usize) -> Result<Vec<PatchOp>, ApiError> {
    let list = limits::document_by(body, List(Each(At(depth))), "body contains malformed patch")?;
    list.into_iter().map(operation).collect()
}

/// Without a path the document itself is meant, as in OPA.
fn operation(mut fields: Fields<Incoming>) -> Result<PatchOp, ApiError> {
    let mut text = |name: &str| {
        let text = fields.text(name);
        text.map_err(|_| ApiError::invalid(format!("`{name}` of a patch operation is no string")))
    };
    Ok(PatchOp { op: text("op")?, path: text("path")?, value: fields.take("value") })
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;

    #[test]
    fn null_is_a_value_and_absent_is_none() {
        let ops = operations(br#"[{"op":"add","path":"a","value":null},{"op":"remove","path":"b"}]"#, 0).unwrap();
        assert_eq!(ops[0].value, Some(Json::Null.into()));
        assert_eq!(ops[1].value, None);
        assert_eq!(operations(b"null", 0).unwrap(), []);
    }

    #[test]
    fn a_bad_patch_is_refused_with_what_is_missing() {
        let table = [
            ("{}", "malformed patch: invalid type: map, expected a sequence at line 1 column 0"),
            ("[null]", "malformed patch: invalid type: null, expected an object at line 1 column 5"),
            ("[{}, 1]", "malformed patch: invalid type: integer `1`, expected an object at line 1 column 6"),
            ("[{}] x", "malformed patch: trailing characters at line 1 column 6"),
            (r#"[{"op":"add","path":1}]"#, "`path`"),
            (r#"[{"op":1,"path":"a"}]"#, "`op`"),
            (r#"[{"op":{},"path":"a"}]"#, "`op`"),
        ];
        for (body, part) in table {
            let error = operations(body.as_bytes(), 2).unwrap_err();
            assert!(error.message.contains(part), "{body}: {error}");
        }
    }
}
