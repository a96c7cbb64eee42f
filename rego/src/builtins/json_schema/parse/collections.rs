//! Members and items.

use super::super::keywords::{Keywords, invalid_type, must_be_of_type};
use super::super::schema::{Additional, Dependency, Draft, Id};
use super::{Parser, unless_halted};
use crate::builtins::{BuiltinError, regex};
use crate::value::Value;

impl Parser<'_> {
    pub(super) fn objects(&mut self, id: Id, words: &Keywords<'_>, draft: Draft) -> Result<(), BuiltinError> {
        if let Some(properties) = words.get("properties") {
            let properties = properties.as_object().ok_or_else(|| must_be_of_type("Properties", "object"))?;
            for (name, property) in properties.iter() {
                let property = self.part(property, draft)?;
                let name = name.as_str().map(ToString::to_string).unwrap_or_default();
                self.set(id, |part| part.properties.push((name, property)));
            }
        }
        let additional = self.additional(words, "additionalProperties", draft)?;
        self.set(id, |part| part.additional_properties = additional);
        if let Some(patterns) = words.get("patternProperties") {
            let patterns = patterns.as_object().ok_or_else(|| invalid_type("Valid Schema", "patternProperties"))?;
            for (pattern, property) in patterns.iter() {
                let pattern = pattern.as_str().map_or("", |pattern| pattern);
                let invalid = |error| unless_halted(error, &format!("Invalid regex pattern '{pattern}'"));
                let pattern = regex::compiled(self.context, pattern).map_err(invalid)?;
                let property = self.part(property, draft)?;
                self.set(id, |part| part.pattern_properties.push((pattern, property)));
            }
        }
        let names = words.get("propertyNames").filter(|_| draft >= Draft::Six);
        let names = self.one(names, draft, || invalid_type("Valid Schema", "patternProperties"))?;
        self.set(id, |part| part.property_names = names);
        self.dependencies(id, words, draft)
    }

    /// `true`, `false`, or a schema for what is not named.
    pub(super) fn additional(&mut self, words: &Keywords<'_>, key: &str, draft: Draft) -> Result<Additional, BuiltinError> {
        Ok(match words.get(key) {
            None | Some(Value::True) => Additional::Anything,
            Some(Value::False) => Additional::Nothing,
            Some(schema @ Value::Object(_)) => Additional::Fitting(self.part(schema, draft)?),
            Some(_) => return Err(invalid_type("boolean/Valid Schema", key)),
        })
    }

    pub(super) fn one(
        &mut self,
        schema: Option<&Value>,
        draft: Draft,
        wrong: impl Fn() -> BuiltinError,
    ) -> Result<Option<Id>, BuiltinError> {
        match schema {
            None => Ok(None),
            Some(schema @ (Value::False | Value::True | Value::Object(_))) => self.part(schema, draft).map(Some),
            Some(_) => Err(wrong()),
        }
    }

    pub(super) fn dependencies(&mut self, id: Id, words: &Keywords<'_>, draft: Draft) -> Result<(), BuiltinError> {
        let Some(dependencies) = words.get("dependencies") else { return Ok(()) };
        let wrong = || must_be_of_type("Dependency", "Schema Or Array Of Strings");
        for (name, dependency) in dependencies.as_object().ok_or_else(|| must_be_of_type("dependencies", "object"))?.iter() {
            let dependency = match dependency {
                Value::Array(keys) => {
                    let keys = keys.items().iter().map(|key| key.as_str().map(ToString::to_string).ok_or_else(wrong));
                    Dependency::Keys(keys.collect::<Result<_, _>>()?)
                }
                schema @ (Value::False | Value::True | Value::Object(_)) => Dependency::Schema(self.part(schema, draft)?),
                _ => return Err(wrong()),
            };
            let name = name.as_str().map(ToString::to_string).unwrap_or_default();
            self.set(id, |part| part.dependencies.push((name, dependency)));
        }
        Ok(())
    }

    pub(super) fn arrays(&mut self, id: Id, words: &Keywords<'_>, draft: Draft) -> Result<(), BuiltinError> {
        let wrong = || invalid_type("Valid Schema/Array Of Schemas", "items");
        match words.get("items") {
            None => {}
            Some(Value::Array(items)) => {
                for item in items.items() {
                    let item = self.one(Some(item), draft, wrong)?;
                    self.set(id, |part| part.items.extend(item));
                }
            }
            Some(schema) => {
                let item = self.one(Some(schema), draft, wrong)?;
                self.set(id, |part| {
                    part.items.extend(item);
                    part.items_are_alike = true;
                });
            }
        }
        let additional = self.additional(words, "additionalItems", draft)?;
        self.set(id, |part| part.additional_items = additional);
        Ok(())
    }
}
