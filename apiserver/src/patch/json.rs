//! JSON patch, RFC 6902, as `evanphx/json-patch` v4 means it, which upstream uses: indices may count from the end, `replace`
//! and `copy` of an absent member are no errors, and the texts are its own. The crate `json-patch` differs in all three,
//! which is why it serves only as the tests' second opinion.
//!
//! Limits: operations, bytes added by `copy` (both upstream's), members moved within arrays, and depth (ours).

mod budget;
mod operation;
mod pointer;

use serde_json::Value as Json;

use self::budget::Budget;
use self::operation::Operation;
use super::{MAX_DEPTH, PatchError};

/// Upstream's `maxJSONPatchOperations`.
const MAX_OPERATIONS: usize = 10_000;

/// `live` with the JSON patch `body`.
pub fn json(live: &Json, body: &[u8]) -> Result<Json, PatchError> {
    let operations: Vec<Operation> = serde_json::from_slice(body).map_err(|error| undecodable(body, error))?;
    if operations.len() > MAX_OPERATIONS {
        let got = operations.len();
        return Err(PatchError::TooLarge(format!(
            "The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {got}"
        )));
    }
    let mut patched = live.clone();
    let mut budget = Budget::of(&patched);
    for operation in operations {
        operation.apply(&mut patched, &mut budget)?;
    }
    if budget.depth() > MAX_DEPTH && budget::depth(&patched) > MAX_DEPTH {
        return Err(PatchError::Unfit(format!("the patched document nests deeper than {MAX_DEPTH} levels")));
    }
    match patched {
        Json::Object(_) => Ok(patched),
        _ => Err(PatchError::Unfit("the patched document is no object".into())),
    }
}

/// Upstream's text for a JSON value of another kind; the decoder's own for the rest.
fn undecodable(body: &[u8], error: serde_json::Error) -> PatchError {
    let kind = match serde_json::from_slice(body) {
        Ok(Json::Object(_)) => "object",
        Ok(Json::String(_)) => "string",
        Ok(Json::Number(_)) => "number",
        Ok(Json::Bool(_)) => "bool",
        _ => return PatchError::Undecodable(error),
    };
    PatchError::Malformed(format!(
        "error decoding patch: json: cannot unmarshal {kind} into Go value of type []handlers.jsonPatchOp"
    ))
}

#[cfg(test)]
mod tests;
