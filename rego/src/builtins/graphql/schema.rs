//! A schema's document as what queries are checked against (`validator/schema.go`), or what is wrong with it.

mod build;
mod check;
mod cycles;
mod directives;
mod implements;
mod kinds;

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use super::ast::{At, Directive, DirectiveDefinition, EnumValue, Member, SchemaDocument, Trees, Type, kind};
use super::error::Stop;
use super::parser;
use crate::limits::{Account, Limits};

pub(super) use kinds::{are_compatible, conflict};

/// What every schema has: gqlparser's own, each definition on the line that it has there, since errors name it.
const PRELUDE: &str = include_str!("schema/prelude.graphql");

/// Fields that every query has, beside `__typename`, which every object has.
const ROOT: &str = "type Query { __schema: __Schema! __type(name: String!): __Type __typename: String }";

static BUILT_IN: LazyLock<SchemaDocument<'static>> = LazyLock::new(|| own(PRELUDE));
static ROOT_FIELDS: LazyLock<&'static [Member<'static>]> =
    LazyLock::new(|| own(ROOT).definitions.first().map_or(&[], |root| root.fields));

/// A text of our own, which is read once and stays.
fn own(text: &'static str) -> SchemaDocument<'static> {
    let trees = Box::leak(Box::<Trees<'static>>::default());
    parser::prelude(trees, &mut Account::new(Limits::default()), text).unwrap_or_default()
}

/// The field `__typename`.
pub(super) fn typename() -> Option<&'static Member<'static>> {
    ROOT_FIELDS.last()
}

/// A type with all that extends it.
#[derive(Debug, Default)]
pub(super) struct TypeDefinition<'a> {
    pub(super) kind: &'a str,
    pub(super) name: &'a str,
    pub(super) directives: Vec<&'a Directive<'a>>,
    pub(super) interfaces: Vec<&'a str>,
    pub(super) fields: Vec<&'a Member<'a>>,
    pub(super) types: Vec<&'a str>,
    pub(super) type_places: Vec<At>,
    pub(super) values: Vec<&'a EnumValue<'a>>,
    pub(super) built_in: bool,
    pub(super) at: At,
}

impl TypeDefinition<'_> {
    pub(super) fn is_leaf(&self) -> bool {
        [kind::ENUM, kind::SCALAR].contains(&self.kind)
    }

    pub(super) fn is_abstract(&self) -> bool {
        [kind::INTERFACE, kind::UNION].contains(&self.kind)
    }

    pub(super) fn is_composite(&self) -> bool {
        self.is_abstract() || self.kind == kind::OBJECT
    }

    pub(super) fn is_input(&self) -> bool {
        [kind::SCALAR, kind::ENUM, kind::INPUT_OBJECT].contains(&self.kind)
    }
}

/// A valid schema.
#[derive(Debug, Default)]
pub(super) struct Schema<'a> {
    types: Vec<TypeDefinition<'a>>,
    names: BTreeMap<&'a str, usize>,
    directives: BTreeMap<&'a str, &'a DirectiveDefinition<'a>>,
    /// The objects that a value of a type may be, and the interfaces that implement it.
    possible: HashMap<&'a str, Vec<usize>>,
    query: Option<usize>,
    mutation: Option<usize>,
    subscription: Option<usize>,
}

impl<'a> Schema<'a> {
    /// A type by its name.
    pub(super) fn find(&self, name: &str) -> Option<&TypeDefinition<'a>> {
        self.types.get(*self.names.get(name)?)
    }

    /// The innermost type of a type.
    pub(super) fn of(&self, kind: &Type<'_>) -> Option<&TypeDefinition<'a>> {
        self.find(kind.name())
    }

    /// A directive by its name.
    pub(super) fn directive(&self, name: &str) -> Option<&'a DirectiveDefinition<'a>> {
        self.directives.get(name).copied()
    }

    /// The names of all types, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.names.keys().copied()
    }

    /// What a value of a type may be.
    pub(super) fn possible(&self, name: &str) -> impl Iterator<Item = &TypeDefinition<'a>> + Clone {
        self.possible.get(name).into_iter().flatten().filter_map(|id| self.types.get(*id))
    }

    /// What an operation selects from.
    pub(super) fn root(&self, operation: &str) -> Option<&TypeDefinition<'a>> {
        let root = match operation {
            "mutation" => self.mutation,
            "subscription" => self.subscription,
            _ => self.query,
        };
        self.types.get(root?)
    }

    /// The schema of a document, together with what every schema has. Fails with what is wrong first.
    pub(super) fn new(account: &mut Account, document: &SchemaDocument<'a>) -> Result<Self, Stop> {
        let mut schema = Self::default();
        schema.add_types(account, document)?;
        schema.add_possible(account)?;
        schema.add_directives(account, document)?;
        schema.add_roots(account, document)?;
        check::all(&schema, account)?;
        schema.infer_roots(document);
        Ok(schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many as gqlparser has, each where it stands there: OPA says of `extend type __Schema implements I interface I { zz: Int }`
    /// what is wrong at line 64, column 6.
    #[test]
    fn what_every_schema_has_is_read() {
        assert_eq!((BUILT_IN.definitions.len(), BUILT_IN.directives.len()), (13, 6));
        let place = BUILT_IN.definitions.iter().find(|of| of.name == "__Schema").and_then(|of| of.at);
        assert_eq!(place.map(|at| (at.line, at.column)), Some((64, 6)));
        assert!(BUILT_IN.definitions.iter().all(|of| of.built_in));
    }

    #[test]
    fn every_query_has_fields_of_its_own() {
        let names: Vec<_> = ROOT_FIELDS.iter().map(|field| field.name).collect();
        assert_eq!(names, ["__schema", "__type", "__typename"]);
        assert_eq!(typename().map(|field| field.kind.to_string()), Some("String".to_owned()));
    }
}
