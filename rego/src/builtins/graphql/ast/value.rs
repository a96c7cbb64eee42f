//! Values, what has them, and types.

use super::{At, Comments};

/// A directive where it is used.
#[derive(Debug, Default)]
pub(in super::super) struct Directive<'a> {
    pub(in super::super) name: &'a str,
    pub(in super::super) arguments: &'a [Argument<'a>],
    /// Empty in a text; an object may say something.
    pub(in super::super) location: &'a str,
    pub(in super::super) at: At,
}

/// A named value.
#[derive(Debug)]
pub(in super::super) struct Argument<'a> {
    pub(in super::super) name: &'a str,
    pub(in super::super) value: Value<'a>,
    pub(in super::super) at: At,
    pub(in super::super) comment: Comments<'a>,
}

/// A value.
#[derive(Debug)]
pub(in super::super) struct Value<'a> {
    pub(in super::super) id: usize,
    pub(in super::super) kind: ValueKind,
    pub(in super::super) raw: &'a str,
    /// Items of a list, fields of an object: a name, a value, nothing else.
    pub(in super::super) children: &'a [Argument<'a>],
    pub(in super::super) expected_has_default: bool,
    pub(in super::super) at: At,
    pub(in super::super) comment: Comments<'a>,
}

/// Kinds of values, by gqlparser's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum ValueKind {
    Variable,
    Int,
    Float,
    String,
    Block,
    Boolean,
    Null,
    Enum,
    List,
    Object,
}

impl ValueKind {
    /// The kind of a number.
    pub(in super::super) fn of(number: i64) -> Option<Self> {
        use ValueKind::{Block, Boolean, Enum, Float, Int, List, Null, Object, String, Variable};
        let kinds = [Variable, Int, Float, String, Block, Boolean, Null, Enum, List, Object];
        kinds.into_iter().find(|kind| kind.number() == number)
    }

    /// Its number.
    pub(in super::super) fn number(self) -> i64 {
        self as i64
    }
}

/// A type where it is used: a name, or a list.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Type<'a> {
    pub(in super::super) named: &'a str,
    pub(in super::super) element: Option<&'a Type<'a>>,
    pub(in super::super) non_null: bool,
    pub(in super::super) at: At,
}

impl<'a> Type<'a> {
    /// The name of the innermost type.
    pub(in super::super) fn name(&self) -> &'a str {
        let mut kind = *self;
        while let (true, Some(element)) = (kind.named.is_empty(), kind.element) {
            kind = *element;
        }
        kind.named
    }
}

impl std::fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mut kind, mut ends) = (*self, Vec::new());
        while let (true, Some(element)) = (kind.named.is_empty(), kind.element) {
            f.write_str("[")?;
            ends.push(kind.non_null);
            kind = *element;
        }
        f.write_str(kind.named)?;
        f.write_str(if kind.non_null { "!" } else { "" })?;
        ends.iter().rev().try_for_each(|non_null| f.write_str(if *non_null { "]!" } else { "]" }))
    }
}
