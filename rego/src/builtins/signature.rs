//! Types of operands and answers, as OPA's capabilities declare them.

/// A type (`v1/types/types.go`); constant, for the table of builtins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Anything.
    Any,
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// Any number.
    Number,
    /// Text.
    String,
    /// Items of one type.
    Array(&'static Self),
    /// As many items as there are types.
    Tuple(&'static [Self]),
    /// Members of one type.
    Set(&'static Self),
    /// Keys of the first type, values of the second.
    Object(&'static Self, &'static Self),
    /// Named members that must be there, and the types of further keys and values.
    Record(&'static [(&'static str, Self)], Option<(&'static Self, &'static Self)>),
    /// One of these.
    Or(&'static [Self]),
}
