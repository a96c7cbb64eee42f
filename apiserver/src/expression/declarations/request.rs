//! The variables that have a type, and their fields. Source: `apiserver` `pkg/admission/plugin/cel/compile.go`,
//! `BuildRequestType`.

use super::super::types::Type;

/// A type, a field of it, and the field's type.
type Row = (&'static str, &'static str, &'static str);

const REQUEST: &str = "kubernetes.AdmissionRequest";
const KIND: &str = "kubernetes.GroupVersionKind";
const RESOURCE: &str = "kubernetes.GroupVersionResource";
const USER: &str = "kubernetes.UserInfo";
const AUTHORIZER: &str = "kubernetes.authorization.Authorizer";

const FIELDS: &[Row] = &[
    (REQUEST, "dryRun", "bool"),
    (REQUEST, "kind", KIND),
    (REQUEST, "name", "string"),
    (REQUEST, "namespace", "string"),
    (REQUEST, "operation", "string"),
    (REQUEST, "options", "dyn"),
    (REQUEST, "requestKind", KIND),
    (REQUEST, "requestResource", RESOURCE),
    (REQUEST, "requestSubResource", "string"),
    (REQUEST, "resource", RESOURCE),
    (REQUEST, "subResource", "string"),
    (REQUEST, "userInfo", USER),
    (KIND, "group", "string"),
    (KIND, "kind", "string"),
    (KIND, "version", "string"),
    (RESOURCE, "group", "string"),
    (RESOURCE, "resource", "string"),
    (RESOURCE, "version", "string"),
    (USER, "extra", "map(string, list(string))"),
    (USER, "groups", "list(string)"),
    (USER, "uid", "string"),
    (USER, "username", "string"),
];

/// The type of a field of a type with a closed set of fields; `None` if it has none of this name.
pub(in crate::expression) fn field_of(kind: &str, field: &str) -> Option<Type> {
    let (_, _, found) = FIELDS.iter().find(|(owner, name, _)| *owner == kind && *name == field)?;
    Type::read(found)
}

/// Whether a type has fields at all.
pub(in crate::expression) fn has_fields(kind: &str) -> bool {
    FIELDS.iter().any(|(owner, _, _)| *owner == kind)
}

/// The type of a variable. Objects may be anything.
pub(in crate::expression) fn of_variable(name: &str) -> Type {
    match name {
        "request" => Type::Named(REQUEST),
        "authorizer" => Type::Named(AUTHORIZER),
        "authorizer.requestResource" => Type::Named("kubernetes.authorization.ResourceCheck"),
        _ => Type::Dyn,
    }
}
