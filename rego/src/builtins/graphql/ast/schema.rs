//! Documents of a schema.

use super::{At, Comments, Directive, Type, Value};

/// Types, directives and roots.
#[derive(Debug, Default)]
pub(in super::super) struct SchemaDocument<'a> {
    pub(in super::super) schema: &'a [SchemaDefinition<'a>],
    pub(in super::super) schema_extensions: &'a [SchemaDefinition<'a>],
    pub(in super::super) directives: &'a [DirectiveDefinition<'a>],
    pub(in super::super) definitions: &'a [Definition<'a>],
    pub(in super::super) extensions: &'a [Definition<'a>],
    pub(in super::super) comment: Comments<'a>,
}

/// `schema { … }`, also to extend it.
#[derive(Debug, Default)]
pub(in super::super) struct SchemaDefinition<'a> {
    pub(in super::super) description: &'a str,
    pub(in super::super) directives: &'a [Directive<'a>],
    pub(in super::super) roots: &'a [RootType<'a>],
    pub(in super::super) at: At,
    pub(in super::super) before: Comments<'a>,
    pub(in super::super) after: Comments<'a>,
    pub(in super::super) end: Comments<'a>,
}

/// The type of an operation's result.
#[derive(Debug, Default)]
pub(in super::super) struct RootType<'a> {
    pub(in super::super) operation: &'a str,
    pub(in super::super) name: &'a str,
    pub(in super::super) at: At,
    pub(in super::super) comment: Comments<'a>,
}

/// A type's kind, as the tree says it.
pub(in super::super) mod kind {
    pub(in super::super::super) const SCALAR: &str = "SCALAR";
    pub(in super::super::super) const OBJECT: &str = "OBJECT";
    pub(in super::super::super) const INTERFACE: &str = "INTERFACE";
    pub(in super::super::super) const UNION: &str = "UNION";
    pub(in super::super::super) const ENUM: &str = "ENUM";
    pub(in super::super::super) const INPUT_OBJECT: &str = "INPUT_OBJECT";
}

/// A type, also to extend one: what its kind has not is empty.
#[derive(Debug, Default)]
pub(in super::super) struct Definition<'a> {
    pub(in super::super) kind: &'a str,
    pub(in super::super) description: &'a str,
    pub(in super::super) name: &'a str,
    pub(in super::super) directives: &'a [Directive<'a>],
    pub(in super::super) interfaces: &'a [&'a str],
    pub(in super::super) fields: &'a [Member<'a>],
    /// Members of a union, and where each stands.
    pub(in super::super) types: &'a [&'a str],
    pub(in super::super) type_places: &'a [At],
    pub(in super::super) values: &'a [EnumValue<'a>],
    pub(in super::super) built_in: bool,
    pub(in super::super) at: At,
    pub(in super::super) before: Comments<'a>,
    pub(in super::super) after: Comments<'a>,
    pub(in super::super) end: Comments<'a>,
}

/// A field, or an argument of one, of a directive.
#[derive(Debug, Default)]
pub(in super::super) struct Member<'a> {
    pub(in super::super) description: &'a str,
    pub(in super::super) name: &'a str,
    pub(in super::super) arguments: &'a [Self],
    pub(in super::super) default: Option<Value<'a>>,
    pub(in super::super) kind: Type<'a>,
    pub(in super::super) directives: &'a [Directive<'a>],
    pub(in super::super) at: At,
    pub(in super::super) before: Comments<'a>,
    pub(in super::super) after: Comments<'a>,
}

impl Member<'_> {
    /// Whether it must be given.
    pub(in super::super) fn is_required(&self) -> bool {
        self.kind.non_null && self.default.is_none()
    }
}

/// A value of an enum.
#[derive(Debug, Default)]
pub(in super::super) struct EnumValue<'a> {
    pub(in super::super) description: &'a str,
    pub(in super::super) name: &'a str,
    pub(in super::super) directives: &'a [Directive<'a>],
    pub(in super::super) at: At,
    pub(in super::super) before: Comments<'a>,
    pub(in super::super) after: Comments<'a>,
}

/// A directive.
#[derive(Debug, Default)]
pub(in super::super) struct DirectiveDefinition<'a> {
    pub(in super::super) description: &'a str,
    pub(in super::super) name: &'a str,
    pub(in super::super) arguments: &'a [Member<'a>],
    pub(in super::super) locations: &'a [&'a str],
    pub(in super::super) repeatable: bool,
    pub(in super::super) at: At,
    pub(in super::super) before: Comments<'a>,
    pub(in super::super) after: Comments<'a>,
}
