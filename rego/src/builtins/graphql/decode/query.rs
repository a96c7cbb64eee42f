//! Queries.

use super::super::ast::{Field, Fragment, Inline, Operation, QueryDocument, Selection, Spread, Type, Variable};
use super::super::parser::next_id;
use super::{Decoded, Decoder, Fault, Structure};
use crate::value::Value;

impl<'a> Decoder<'a, '_> {
    pub(super) fn query_document(&mut self, value: &'a Value) -> Decoded<QueryDocument<'a>> {
        let mut node = QueryDocument::default();
        self.members(
            value,
            Structure::folded("QueryDocument", &["Operations", "Fragments", "Comment"]),
            |decoder, field, value| {
                match field {
                    "Operations" => node.operations = decoder.list(value, "ast.OperationList", Self::operation)?,
                    "Fragments" => node.fragments = decoder.list(value, "ast.FragmentDefinitionList", Self::fragment)?,
                    _ => node.comment = decoder.comments(value)?,
                }
                Ok(())
            },
        )?;
        Ok(node)
    }

    fn operation(&mut self, value: &'a Value) -> Decoded<Operation<'a>> {
        let mut node = Operation::default();
        let of = Structure::exact("", &["Operation", "Name", "VariableDefinitions", "Directives", "SelectionSet"]);
        self.members(value, of, |decoder, field, value| {
            match field {
                "Operation" => node.operation = decoder.text(value, "ast.Operation")?,
                "Name" => node.name = decoder.string(value)?,
                "VariableDefinitions" => node.variables = decoder.variables(value)?,
                "Directives" => node.directives = decoder.directives(value)?,
                _ => node.selections = decoder.selections(value)?,
            }
            Ok(())
        })?;
        if ["", "query", "mutation", "subscription"].contains(&node.operation) {
            Ok(node)
        } else {
            Err(Fault::Missing("a known Operation"))
        }
    }

    fn fragment(&mut self, value: &'a Value) -> Decoded<Fragment<'a>> {
        let mut node = Fragment::default();
        let of = Structure::exact("", &["Name", "VariableDefinition", "TypeCondition", "Directives", "SelectionSet"]);
        self.members(value, of, |decoder, field, value| {
            match field {
                "Name" => node.name = decoder.string(value)?,
                "VariableDefinition" => node.variables = decoder.variables(value)?,
                "TypeCondition" => node.condition = decoder.string(value)?,
                "Directives" => node.directives = decoder.directives(value)?,
                _ => node.selections = decoder.selections(value)?,
            }
            Ok(())
        })?;
        Ok(node)
    }

    fn variables(&mut self, value: &'a Value) -> Decoded<&'a [Variable<'a>]> {
        self.list(value, "ast.VariableDefinitionList", Self::variable)
    }

    fn variable(&mut self, value: &'a Value) -> Decoded<Variable<'a>> {
        let id = next_id(&mut self.ids.variables);
        let (kind, directives, comment) = (Type::default(), [].as_slice(), [].as_slice());
        let mut node = Variable { id, name: "", kind, default: None, directives, used: false, at: None, comment };
        let of = Structure::folded("VariableDefinition", &["Variable", "Type", "DefaultValue", "Directives", "Comment", "Used"]);
        self.members(value, of, |decoder, field, value| {
            match field {
                "Variable" => node.name = decoder.string(value)?,
                "Type" => node.kind = decoder.kind(value)?,
                "DefaultValue" => node.default = Some(decoder.value(value)?),
                "Directives" => node.directives = decoder.directives(value)?,
                "Comment" => node.comment = decoder.comments(value)?,
                _ => node.used = decoder.boolean(value)?,
            }
            Ok(())
        })?;
        if node.kind.name().is_empty() { Err(Fault::Missing("Type")) } else { Ok(node) }
    }

    /// Each is a field if it can be one: a fragment is, too, with the names that it shares with a field. What is nothing at all is
    /// left out.
    fn selections(&mut self, value: &'a Value) -> Decoded<&'a [Selection<'a>]> {
        let items = value.as_array().ok_or_else(|| Fault::mismatch(value, "[]json.RawMessage".into()))?;
        let mut selections = Vec::new();
        for item in items {
            self.account.charge(size_of::<Selection<'_>>().saturating_mul(2))?;
            selections.extend(self.down(|decoder| decoder.selection(item))?);
        }
        Ok(self.trees.keep(selections))
    }

    fn selection(&mut self, value: &'a Value) -> Decoded<Option<Selection<'a>>> {
        if let Some(field) = fitting(self.field(value))? {
            return Ok(Some(Selection::Field(field)));
        }
        if let Some(spread) = fitting(self.spread(value))? {
            return Ok(Some(Selection::Spread(spread)));
        }
        Ok(fitting(self.inline(value))?.map(Selection::Inline))
    }

    fn field(&mut self, value: &'a Value) -> Decoded<Field<'a>> {
        let mut node = Field { id: next_id(&mut self.ids.fields), ..Field::default() };
        if *value == Value::Null {
            return Ok(node);
        }
        let of = Structure::exact("", &["Alias", "Name", "Arguments", "Directives", "SelectionSet"]);
        self.members(value, of, |decoder, field, value| {
            match field {
                "Alias" => node.alias = decoder.string(value)?,
                "Name" => node.name = decoder.string(value)?,
                "Arguments" => node.arguments = decoder.arguments(value)?,
                "Directives" => node.directives = decoder.directives(value)?,
                _ => node.selections = decoder.selections(value)?,
            }
            Ok(())
        })?;
        Ok(node)
    }

    fn spread(&mut self, value: &'a Value) -> Decoded<Spread<'a>> {
        let mut node = Spread { id: next_id(&mut self.ids.spreads), ..Spread::default() };
        self.members(value, Structure::folded("", &["Name", "Directives", "Comment"]), |decoder, field, value| {
            match field {
                "Name" => node.name = decoder.string(value)?,
                "Directives" => node.directives = decoder.directives(value)?,
                _ => node.comment = decoder.comments(value)?,
            }
            Ok(())
        })?;
        Ok(node)
    }

    fn inline(&mut self, value: &'a Value) -> Decoded<Inline<'a>> {
        let mut node = Inline::default();
        self.members(value, Structure::exact("", &["TypeCondition", "Directives", "SelectionSet"]), |decoder, field, value| {
            match field {
                "TypeCondition" => node.condition = decoder.string(value)?,
                "Directives" => node.directives = decoder.directives(value)?,
                _ => node.selections = decoder.selections(value)?,
            }
            Ok(())
        })?;
        Ok(node)
    }
}

/// Nothing for what does not fit.
fn fitting<T>(decoded: Decoded<T>) -> Decoded<Option<T>> {
    match decoded {
        Ok(node) => Ok(Some(node)),
        Err(Fault::Mismatch(_)) => Ok(None),
        Err(other) => Err(other),
    }
}
