//! Why a METADATA block is refused, in OPA's words (`v1/ast/parser.go`, `metadataParser.Parse`).

use thiserror::Error;

use crate::syntax::print;

/// What is wrong with the fields of a block.
#[derive(Clone, Debug, Error)]
pub(super) enum AnnotationError {
    /// An item of a list, with what was read there.
    #[error("invalid {what} definition {shown}: {why}")]
    Definition {
        /// What the item should be.
        what: &'static str,
        /// What was read.
        shown: String,
        /// What is wrong with it.
        why: Box<AnnotationError>,
    },
    /// A list or a scalar where a text or a map is wanted.
    #[error("invalid value type, must be string or map")]
    ValueType,
    /// A related resource that is an empty text.
    #[error("ref URL may not be empty string")]
    EmptyReference,
    /// A related resource without its URL.
    #[error("'ref' value required in object")]
    ReferenceRequired,
    /// An author that is an empty text.
    #[error("author is an empty string")]
    EmptyAuthor,
    /// An author without name and address.
    #[error("'name' and/or 'email' values required in object")]
    NameRequired,
    /// A path of a schema that is no reference.
    #[error("invalid document reference")]
    DocumentReference,
    /// A schema's name that is no reference below `schema`.
    #[error("invalid schema reference")]
    SchemaReference,
    /// A schema that is written out, and cannot be read.
    #[error("invalid schema definition: {0}")]
    SchemaDefinition(Box<AnnotationError>),
    /// A schema that is neither a text nor a map.
    #[error("invalid schema declaration for path {}", print::quoted(.0))]
    SchemaDeclaration(String),
    /// A related resource that is no URL, in the words of Go's `net/url`.
    #[error("{0}")]
    Url(String),
    /// An item of `unknowns` that is no reference.
    #[error("invalid unknowns element {}: {why}", print::quoted(.text))]
    Unknown {
        /// What was read.
        text: String,
        /// What OPA's parser says.
        why: String,
    },
    /// A `mask_rule` that is no term.
    #[error("invalid mask_rule annotation {}: {why}", print::quoted(.text))]
    MaskRule {
        /// What was read.
        text: String,
        /// What OPA's parser says.
        why: String,
    },
    /// A `mask_rule` that is neither a reference nor a name; `string` is the type of the text, not of what it says.
    #[error("invalid mask_rule annotation type {}: string", print::quoted(.0))]
    MaskType(String),
    /// A key that is no string, with the path to its map.
    #[error("invalid map key type(s): {0}")]
    KeyType(String),
}
