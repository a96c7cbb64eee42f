//! Schemas.

use super::super::ast::{Definition, DirectiveDefinition, EnumValue, Member, RootType, SchemaDefinition, SchemaDocument};
use super::{Decoded, Decoder, Fault, Structure};
use crate::value::Value;

const DOCUMENT: Structure =
    Structure::folded("SchemaDocument", &["Schema", "SchemaExtension", "Directives", "Definitions", "Extensions", "Comment"]);
const SCHEMA: Structure = Structure::folded(
    "SchemaDefinition",
    &[
        "Description",
        "Directives",
        "OperationTypes",
        "BeforeDescriptionComment",
        "AfterDescriptionComment",
        "EndOfDefinitionComment",
    ],
);
const DEFINITION: Structure = Structure::folded(
    "Definition",
    &[
        "Kind",
        "Description",
        "Name",
        "Directives",
        "Interfaces",
        "Fields",
        "Types",
        "EnumValues",
        "BuiltIn",
        "BeforeDescriptionComment",
        "AfterDescriptionComment",
        "EndOfDefinitionComment",
    ],
);
const FIELD: Structure = Structure::folded(
    "FieldDefinition",
    &[
        "Description",
        "Name",
        "Arguments",
        "DefaultValue",
        "Type",
        "Directives",
        "BeforeDescriptionComment",
        "AfterDescriptionComment",
    ],
);
const ARGUMENT: Structure = Structure::folded(
    "ArgumentDefinition",
    &["Description", "Name", "DefaultValue", "Type", "Directives", "BeforeDescriptionComment", "AfterDescriptionComment"],
);
const ENUM_VALUE: Structure = Structure::folded(
    "EnumValueDefinition",
    &["Description", "Name", "Directives", "BeforeDescriptionComment", "AfterDescriptionComment"],
);
const DIRECTIVE: Structure = Structure::folded(
    "DirectiveDefinition",
    &["Description", "Name", "Arguments", "Locations", "IsRepeatable", "BeforeDescriptionComment", "AfterDescriptionComment"],
);

impl<'a> Decoder<'a, '_> {
    pub(super) fn schema_document(&mut self, value: &'a Value) -> Decoded<SchemaDocument<'a>> {
        const SCHEMAS: &str = "ast.SchemaDefinitionList";
        const TYPES: &str = "ast.DefinitionList";
        const DIRECTIVES: &str = "ast.DirectiveDefinitionList";
        let mut node = SchemaDocument::default();
        self.members(value, DOCUMENT, |decoder, field, value| {
            match field {
                "Schema" => node.schema = decoder.list(value, SCHEMAS, Self::schema_definition)?,
                "SchemaExtension" => node.schema_extensions = decoder.list(value, SCHEMAS, Self::schema_definition)?,
                "Directives" => node.directives = decoder.list(value, DIRECTIVES, Self::directive_definition)?,
                "Definitions" => node.definitions = decoder.list(value, TYPES, Self::definition)?,
                "Extensions" => node.extensions = decoder.list(value, TYPES, Self::definition)?,
                _ => node.comment = decoder.comments(value)?,
            }
            Ok(())
        })?;
        Ok(node)
    }

    fn schema_definition(&mut self, value: &'a Value) -> Decoded<SchemaDefinition<'a>> {
        let mut node = SchemaDefinition::default();
        self.members(value, SCHEMA, |decoder, field, value| {
            match field {
                "Description" => node.description = decoder.string(value)?,
                "Directives" => node.directives = decoder.directives(value)?,
                "OperationTypes" => node.roots = decoder.list(value, "ast.OperationTypeDefinitionList", Self::root_type)?,
                "BeforeDescriptionComment" => node.before = decoder.comments(value)?,
                "AfterDescriptionComment" => node.after = decoder.comments(value)?,
                _ => node.end = decoder.comments(value)?,
            }
            Ok(())
        })?;
        Ok(node)
    }

    fn root_type(&mut self, value: &'a Value) -> Decoded<RootType<'a>> {
        let mut node = RootType::default();
        let of = Structure::folded("OperationTypeDefinition", &["Operation", "Type", "Comment"]);
        self.members(value, of, |decoder, field, value| {
            match field {
                "Operation" => node.operation = decoder.text(value, "ast.Operation")?,
                "Type" => node.name = decoder.string(value)?,
                _ => node.comment = decoder.comments(value)?,
            }
            Ok(())
        })?;
        Ok(node)
    }

    fn definition(&mut self, value: &'a Value) -> Decoded<Definition<'a>> {
        let mut node = Definition::default();
        self.members(value, DEFINITION, |decoder, field, value| {
            match field {
                "Kind" => node.kind = decoder.text(value, "ast.DefinitionKind")?,
                "Description" => node.description = decoder.string(value)?,
                "Name" => node.name = decoder.string(value)?,
                "Directives" => node.directives = decoder.directives(value)?,
                "Interfaces" => node.interfaces = decoder.names(value)?,
                "Fields" => node.fields = decoder.list(value, "ast.FieldList", |decoder, item| decoder.member(item, FIELD))?,
                "Types" => node.types = decoder.names(value)?,
                "EnumValues" => node.values = decoder.list(value, "ast.EnumValueList", Self::enum_value)?,
                "BuiltIn" => node.built_in = decoder.boolean(value)?,
                "BeforeDescriptionComment" => node.before = decoder.comments(value)?,
                "AfterDescriptionComment" => node.after = decoder.comments(value)?,
                _ => node.end = decoder.comments(value)?,
            }
            Ok(())
        })?;
        Ok(node)
    }

    fn argument_definitions(&mut self, value: &'a Value) -> Decoded<&'a [Member<'a>]> {
        self.list(value, "ast.ArgumentDefinitionList", |decoder, item| decoder.member(item, ARGUMENT))
    }

    fn member(&mut self, value: &'a Value, of: Structure) -> Decoded<Member<'a>> {
        let mut node = Member::default();
        self.members(value, of, |decoder, field, value| {
            match field {
                "Description" => node.description = decoder.string(value)?,
                "Name" => node.name = decoder.string(value)?,
                "Arguments" => node.arguments = decoder.argument_definitions(value)?,
                "DefaultValue" => node.default = Some(decoder.value(value)?),
                "Type" => node.kind = decoder.kind(value)?,
                "Directives" => node.directives = decoder.directives(value)?,
                "BeforeDescriptionComment" => node.before = decoder.comments(value)?,
                _ => node.after = decoder.comments(value)?,
            }
            Ok(())
        })?;
        if node.kind.name().is_empty() { Err(Fault::Missing("Type")) } else { Ok(node) }
    }

    fn enum_value(&mut self, value: &'a Value) -> Decoded<EnumValue<'a>> {
        let mut node = EnumValue::default();
        self.members(value, ENUM_VALUE, |decoder, field, value| {
            match field {
                "Description" => node.description = decoder.string(value)?,
                "Name" => node.name = decoder.string(value)?,
                "Directives" => node.directives = decoder.directives(value)?,
                "BeforeDescriptionComment" => node.before = decoder.comments(value)?,
                _ => node.after = decoder.comments(value)?,
            }
            Ok(())
        })?;
        Ok(node)
    }

    fn locations(&mut self, value: &'a Value) -> Decoded<&'a [&'a str]> {
        self.list(value, "[]ast.DirectiveLocation", |decoder, item| decoder.text(item, "ast.DirectiveLocation"))
    }

    fn directive_definition(&mut self, value: &'a Value) -> Decoded<DirectiveDefinition<'a>> {
        let mut node = DirectiveDefinition::default();
        self.members(value, DIRECTIVE, |decoder, field, value| {
            match field {
                "Description" => node.description = decoder.string(value)?,
                "Name" => node.name = decoder.string(value)?,
                "Arguments" => node.arguments = decoder.argument_definitions(value)?,
                "Locations" => node.locations = decoder.locations(value)?,
                "IsRepeatable" => node.repeatable = decoder.boolean(value)?,
                "BeforeDescriptionComment" => node.before = decoder.comments(value)?,
                _ => node.after = decoder.comments(value)?,
            }
            Ok(())
        })?;
        Ok(node)
    }
}
