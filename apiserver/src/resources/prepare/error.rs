//! Why an object cannot be brought into the form that is stored, in the words of Go's decoders.

use thiserror::Error;

use super::formats::FormatError;
use crate::quantity;

/// An object that cannot be decoded: the request is malformed, not invalid.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PrepareError {
    /// A text, a number or a list in the place of the object.
    #[error("json: cannot unmarshal a value that is no object")]
    NotAnObject,
    /// A value of another type than its field. Source of the text: Go's `encoding/json`, `UnmarshalTypeError`.
    #[error("json: cannot unmarshal {found} into {place} of type {wanted}")]
    Mistyped {
        /// The JSON type of the value, and the value itself of a number: `string`, or `number 1.5`.
        found: String,
        /// The field, such as `Go struct field DeploymentSpec.spec.replicas`.
        place: String,
        /// The Go type of the field, such as `int32`.
        wanted: String,
    },
    /// A text that is no time, or no base64.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A value that is no quantity.
    #[error("{}", quantity::MALFORMED)]
    Quantity,
    /// Duplicate and unknown fields, one entry for each, where `fieldValidation` is `Strict`.
    #[error("strict decoding error: {}", .0.join(", "))]
    Strict(Vec<String>),
}
