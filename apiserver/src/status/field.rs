//! One field that is not as it must be. Texts and reasons are those of `apimachinery` `util/validation/field`.

use std::fmt;

use serde_json::Value as Json;

use super::Cause;

/// A field, what is wrong with it, and the value that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldError {
    /// What is wrong.
    pub fault: Fault,
    /// Path of the field, such as `spec.containers[0].name`.
    pub field: String,
    /// The value that was found; shown by the faults that are about a value.
    pub value: Option<Json>,
    /// For people; may be empty.
    pub detail: String,
}

/// What is wrong with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "Kubernetes' own names")]
pub enum Fault {
    Duplicate,
    Forbidden,
    Internal,
    Invalid,
    NotFound,
    NotSupported,
    Required,
    TooFew,
    TooLong,
    TooMany,
    TooShort,
    TypeInvalid,
}

impl Fault {
    /// For machines: the reason of a [`Cause`].
    pub fn reason(self) -> &'static str {
        match self {
            Self::Duplicate => "FieldValueDuplicate",
            Self::Forbidden => "FieldValueForbidden",
            Self::Internal => "InternalError",
            Self::Invalid => "FieldValueInvalid",
            Self::NotFound => "FieldValueNotFound",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Required => "FieldValueRequired",
            Self::TooFew => "FieldValueTooFew",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::TooShort => "FieldValueTooShort",
            Self::TypeInvalid => "FieldValueTypeInvalid",
        }
    }

    /// For people.
    fn text(self) -> &'static str {
        match self {
            Self::Duplicate => "Duplicate value",
            Self::Forbidden => "Forbidden",
            Self::Internal => "Internal error",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotFound => "Not found",
            Self::NotSupported => "Unsupported value",
            Self::Required => "Required value",
            Self::TooFew => "Too few",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::TooShort => "Too short",
        }
    }

    fn shows_value(self) -> bool {
        !matches!(self, Self::Required | Self::Forbidden | Self::TooLong | Self::TooShort | Self::Internal)
    }
}

impl FieldError {
    /// A fault without a value.
    pub fn new(fault: Fault, field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { fault, field: field.into(), value: None, detail: detail.into() }
    }

    /// A value that is not as it must be.
    pub fn invalid(field: impl Into<String>, value: impl Into<Json>, detail: impl Into<String>) -> Self {
        Self::new(Fault::Invalid, field, detail).with(value)
    }

    /// A value that must be there.
    pub fn required(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(Fault::Required, field, detail)
    }

    /// A value that may not be there.
    pub fn forbidden(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(Fault::Forbidden, field, detail)
    }

    /// A value that may be there only once.
    pub fn duplicate(field: impl Into<String>, value: impl Into<Json>) -> Self {
        Self::new(Fault::Duplicate, field, "").with(value)
    }

    /// A value that is none of the `supported` ones.
    pub fn not_supported<S: AsRef<str>>(field: impl Into<String>, value: impl Into<Json>, supported: &[S]) -> Self {
        let quoted: Vec<_> = supported.iter().map(|one| format!("{:?}", one.as_ref())).collect();
        let detail = if quoted.is_empty() { String::new() } else { format!("supported values: {}", quoted.join(", ")) };
        Self::new(Fault::NotSupported, field, detail).with(value)
    }

    /// With the value that was found.
    pub fn with(mut self, value: impl Into<Json>) -> Self {
        self.value = Some(value.into());
        self
    }

    /// The message without the field.
    pub fn body(&self) -> String {
        let mut body = self.fault.text().to_owned();
        if let Some(value) = self.value.as_ref().filter(|_| self.fault.shows_value()) {
            body.push_str(": ");
            body.push_str(&value.to_string());
        }
        if !self.detail.is_empty() {
            body.push_str(": ");
            body.push_str(&self.detail);
        }
        body
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.field, self.body())
    }
}

impl From<&FieldError> for Cause {
    fn from(error: &FieldError) -> Self {
        Self { reason: error.fault.reason().to_owned(), message: error.body(), field: error.field.clone() }
    }
}

/// All faults in one text: one as it is, several in brackets, each once.
pub fn aggregate(errors: &[FieldError]) -> String {
    let mut texts: Vec<String> = Vec::with_capacity(errors.len());
    for error in errors {
        let text = error.to_string();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_those_of_kubernetes() {
        let table = [
            (FieldError::required("spec.a", ""), "spec.a: Required value"),
            (FieldError::required("spec.a", "is needed"), "spec.a: Required value: is needed"),
            (FieldError::invalid("spec.a", "x\"y", "must be z"), r#"spec.a: Invalid value: "x\"y": must be z"#),
            (FieldError::invalid("spec.a", 3, "must be 4"), "spec.a: Invalid value: 3: must be 4"),
            (FieldError::invalid("spec.a", json!({"b": 1}), ""), r#"spec.a: Invalid value: {"b":1}"#),
            (FieldError::forbidden("spec", "no"), "spec: Forbidden: no"),
            (FieldError::duplicate("spec.a[1]", "x"), r#"spec.a[1]: Duplicate value: "x""#),
            (FieldError::not_supported("dryRun", "x", &["All"]), r#"dryRun: Unsupported value: "x": supported values: "All""#),
            (
                FieldError::new(Fault::TooLong, "a", "may not be more than 3 bytes").with("abcd"),
                "a: Too long: may not be more than 3 bytes",
            ),
        ];
        for (error, expected) in table {
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn several_faults_are_one_text_and_each_is_said_once() {
        let [a, b] = ["a", "b"].map(|field| FieldError::required(field, ""));
        assert_eq!(aggregate(std::slice::from_ref(&a)), "a: Required value");
        assert_eq!(aggregate(&[a.clone(), b, a]), "[a: Required value, b: Required value]");
    }
}
