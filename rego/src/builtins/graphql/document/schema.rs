//! Schemas.

use super::super::ast::{Definition, DirectiveDefinition, EnumValue, Member, RootType, SchemaDefinition, SchemaDocument};
use super::{Part, Writer};

impl Writer<'_> {
    pub(super) fn schema_document(&mut self, of: &SchemaDocument<'_>) -> Part {
        let parts = [
            ("Schema", self.list(of.schema, Self::schema_definition)?),
            ("SchemaExtension", self.list(of.schema_extensions, Self::schema_definition)?),
            ("Directives", self.list(of.directives, Self::directive_definition)?),
            ("Definitions", self.list(of.definitions, Self::definition)?),
            ("Extensions", self.list(of.extensions, Self::definition)?),
            ("Comment", self.comments(of.comment)?),
        ];
        self.object(parts)
    }

    fn schema_definition(&mut self, of: &SchemaDefinition<'_>) -> Part {
        let parts = [
            ("Description", self.text(of.description)?),
            ("Directives", self.directives(of.directives)?),
            ("OperationTypes", self.list(of.roots, Self::root_type)?),
            ("BeforeDescriptionComment", self.comments(of.before)?),
            ("AfterDescriptionComment", self.comments(of.after)?),
            ("EndOfDefinitionComment", self.comments(of.end)?),
        ];
        self.object(parts)
    }

    fn root_type(&mut self, of: &RootType<'_>) -> Part {
        let parts =
            [("Operation", self.text(of.operation)?), ("Type", self.text(of.name)?), ("Comment", self.comments(of.comment)?)];
        self.object(parts)
    }

    fn definition(&mut self, of: &Definition<'_>) -> Part {
        let parts = [
            ("Kind", self.text(of.kind)?),
            ("Description", self.text(of.description)?),
            ("Name", self.text(of.name)?),
            ("Directives", self.directives(of.directives)?),
            ("Interfaces", self.texts(of.interfaces)?),
            ("Fields", self.list(of.fields, Self::member)?),
            ("Types", self.texts(of.types)?),
            ("EnumValues", self.list(of.values, Self::enum_value)?),
            ("BuiltIn", Some(of.built_in.into())),
            ("BeforeDescriptionComment", self.comments(of.before)?),
            ("AfterDescriptionComment", self.comments(of.after)?),
            ("EndOfDefinitionComment", self.comments(of.end)?),
        ];
        self.object(parts)
    }

    fn member(&mut self, of: &Member<'_>) -> Part {
        let parts = [
            ("Description", self.text(of.description)?),
            ("Name", self.text(of.name)?),
            ("Arguments", self.list(of.arguments, Self::member)?),
            ("DefaultValue", self.optional(of.default.as_ref(), Self::value)?),
            ("Type", self.kind(&of.kind)?),
            ("Directives", self.directives(of.directives)?),
            ("BeforeDescriptionComment", self.comments(of.before)?),
            ("AfterDescriptionComment", self.comments(of.after)?),
        ];
        self.object(parts)
    }

    fn enum_value(&mut self, of: &EnumValue<'_>) -> Part {
        let parts = [
            ("Description", self.text(of.description)?),
            ("Name", self.text(of.name)?),
            ("Directives", self.directives(of.directives)?),
            ("BeforeDescriptionComment", self.comments(of.before)?),
            ("AfterDescriptionComment", self.comments(of.after)?),
        ];
        self.object(parts)
    }

    fn directive_definition(&mut self, of: &DirectiveDefinition<'_>) -> Part {
        let parts = [
            ("Description", self.text(of.description)?),
            ("Name", self.text(of.name)?),
            ("Arguments", self.list(of.arguments, Self::member)?),
            ("Locations", self.texts(of.locations)?),
            ("IsRepeatable", Some(of.repeatable.into())),
            ("BeforeDescriptionComment", self.comments(of.before)?),
            ("AfterDescriptionComment", self.comments(of.after)?),
        ];
        self.object(parts)
    }
}
