//! The functions that an expression may call.

/// Functions and operators by the names that the parser gives them, and the types of what they give; of those whose type
/// depends on what they are given, [`super::types`] knows more.
const KNOWN: &[(&str, &str)] = &[
    ("!_", "bool"),
    ("_!=_", "bool"),
    ("_%_", "dyn"),
    ("_&&_", "bool"),
    ("_*_", "dyn"),
    ("_+_", "dyn"),
    ("_-_", "dyn"),
    ("_/_", "dyn"),
    ("_<=_", "bool"),
    ("_<_", "bool"),
    ("_==_", "bool"),
    ("_>=_", "bool"),
    ("_>_", "bool"),
    ("-_", "dyn"),
    ("_?._", "dyn"),
    ("_?_:_", "dyn"),
    ("_[?_]", "dyn"),
    ("_[_]", "dyn"),
    ("_||_", "bool"),
    ("@in", "bool"),
    ("@not_strictly_false", "bool"),
    ("bool", "bool"),
    ("bytes", "bytes"),
    ("charAt", "string"),
    ("contains", "bool"),
    ("double", "double"),
    ("dyn", "dyn"),
    ("endsWith", "bool"),
    ("hasValue", "bool"),
    ("indexOf", "int"),
    ("int", "int"),
    ("join", "string"),
    ("lastIndexOf", "int"),
    ("lowerAscii", "string"),
    ("matches", "bool"),
    ("or", "dyn"),
    ("orValue", "dyn"),
    ("replace", "string"),
    ("size", "int"),
    ("split", "list(string)"),
    ("startsWith", "bool"),
    ("string", "string"),
    ("substring", "string"),
    ("trim", "string"),
    ("type", "dyn"),
    ("uint", "uint"),
    ("upperAscii", "string"),
    ("value", "dyn"),
];

/// Of `optional`.
const OPTIONAL: [&str; 3] = ["none", "of", "ofNonZeroValue"];

/// Names of types.
const TYPES: [&str; 10] = ["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"];

/// The type of what a function gives; `None` if it is not known.
pub(super) fn gives(function: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(name, _)| *name == function).map(|(_, gives)| *gives)
}

/// Whether `optional.<function>` is known.
pub(super) fn is_optional(function: &str) -> bool {
    OPTIONAL.contains(&function)
}

/// Whether a name is that of a type.
pub(super) fn is_type(name: &str) -> bool {
    TYPES.contains(&name)
}

/// Functions whose work grows with the text that they are called on.
pub(super) fn reads_text(function: &str) -> bool {
    let names = [
        "contains",
        "endsWith",
        "indexOf",
        "join",
        "lastIndexOf",
        "lowerAscii",
        "matches",
        "replace",
        "split",
        "startsWith",
        "substring",
        "trim",
        "upperAscii",
    ];
    names.contains(&function)
}
