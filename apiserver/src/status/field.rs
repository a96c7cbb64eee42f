//! What is wrong with a field, in Kubernetes' words. Source: `apimachinery/pkg/util/validation/field`.

use std::fmt;

use serde_json::Value as Json;

use super::Cause;

/// One fault of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldError {
    /// The kind of fault.
    pub reason: FieldReason,
    /// Path of the field, such as `spec.containers[0].name`.
    pub field: String,
    /// What stands there, and why that is wrong: the text behind the path.
    pub message: String,
}

/// Kubernetes' kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "Kubernetes' own names")]
pub enum FieldReason {
    NotFound,
    Required,
    Duplicate,
    Invalid,
    NotSupported,
    Forbidden,
    TooLong,
    TooMany,
    TooFew,
    TypeInvalid,
    TooShort,
    Internal,
}

/// Path of a field while an object is walked; costs nothing until it is written out.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    step: Step<'a>,
    parent: Option<&'a Path<'a>>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Child(&'a str),
    Index(usize),
    Key(&'a str),
}

/// Collects faults.
#[derive(Debug, Default)]
pub struct Faults(Vec<FieldError>);

// --- FieldReason ---

impl FieldReason {
    /// As in `details.causes[].reason`.
    pub fn code(self) -> &'static str {
        match self {
            Self::NotFound => "FieldValueNotFound",
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::TooFew => "FieldValueTooFew",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::TooShort => "FieldValueTooShort",
            Self::Internal => "InternalError",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::NotFound => "Not found",
            Self::Required => "Required value",
            Self::Duplicate => "Duplicate value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::TooFew => "Too few",
            Self::TooShort => "Too short",
            Self::Internal => "Internal error",
        }
    }
}

// --- FieldError ---

impl FieldError {
    /// Its text is made of kind, value and detail, as Kubernetes makes it.
    pub fn new(reason: FieldReason, field: impl Into<String>, value: Option<&Json>, detail: &str) -> Self {
        let mut message = reason.words().to_owned();
        if let Some(value) = value {
            message.push_str(": ");
            message.push_str(&shown(value));
        }
        if !detail.is_empty() {
            message.push_str(": ");
            message.push_str(detail);
        }
        Self { reason, field: field.into(), message }
    }

    /// A value that breaks a rule.
    pub fn invalid(field: impl Into<String>, value: impl Into<Json>, detail: impl AsRef<str>) -> Self {
        Self::new(FieldReason::Invalid, field, Some(&value.into()), detail.as_ref())
    }

    /// Nothing there, and something must be.
    pub fn required(field: impl Into<String>, detail: &str) -> Self {
        Self::new(FieldReason::Required, field, None, detail)
    }

    /// Something that is not allowed here.
    pub fn forbidden(field: impl Into<String>, detail: impl AsRef<str>) -> Self {
        Self::new(FieldReason::Forbidden, field, None, detail.as_ref())
    }

    /// A value that is none of those that exist.
    pub fn not_supported(field: impl Into<String>, value: impl Into<Json>, supported: &[&str]) -> Self {
        let quoted: Vec<String> = supported.iter().map(|one| quote(one)).collect();
        let detail = if quoted.is_empty() { String::new() } else { format!("supported values: {}", quoted.join(", ")) };
        Self::new(FieldReason::NotSupported, field, Some(&value.into()), &detail)
    }

    /// With a reason behind the text that Kubernetes gives.
    #[must_use]
    pub fn explained(mut self, why: &str) -> Self {
        self.message.push_str(&format!(" ({why})"));
        self
    }

    /// As one of `details.causes`.
    pub fn cause(&self) -> Cause {
        Cause { reason: self.reason.code().to_owned(), message: self.message.clone(), field: self.field.clone() }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

// --- Path ---

impl<'a> Path<'a> {
    /// The object itself; its name in messages is empty.
    pub const ROOT: Path<'static> = Path { step: Step::Root, parent: None };

    /// A field.
    pub fn child(&'a self, name: &'a str) -> Path<'a> {
        Path { step: Step::Child(name), parent: Some(self) }
    }

    /// A member of an array.
    pub fn index(&'a self, index: usize) -> Path<'a> {
        Path { step: Step::Index(index), parent: Some(self) }
    }

    /// How many steps it has.
    pub fn depth(&self) -> usize {
        self.parent.map_or(0, |parent| parent.depth() + 1)
    }

    /// The field names alone, without places in arrays, as Go's decoder tells them.
    pub fn names(&self) -> String {
        let before = self.parent.map(Path::names).unwrap_or_default();
        match self.step {
            Step::Child(name) if before.is_empty() => name.to_owned(),
            Step::Child(name) => format!("{before}.{name}"),
            _ => before,
        }
    }

    /// The path as Go's decoder tells it: keys of maps look like fields.
    pub fn dotted(&self) -> String {
        let before = self.parent.map(Path::dotted).unwrap_or_default();
        match self.step {
            Step::Root => before,
            Step::Index(index) => format!("{before}[{index}]"),
            Step::Child(name) | Step::Key(name) if before.is_empty() => name.to_owned(),
            Step::Child(name) | Step::Key(name) => format!("{before}.{name}"),
        }
    }

    /// A value of a map.
    pub fn key(&'a self, key: &'a str) -> Path<'a> {
        Path { step: Step::Key(key), parent: Some(self) }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(parent) = self.parent else { return Ok(()) };
        parent.fmt(f)?;
        match self.step {
            Step::Root => Ok(()),
            Step::Child(name) if parent.parent.is_none() => f.write_str(name),
            Step::Child(name) => write!(f, ".{name}"),
            Step::Index(index) => write!(f, "[{index}]"),
            Step::Key(key) => write!(f, "[{key}]"),
        }
    }
}

// --- Faults ---

impl Faults {
    /// A fault that was found elsewhere.
    pub fn push(&mut self, fault: FieldError) {
        self.0.push(fault);
    }

    /// Nothing there, and something must be.
    pub fn required(&mut self, path: &Path<'_>, detail: &str) {
        self.add(FieldReason::Required, path, None, detail);
    }

    /// A value that breaks a rule.
    pub fn invalid(&mut self, path: &Path<'_>, value: &Json, detail: &str) {
        self.add(FieldReason::Invalid, path, Some(value), detail);
    }

    /// [`Faults::invalid`] for a text.
    pub fn invalid_text(&mut self, path: &Path<'_>, value: &str, detail: &str) {
        self.add(FieldReason::Invalid, path, Some(&Json::from(value)), detail);
    }

    /// A value of the wrong type.
    pub fn wrong_type(&mut self, path: &Path<'_>, value: &Json, detail: &str) {
        self.add(FieldReason::TypeInvalid, path, Some(value), detail);
    }

    /// Something that is not allowed here.
    pub fn forbidden(&mut self, path: &Path<'_>, detail: &str) {
        self.add(FieldReason::Forbidden, path, None, detail);
    }

    /// The same thing twice.
    pub fn duplicate(&mut self, path: &Path<'_>, value: &Json) {
        self.add(FieldReason::Duplicate, path, Some(value), "");
    }

    /// A reference to nothing.
    pub fn not_found(&mut self, path: &Path<'_>, value: &Json) {
        self.add(FieldReason::NotFound, path, Some(value), "");
    }

    /// A value that is none of those that exist.
    pub fn not_supported(&mut self, path: &Path<'_>, value: &Json, supported: &[&str]) {
        self.0.push(FieldError::not_supported(path.to_string(), value.clone(), supported));
    }

    /// More than this many bytes.
    pub fn too_long(&mut self, path: &Path<'_>, most: usize) {
        let unit = if most == 1 { "byte" } else { "bytes" };
        self.add(FieldReason::TooLong, path, None, &format!("may not be more than {most} {unit}"));
    }

    /// More than this many members.
    pub fn too_many(&mut self, path: &Path<'_>, actual: usize, most: u64) {
        let unit = if most == 1 { "item" } else { "items" };
        let actual = Json::from(actual);
        self.add(FieldReason::TooMany, path, Some(&actual), &format!("must have at most {most} {unit}"));
    }

    /// One fault with its text made of kind, value and detail, as Kubernetes makes it.
    pub fn add(&mut self, reason: FieldReason, path: &Path<'_>, value: Option<&Json>, detail: &str) {
        self.0.push(FieldError::new(reason, path.to_string(), value, detail));
    }

    /// A fault in words of its own.
    pub fn worded(&mut self, reason: FieldReason, path: &Path<'_>, message: String) {
        self.0.push(FieldError { reason, field: path.to_string(), message });
    }

    /// All faults of another collection.
    pub fn append(&mut self, mut other: Faults) {
        self.0.append(&mut other.0);
    }

    /// All faults of another collection, which told fields from `path` on.
    pub fn append_below(&mut self, path: &Path<'_>, other: Faults) {
        for mut fault in other.0 {
            fault.field = match fault.field.as_str() {
                "" => path.to_string(),
                field if field.starts_with('[') => format!("{path}{field}"),
                field => format!("{path}.{field}"),
            };
            self.0.push(fault);
        }
    }

    /// Every fault, in the order in which it was found.
    pub fn into_result(self) -> Result<(), Vec<FieldError>> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0) }
    }

    /// Whether nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many faults there are so far.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// A value as Go's validation shows it: texts quoted as Go quotes, everything else as JSON.
fn shown(value: &Json) -> String {
    match value {
        Json::String(text) => quote(text),
        Json::Array(members) => {
            let members: Vec<String> = members.iter().map(member).collect();
            format!("[{}]", members.join(","))
        }
        Json::Object(fields) => {
            let known = ORDERS.iter().find(|order| fields.keys().all(|name| order.contains(&name.as_str())));
            let mut fields: Vec<(&String, &Json)> = fields.iter().collect();
            if let Some(order) = known {
                fields.sort_by_key(|(name, _)| order.iter().position(|known| known == name));
            }
            let fields: Vec<String> =
                fields.into_iter().map(|(name, value)| format!("{}:{}", Json::from(name.as_str()), member(value))).collect();
            format!("{{{}}}", fields.join(","))
        }
        other => other.to_string(),
    }
}

fn member(value: &Json) -> String {
    if value.is_string() { value.to_string() } else { shown(value) }
}

/// Go writes a struct's fields in their own order; these are the structs that faults show.
const ORDERS: [&[&str]; 4] = [
    &["matchLabels", "matchExpressions"],
    &["key", "operator", "values"],
    &["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"],
    &["Type", "RollingUpdate"],
];

/// Go's `strconv.Quote`, which leaves printable characters beyond ASCII alone.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\u{b}' => quoted.push_str("\\v"),
            control if (control as u32) < 0x20 || control as u32 == 0x7f => {
                quoted.push_str(&format!("\\x{:02x}", control as u32));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn faults_read_as_kubernetes_writes_them() {
        let mut faults = Faults::default();
        let (metadata, spec) = (Path::ROOT.child("metadata"), Path::ROOT.child("spec"));
        let containers = spec.child("containers");
        faults.required(&metadata.child("name"), "name or generateName is required");
        faults.invalid(&spec.child("replicas"), &json!(-1), "must be greater than or equal to 0");
        faults.required(&containers.index(0).child("image"), "");
        faults.not_supported(&spec.child("type"), &json!("x"), &["A", "B"]);
        faults.too_long(&metadata.child("annotations"), 262_144);
        faults.invalid(&Path::ROOT.child("data").key("a b"), &json!("a \"b\""), "no");
        faults.invalid(&spec.child("selector"), &json!({"matchLabels": {"a": "b"}}), "field is immutable");
        let texts: Vec<String> = faults.into_result().unwrap_err().iter().map(FieldError::to_string).collect();
        assert_eq!(
            texts,
            [
                "metadata.name: Required value: name or generateName is required",
                "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
                "spec.containers[0].image: Required value",
                r#"spec.type: Unsupported value: "x": supported values: "A", "B""#,
                "metadata.annotations: Too long: may not be more than 262144 bytes",
                r#"data[a b]: Invalid value: "a \"b\"": no"#,
                r#"spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: field is immutable"#,
            ]
        );
    }
}
