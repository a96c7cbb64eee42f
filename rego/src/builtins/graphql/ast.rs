//! Documents as gqlparser's tree has them (`ast/`): what is written there is written here, and nothing is looked up yet.

mod schema;
mod trees;
mod value;

pub(super) use schema::kind;
pub(super) use schema::{Definition, DirectiveDefinition, EnumValue, Member, RootType, SchemaDefinition, SchemaDocument};
pub(super) use trees::{Kept, Trees};
pub(super) use value::{Argument, Directive, Type, Value, ValueKind};

/// Where something stands. Columns are counted as gqlparser does it: those of block strings may lie before the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: i64,
    /// In the text of what every schema has.
    pub(super) prelude: bool,
}

/// A position; nothing where a document is made from an object.
pub(super) type At = Option<Position>;

/// Comments that stand together.
pub(super) type Comments<'a> = &'a [&'a str];

/// Operations and fragments.
#[derive(Debug, Default)]
pub(super) struct QueryDocument<'a> {
    pub(super) operations: &'a [Operation<'a>],
    pub(super) fragments: &'a [Fragment<'a>],
    pub(super) comment: Comments<'a>,
    pub(super) ids: Ids,
}

/// How many nodes of these kinds there are in a document: what is found out about each is kept beside the tree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ids {
    pub(super) fields: usize,
    pub(super) spreads: usize,
    pub(super) values: usize,
    pub(super) variables: usize,
}

/// A query, mutation or subscription.
#[derive(Debug, Default)]
pub(super) struct Operation<'a> {
    pub(super) operation: &'a str,
    pub(super) name: &'a str,
    pub(super) variables: &'a [Variable<'a>],
    pub(super) directives: &'a [Directive<'a>],
    pub(super) selections: &'a [Selection<'a>],
    pub(super) at: At,
    pub(super) comment: Comments<'a>,
}

/// A fragment that has a name.
#[derive(Debug, Default)]
pub(super) struct Fragment<'a> {
    pub(super) name: &'a str,
    pub(super) variables: &'a [Variable<'a>],
    pub(super) condition: &'a str,
    pub(super) directives: &'a [Directive<'a>],
    pub(super) selections: &'a [Selection<'a>],
    pub(super) at: At,
    pub(super) comment: Comments<'a>,
}

/// A variable that an operation takes.
#[derive(Debug)]
pub(super) struct Variable<'a> {
    pub(super) id: usize,
    pub(super) name: &'a str,
    pub(super) kind: Type<'a>,
    pub(super) default: Option<Value<'a>>,
    pub(super) directives: &'a [Directive<'a>],
    pub(super) used: bool,
    pub(super) at: At,
    pub(super) comment: Comments<'a>,
}

/// What is selected of an object.
#[derive(Debug)]
pub(super) enum Selection<'a> {
    Field(Field<'a>),
    Spread(Spread<'a>),
    Inline(Inline<'a>),
}

/// A field that is asked for.
#[derive(Debug, Default)]
pub(super) struct Field<'a> {
    pub(super) id: usize,
    pub(super) alias: &'a str,
    pub(super) name: &'a str,
    pub(super) arguments: &'a [Argument<'a>],
    pub(super) directives: &'a [Directive<'a>],
    pub(super) selections: &'a [Selection<'a>],
    pub(super) at: At,
    pub(super) comment: Comments<'a>,
}

impl<'a> Field<'a> {
    /// The name in the response.
    pub(super) fn response_name(&self) -> &'a str {
        if self.alias.is_empty() { self.name } else { self.alias }
    }
}

/// A fragment's name where it is used.
#[derive(Debug, Default)]
pub(super) struct Spread<'a> {
    pub(super) id: usize,
    pub(super) name: &'a str,
    pub(super) directives: &'a [Directive<'a>],
    pub(super) at: At,
    pub(super) comment: Comments<'a>,
}

/// A fragment without a name.
#[derive(Debug, Default)]
pub(super) struct Inline<'a> {
    pub(super) condition: &'a str,
    pub(super) directives: &'a [Directive<'a>],
    pub(super) selections: &'a [Selection<'a>],
    pub(super) at: At,
    pub(super) comment: Comments<'a>,
}
