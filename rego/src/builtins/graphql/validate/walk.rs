//! The walk: what stands inside comes before what it stands in.

use super::super::ast::{Argument, Directive, Field, Fragment, Inline, Member, Operation, Selection, Spread, Value, ValueKind};
use super::super::lookup;
use super::super::schema::{TypeDefinition, typename};
use super::notes::FieldNote;
use super::{Checked, Validator};

impl<'v, 'a> Validator<'v, 'a> {
    pub(super) fn document(&mut self) -> Checked {
        for operation in self.document.operations {
            self.spread.clear();
            self.operation = Some(operation);
            self.operation(operation)?;
            self.operation = None;
        }
        for fragment in self.document.fragments {
            self.spread.clear();
            self.fragment(fragment)?;
        }
        Ok(())
    }

    fn operation(&mut self, of: &'a Operation<'a>) -> Checked {
        for variable in of.variables {
            self.known_variable_type(variable)?;
            if let Some(default) = &variable.default {
                let definition = self.schema.of(&variable.kind);
                self.notes.change_value(default, |note| {
                    note.expected = Some(&variable.kind);
                    note.definition = definition;
                });
            }
        }
        for variable in of.variables {
            if let Some(default) = &variable.default {
                self.value(default)?;
            }
            self.directives(variable.directives, "VARIABLE_DEFINITION")?;
        }
        let location = match of.operation {
            "mutation" => "MUTATION",
            "subscription" => "SUBSCRIPTION",
            _ => "QUERY",
        };
        self.directives(of.directives, location)?;
        self.selections(self.schema.root(of.operation), of.selections)?;
        self.on_operation(of)
    }

    fn fragment(&mut self, of: &'a Fragment<'a>) -> Checked {
        self.directives(of.directives, "FRAGMENT_DEFINITION")?;
        self.selections(self.schema.find(of.condition), of.selections)?;
        self.on_fragment(of)
    }

    fn directives(&mut self, of: &'a [Directive<'a>], location: &'static str) -> Checked {
        for directive in of {
            let definition = self.schema.directive(directive.name);
            self.arguments(definition.map(|definition| definition.arguments), directive.arguments)?;
            self.on_directive(directive, definition, location)?;
        }
        self.on_directives(of)
    }

    fn arguments(&mut self, definitions: Option<&'a [Member<'a>]>, of: &'a [Argument<'a>]) -> Checked {
        for argument in of {
            if let Some(definition) = lookup::find(self.account, definitions.unwrap_or_default(), argument.name)? {
                self.expect(&argument.value, definition);
            }
            self.value(&argument.value)?;
        }
        Ok(())
    }

    /// A value stands where this is expected.
    fn expect(&mut self, value: &'a Value<'a>, by: &'a Member<'a>) {
        let definition = self.schema.of(&by.kind);
        self.notes.change_value(value, |note| {
            note.expected = Some(&by.kind);
            note.has_default = Some(by.default.as_ref().is_some_and(|default| default.kind != ValueKind::Null));
            note.definition = definition;
        });
    }

    fn value(&mut self, value: &'a Value<'a>) -> Checked {
        if value.kind == ValueKind::Variable
            && let Some(operation) = self.operation
        {
            let variable = lookup::find(self.account, operation.variables, value.raw)?;
            self.notes.change_value(value, |note| note.variable = variable);
            variable.into_iter().for_each(|variable| self.notes.use_variable(variable));
        }
        self.down(|validator| validator.children(value))?;
        self.on_value(value)
    }

    fn children(&mut self, value: &'a Value<'a>) -> Checked {
        let outer = self.notes.value(value);
        for child in value.children {
            match (value.kind, outer.definition) {
                (ValueKind::Object, Some(definition)) => {
                    if let Some(field) = lookup::find(self.account, &definition.fields, child.name)? {
                        self.expect(&child.value, field);
                    }
                }
                (ValueKind::List, definition) => {
                    if let Some(element) = outer.expected.and_then(|expected| expected.element) {
                        self.notes.change_value(&child.value, |note| {
                            note.expected = Some(element);
                            note.definition = definition;
                        });
                    }
                }
                (ValueKind::Object, None) => {}
                _ => return Ok(()),
            }
            self.value(&child.value)?;
        }
        Ok(())
    }

    fn selections(&mut self, parent: Option<&'v TypeDefinition<'a>>, of: &'a [Selection<'a>]) -> Checked {
        self.down(|validator| {
            of.iter().try_for_each(|selection| {
                validator.account.step(1)?;
                match selection {
                    Selection::Field(field) => validator.field(parent, field),
                    Selection::Inline(inline) => validator.inline(parent, inline),
                    Selection::Spread(spread) => validator.spread(parent, spread),
                }
            })
        })
    }

    fn field(&mut self, parent: Option<&'v TypeDefinition<'a>>, of: &'a Field<'a>) -> Checked {
        let definition = match parent {
            _ if of.name == "__typename" => typename(),
            Some(parent) => lookup::find(self.account, &parent.fields, of.name)?.copied(),
            None => None,
        };
        self.notes.set_field(of, FieldNote { definition, parent });
        let inner = definition.and_then(|definition| self.schema.of(&definition.kind));
        self.arguments(definition.map(|definition| definition.arguments), of.arguments)?;
        self.directives(of.directives, "FIELD")?;
        self.selections(inner, of.selections)?;
        self.on_field(of)
    }

    fn inline(&mut self, parent: Option<&'v TypeDefinition<'a>>, of: &'a Inline<'a>) -> Checked {
        let inner = if of.condition.is_empty() { parent } else { self.schema.find(of.condition) };
        self.directives(of.directives, "INLINE_FRAGMENT")?;
        self.selections(inner, of.selections)?;
        self.on_inline(parent, of)
    }

    fn spread(&mut self, parent: Option<&'v TypeDefinition<'a>>, of: &'a Spread<'a>) -> Checked {
        self.notes.walk_spread(of);
        let fragment = self.fragment_of(of);
        self.directives(of.directives, "FRAGMENT_SPREAD")?;
        if let Some(fragment) = fragment
            && self.spread.insert(fragment.name)
        {
            self.account.charge(2 * size_of::<&str>())?;
            self.directives(fragment.directives, "FRAGMENT_DEFINITION")?;
            self.selections(self.schema.find(fragment.condition), fragment.selections)?;
        }
        self.on_spread(parent, of, fragment)
    }
}
