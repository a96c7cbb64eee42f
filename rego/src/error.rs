//! What is wrong with policies: a closed set of codes, a place, a message; sorted and never empty.

use std::fmt;

use crate::syntax::span::Span;

/// What kind of error it is; OPA's codes (`v1/ast/errors.go`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// The text is no Rego.
    Parse,
    /// A stage of the compiler refuses it.
    Compile,
    /// Types cannot match.
    Type,
    /// A variable is bound nowhere.
    UnsafeVar,
    /// A rule depends on itself.
    Recursion,
}

/// One finding. One word in every `Result`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Finding>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    code: Code,
    span: Span,
    message: String,
    details: Vec<String>,
}

/// All findings, in the order of their places; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors(Vec<Error>);

impl Code {
    /// As OPA writes it, such as `rego_parse_error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parse => "rego_parse_error",
            Self::Compile => "rego_compile_error",
            Self::Type => "rego_type_error",
            Self::UnsafeVar => "rego_unsafe_var_error",
            Self::Recursion => "rego_recursion_error",
        }
    }
}

impl Error {
    /// An error at a place.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self(Box::new(Finding { code, span, message: message.into(), details: Vec::new() }))
    }

    /// The same with lines that explain it.
    #[must_use]
    pub fn with_details(mut self, details: Vec<String>) -> Self {
        self.0.details = details;
        self
    }

    /// Its code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Its place.
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// Its message, in OPA's words where OPA has some.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Lines that explain it.
    pub fn details(&self) -> &[String] {
        &self.0.details
    }
}

impl Errors {
    /// All of them, sorted by place; `None` without any.
    pub fn of(mut errors: Vec<Error>) -> Option<Self> {
        errors.sort_by_key(|error| (error.span().source, error.span().start));
        (!errors.is_empty()).then_some(Self(errors))
    }

    /// `Ok` without any error.
    pub fn check(errors: Vec<Error>) -> Result<(), Self> {
        Self::of(errors).map_or(Ok(()), Err)
    }

    /// Each of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Error> {
        self.0.iter()
    }
}

impl From<Error> for Errors {
    fn from(error: Error) -> Self {
        Self(vec![error])
    }
}

impl IntoIterator for Errors {
    type Item = Error;
    type IntoIter = std::vec::IntoIter<Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code().as_str(), self.message())
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
impl std::error::Error for Errors {}
