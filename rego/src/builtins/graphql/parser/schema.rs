//! Schemas (`parser/schema.go`).

mod extension;
mod member;

use super::super::ast::kind;
use super::super::ast::{Comments, Definition, DirectiveDefinition, RootType, SchemaDefinition, SchemaDocument};
use super::{Kind, Parsed, Parser};

const BRACES: (Kind, Kind) = (Kind::BraceL, Kind::BraceR);

/// Where directives may be used.
const LOCATIONS: &[&str] = &[
    "QUERY",
    "MUTATION",
    "SUBSCRIPTION",
    "FIELD",
    "FRAGMENT_DEFINITION",
    "FRAGMENT_SPREAD",
    "INLINE_FRAGMENT",
    "VARIABLE_DEFINITION",
    "SCHEMA",
    "SCALAR",
    "OBJECT",
    "FIELD_DEFINITION",
    "ARGUMENT_DEFINITION",
    "INTERFACE",
    "UNION",
    "ENUM",
    "ENUM_VALUE",
    "INPUT_OBJECT",
    "INPUT_FIELD_DEFINITION",
];

/// A description and the comments before it.
#[derive(Clone, Copy, Default)]
struct Description<'a> {
    text: &'a str,
    comment: Comments<'a>,
}

/// What a schema has so far.
#[derive(Default)]
struct Parts<'a> {
    schema: Vec<SchemaDefinition<'a>>,
    schema_extensions: Vec<SchemaDefinition<'a>>,
    directives: Vec<DirectiveDefinition<'a>>,
    definitions: Vec<Definition<'a>>,
    extensions: Vec<Definition<'a>>,
}

impl<'a> Parser<'a, '_> {
    /// Definitions until the text ends.
    pub(super) fn schema_document(mut self) -> Parsed<SchemaDocument<'a>> {
        let mut parts = Parts::default();
        while !self.next_is(Kind::Eof)? {
            let description = self.description()?;
            if !self.next_is(Kind::Name)? {
                return self.unexpected();
            }
            self.part(&mut parts, description)?;
        }
        Ok(SchemaDocument {
            schema: self.trees.keep(parts.schema),
            schema_extensions: self.trees.keep(parts.schema_extensions),
            directives: self.trees.keep(parts.directives),
            definitions: self.trees.keep(parts.definitions),
            extensions: self.trees.keep(parts.extensions),
            comment: self.comment,
        })
    }

    fn part(&mut self, parts: &mut Parts<'a>, description: Description<'a>) -> Parsed<()> {
        let keyword = self.peek()?;
        if let Some(kind) = type_kind(keyword.value) {
            let definition = self.definition(keyword.value, kind, description)?;
            return Ok(self.push(&mut parts.definitions, definition)?);
        }
        match keyword.value {
            "schema" => {
                let schema = self.schema_definition(description)?;
                Ok(self.push(&mut parts.schema, schema)?)
            }
            "directive" => {
                let directive = self.directive_definition(description)?;
                Ok(self.push(&mut parts.directives, directive)?)
            }
            "extend" if !description.text.is_empty() => {
                let previous = self.previous;
                self.error(previous, format!("Unexpected {}", previous.shown()))
            }
            "extend" => self.extension(parts),
            _ => self.unexpected(),
        }
    }

    /// A description; empty where there is none.
    fn description(&mut self) -> Parsed<Description<'a>> {
        if !matches!(self.peek()?.kind, Kind::String | Kind::BlockString) {
            return Ok(Description::default());
        }
        let comment = self.comment;
        Ok(Description { text: self.next()?.value, comment })
    }

    fn schema_definition(&mut self, description: Description<'a>) -> Parsed<SchemaDefinition<'a>> {
        let after = self.expect_keyword("schema")?;
        let at = self.here()?;
        let directives = self.directives(true)?;
        let (roots, end) = self.some(BRACES, Self::root_type)?;
        let (description, before, roots) = (description.text, description.comment, self.trees.keep(roots));
        Ok(SchemaDefinition { description, directives, roots, at, before, after, end })
    }

    fn root_type(&mut self) -> Parsed<RootType<'a>> {
        let (at, comment) = (self.here()?, self.comment);
        let token = self.next()?;
        if !matches!(token.value, "query" | "mutation" | "subscription") {
            return self.error(token, format!("Unexpected {}", token.shown()));
        }
        self.expect(Kind::Colon)?;
        Ok(RootType { operation: token.value, name: self.name()?, at, comment })
    }

    fn definition(&mut self, keyword: &str, kind: &'static str, description: Description<'a>) -> Parsed<Definition<'a>> {
        let after = self.expect_keyword(keyword)?;
        let described = Definition { description: description.text, before: description.comment, after, ..self.typed(kind)? };
        self.body(described, true)
    }

    /// A definition of a kind that begins here.
    fn typed(&mut self, kind: &'static str) -> Parsed<Definition<'a>> {
        let at = self.here()?;
        Ok(Definition { kind, at, built_in: self.prelude, name: self.name()?, ..Definition::default() })
    }

    /// What stands behind a type's name. Interfaces that are extended implement no others.
    fn body(&mut self, mut of: Definition<'a>, implements: bool) -> Parsed<Definition<'a>> {
        if of.kind == kind::OBJECT || of.kind == kind::INTERFACE && implements {
            of.interfaces = self.interfaces()?;
        }
        // Those of an extended input object may have variables in them.
        of.directives = self.directives(implements || of.kind != kind::INPUT_OBJECT)?;
        match of.kind {
            kind::OBJECT | kind::INTERFACE => (of.fields, of.end) = self.fields(Self::field_definition)?,
            kind::INPUT_OBJECT => (of.fields, of.end) = self.fields(Self::input_value)?,
            kind::UNION => (of.types, of.type_places) = self.union_members()?,
            kind::ENUM => (of.values, of.end) = self.enum_values()?,
            _ => {}
        }
        Ok(of)
    }

    fn directive_definition(&mut self, description: Description<'a>) -> Parsed<DirectiveDefinition<'a>> {
        let after = self.expect_keyword("directive")?;
        self.expect(Kind::At)?;
        let at = self.here()?;
        let name = self.name()?;
        let arguments = self.argument_definitions()?;
        let next = self.peek()?;
        let repeatable = next.kind == Kind::Name && next.value == "repeatable";
        if repeatable {
            self.next()?;
        }
        self.expect_keyword("on")?;
        let locations = self.separated(Kind::Pipe, Self::location)?;
        let (description, before) = (description.text, description.comment);
        Ok(DirectiveDefinition { description, name, arguments, locations, repeatable, at, before, after })
    }

    fn location(&mut self) -> Parsed<&'a str> {
        let (token, _) = self.expect(Kind::Name)?;
        if LOCATIONS.contains(&token.value) {
            Ok(token.value)
        } else {
            self.error(token, format!("Unexpected {}", token.shown()))
        }
    }
}

/// The kind of type that a keyword begins.
fn type_kind(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "scalar" => kind::SCALAR,
        "type" => kind::OBJECT,
        "interface" => kind::INTERFACE,
        "union" => kind::UNION,
        "enum" => kind::ENUM,
        "input" => kind::INPUT_OBJECT,
        _ => return None,
    })
}
