//! Queries.

use super::super::ast::{Field, Fragment, Inline, Operation, QueryDocument, Selection, Spread, Variable};
use super::{Part, Writer};

impl Writer<'_> {
    pub(super) fn query_document(&mut self, of: &QueryDocument<'_>) -> Part {
        let parts = [
            ("Operations", self.list(of.operations, Self::operation)?),
            ("Fragments", self.list(of.fragments, Self::fragment)?),
            ("Comment", self.comments(of.comment)?),
        ];
        self.object(parts)
    }

    fn operation(&mut self, of: &Operation<'_>) -> Part {
        let parts = [
            ("Operation", self.text(of.operation)?),
            ("Name", self.text(of.name)?),
            ("VariableDefinitions", self.list(of.variables, Self::variable)?),
            ("Directives", self.directives(of.directives)?),
            ("SelectionSet", self.selections(of.selections)?),
            ("Comment", self.comments(of.comment)?),
        ];
        self.object(parts)
    }

    fn fragment(&mut self, of: &Fragment<'_>) -> Part {
        let parts = [
            ("Name", self.text(of.name)?),
            ("VariableDefinition", self.list(of.variables, Self::variable)?),
            ("TypeCondition", self.text(of.condition)?),
            ("Directives", self.directives(of.directives)?),
            ("SelectionSet", self.selections(of.selections)?),
            ("Comment", self.comments(of.comment)?),
        ];
        self.object(parts)
    }

    fn variable(&mut self, of: &Variable<'_>) -> Part {
        let parts = [
            ("Variable", self.text(of.name)?),
            ("Type", self.kind(&of.kind)?),
            ("DefaultValue", self.optional(of.default.as_ref(), Self::value)?),
            ("Directives", self.directives(of.directives)?),
            ("Comment", self.comments(of.comment)?),
            ("Used", Some(of.used.into())),
        ];
        self.object(parts)
    }

    fn selections(&mut self, of: &[Selection<'_>]) -> Part {
        self.down(|writer| {
            writer.list(of, |writer, selection| match selection {
                Selection::Field(field) => writer.field(field),
                Selection::Spread(spread) => writer.spread(spread),
                Selection::Inline(inline) => writer.inline(inline),
            })
        })
    }

    fn field(&mut self, of: &Field<'_>) -> Part {
        let parts = [
            ("Alias", self.text(of.alias)?),
            ("Name", self.text(of.name)?),
            ("Arguments", self.arguments(of.arguments)?),
            ("Directives", self.directives(of.directives)?),
            ("SelectionSet", self.selections(of.selections)?),
            ("Comment", self.comments(of.comment)?),
        ];
        self.object(parts)
    }

    fn spread(&mut self, of: &Spread<'_>) -> Part {
        let parts = [
            ("Name", self.text(of.name)?),
            ("Directives", self.directives(of.directives)?),
            ("Comment", self.comments(of.comment)?),
        ];
        self.object(parts)
    }

    fn inline(&mut self, of: &Inline<'_>) -> Part {
        let parts = [
            ("TypeCondition", self.text(of.condition)?),
            ("Directives", self.directives(of.directives)?),
            ("SelectionSet", self.selections(of.selections)?),
            ("Comment", self.comments(of.comment)?),
        ];
        self.object(parts)
    }
}
