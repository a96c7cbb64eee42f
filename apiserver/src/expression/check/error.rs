//! Why an expression is refused. The texts are cel-go's, `checker/errors.go`.

use super::{DEEPEST, DEEPEST_TREE};

/// Why an expression is refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CheckError {
    /// A name or a function.
    #[error("undeclared reference to '{0}' (in container '')")]
    Undeclared(String),
    /// A field of a type whose fields are known, such as `request`.
    #[error("undefined field '{0}'")]
    Field(String),
    /// A field of what has none.
    #[error("type '{0}' does not support field selection")]
    NoFields(String),
    /// The same of a type that looks like one with fields.
    #[error("unexpected failed resolution of '{0}'")]
    NoStruct(String),
    /// A function, and what it was called with.
    #[error("found no matching overload for '{function}' applied to '{applied}'")]
    NoOverload {
        /// Its name.
        function: String,
        /// The types of target and arguments.
        applied: String,
    },
    /// A value of one type where another is wanted.
    #[error("expected type '{expected}' but found '{found}'")]
    Mismatch {
        /// What is wanted.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A loop over what has no members.
    #[error("expression of type '{0}' cannot be range of a comprehension (must be list, map, or dynamic)")]
    NoRange(String),
    /// A literal that its function cannot read.
    #[error("invalid {0} argument")]
    Literal(&'static str),
    /// Too many loops within loops.
    #[error("comprehensions are nested deeper than {DEEPEST}")]
    TooDeep,
    /// Too much within brackets, or too long a chain of operators.
    #[error("the expression nests deeper than {DEEPEST_TREE} levels")]
    Nested,
}
