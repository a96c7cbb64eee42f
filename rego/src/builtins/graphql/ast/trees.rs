//! Where documents are kept: each node in the arena of its kind, so that what nests deeply is dropped without going through it.

use typed_arena::Arena;

use super::{
    Argument, At, Definition, Directive, DirectiveDefinition, EnumValue, Fragment, Member, Operation, RootType, SchemaDefinition,
    Selection, Type, Variable,
};

/// One arena for each kind.
#[derive(Default)]
pub(in super::super) struct Trees<'a> {
    pub(in super::super) text: Arena<u8>,
    names: Arena<&'a str>,
    places: Arena<At>,
    types: Arena<Type<'a>>,
    arguments: Arena<Argument<'a>>,
    directives: Arena<Directive<'a>>,
    selections: Arena<Selection<'a>>,
    variables: Arena<Variable<'a>>,
    operations: Arena<Operation<'a>>,
    fragments: Arena<Fragment<'a>>,
    members: Arena<Member<'a>>,
    enum_values: Arena<EnumValue<'a>>,
    definitions: Arena<Definition<'a>>,
    directive_definitions: Arena<DirectiveDefinition<'a>>,
    roots: Arena<RootType<'a>>,
    schemas: Arena<SchemaDefinition<'a>>,
}

/// A node that an arena is for.
pub(in super::super) trait Kept<'a>: Sized + 'a {
    /// The arena of its kind.
    fn arena<'t>(trees: &'t Trees<'a>) -> &'t Arena<Self>;
}

macro_rules! kept {
    ($($node:ty, $arena:ident;)*) => {
        $(impl<'a> Kept<'a> for $node {
            fn arena<'t>(trees: &'t Trees<'a>) -> &'t Arena<Self> {
                &trees.$arena
            }
        })*
    };
}

kept! {
    &'a str, names;
    At, places;
    Type<'a>, types;
    Argument<'a>, arguments;
    Directive<'a>, directives;
    Selection<'a>, selections;
    Variable<'a>, variables;
    Operation<'a>, operations;
    Fragment<'a>, fragments;
    Member<'a>, members;
    EnumValue<'a>, enum_values;
    Definition<'a>, definitions;
    DirectiveDefinition<'a>, directive_definitions;
    RootType<'a>, roots;
    SchemaDefinition<'a>, schemas;
}

impl<'a> Trees<'a> {
    /// Keeps nodes one behind another.
    pub(in super::super) fn keep<T: Kept<'a>>(&'a self, nodes: Vec<T>) -> &'a [T] {
        if nodes.is_empty() { &[] } else { T::arena(self).alloc_extend(nodes) }
    }
}
