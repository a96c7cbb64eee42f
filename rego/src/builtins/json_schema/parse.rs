//! From a document to a schema (`internal/gojsonschema`, `schema.go`), in the order in which OPA looks at keywords: of several
//! things that are wrong it says the first.

use std::collections::HashMap;

use super::keywords::{Keywords, invalid_type, must_be_of_an, must_be_of_type, plain};
use super::pool::{self, Pool};
use super::reference::Reference;
use super::schema::{Additional, Dependency, Draft, Id, Limits, Schema};
use super::validate;
use crate::builtins::{BuiltinError, Context, regex};
use crate::value::Value;

const TYPES: [&str; 7] = ["array", "boolean", "integer", "number", "null", "object", "string"];

/// Words for a schema, where one must be.
type Wrong = fn(&str) -> BuiltinError;

struct Parser<'c> {
    context: &'c mut Context,
    pool: Pool,
    schema: Schema,
    /// What references were parsed to.
    known: HashMap<String, Id>,
}

/// The schema that a document is.
pub(super) fn parse(context: &mut Context, document: &Value) -> Result<Schema, BuiltinError> {
    let mut pool = Pool::default();
    let document = pool.root(&mut context.account, document)?;
    let draft = pool::draft(&document)?.unwrap_or(Draft::Hybrid);
    let mut parser = Parser { context, pool, schema: Schema::default(), known: HashMap::new() };
    parser.part(&document, draft)?;
    Ok(parser.schema)
}

impl Parser<'_> {
    /// A part of the schema that is parsed from this.
    fn part(&mut self, document: &Value, draft: Draft) -> Result<Id, BuiltinError> {
        let id = self.schema.add();
        self.fill(id, document, draft)?;
        Ok(id)
    }

    fn fill(&mut self, id: Id, document: &Value, draft: Draft) -> Result<(), BuiltinError> {
        self.context.account.charge(size_of::<super::schema::Part>())?;
        if let (Value::Bool(pass), true) = (document, draft >= Draft::Six) {
            self.set(id, |part| part.pass = Some(*pass));
            return Ok(());
        }
        let object = document.as_object().ok_or_else(|| BuiltinError::failed("Expected: Valid Schema, given: Invalid JSON"))?;
        // References may go round in circles, whatever the depth of the document.
        validate::level(u32::MAX, || self.keywords(id, &Keywords(object), draft))
    }

    fn set(&mut self, id: Id, set: impl FnOnce(&mut super::schema::Part)) {
        if let Some(part) = self.schema.parts.get_mut(id) {
            set(part);
        }
    }

    fn keywords(&mut self, id: Id, words: &Keywords<'_>, draft: Draft) -> Result<(), BuiltinError> {
        let has_old = draft == Draft::Hybrid && words.get("id").is_some();
        if let Some(own) = words.string(if draft == Draft::Four || has_old { "id" } else { "$id" })? {
            Reference::parse(own)?;
        }
        self.definitions(words, draft)?;
        words.string("title")?;
        words.string("description")?;
        if let Some(text) = words.string("$ref")?
            && self.reference(id, text, draft)?
        {
            return Ok(());
        }
        let types = types(words)?;
        self.set(id, |part| part.types = types);
        self.objects(id, words, draft)?;
        self.arrays(id, words, draft)?;
        self.limits(id, words, draft)?;
        self.rest(id, words, draft)?;
        self.combined(id, words, draft)
    }

    fn definitions(&mut self, words: &Keywords<'_>, draft: Draft) -> Result<(), BuiltinError> {
        let wrong = || invalid_type("Array Of Schemas", "definitions");
        let Some(definitions) = words.get("definitions") else { return Ok(()) };
        for (_, definition) in definitions.as_object().ok_or_else(wrong)?.iter() {
            match definition {
                Value::Bool(_) | Value::Object(_) => drop(self.part(definition, draft)?),
                _ => return Err(wrong()),
            }
        }
        Ok(())
    }

    /// What a reference means. Whether nothing else is looked at: that is so the first time.
    fn reference(&mut self, id: Id, text: &str, draft: Draft) -> Result<bool, BuiltinError> {
        let reference = Reference::parse(text)?;
        if let Some(known) = self.known.get(&reference.text()).copied() {
            self.set(id, |part| part.reference = Some(known));
            return Ok(false);
        }
        let target = self.schema.add();
        self.known.insert(reference.text(), target);
        let (document, own) = self.pool.find(&reference)?;
        if !matches!(document, Value::Bool(_) | Value::Object(_)) {
            return Err(must_be_of_type("Valid Schema", "object"));
        }
        self.fill(target, &document, own.unwrap_or(draft))?;
        self.set(id, |part| part.reference = Some(target));
        Ok(true)
    }

    fn objects(&mut self, id: Id, words: &Keywords<'_>, draft: Draft) -> Result<(), BuiltinError> {
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
    fn additional(&mut self, words: &Keywords<'_>, key: &str, draft: Draft) -> Result<Additional, BuiltinError> {
        Ok(match words.get(key) {
            None | Some(Value::Bool(true)) => Additional::Anything,
            Some(Value::Bool(false)) => Additional::Nothing,
            Some(schema @ Value::Object(_)) => Additional::Fitting(self.part(schema, draft)?),
            Some(_) => return Err(invalid_type("boolean/Valid Schema", key)),
        })
    }

    fn one(
        &mut self,
        schema: Option<&Value>,
        draft: Draft,
        wrong: impl Fn() -> BuiltinError,
    ) -> Result<Option<Id>, BuiltinError> {
        match schema {
            None => Ok(None),
            Some(schema @ (Value::Bool(_) | Value::Object(_))) => self.part(schema, draft).map(Some),
            Some(_) => Err(wrong()),
        }
    }

    fn dependencies(&mut self, id: Id, words: &Keywords<'_>, draft: Draft) -> Result<(), BuiltinError> {
        let Some(dependencies) = words.get("dependencies") else { return Ok(()) };
        let wrong = || must_be_of_type("Dependency", "Schema Or Array Of Strings");
        for (name, dependency) in dependencies.as_object().ok_or_else(|| must_be_of_type("dependencies", "object"))?.iter() {
            let dependency = match dependency {
                Value::Array(keys) => {
                    let keys = keys.items().iter().map(|key| key.as_str().map(ToString::to_string).ok_or_else(wrong));
                    Dependency::Keys(keys.collect::<Result<_, _>>()?)
                }
                schema @ (Value::Bool(_) | Value::Object(_)) => Dependency::Schema(self.part(schema, draft)?),
                _ => return Err(wrong()),
            };
            let name = name.as_str().map(ToString::to_string).unwrap_or_default();
            self.set(id, |part| part.dependencies.push((name, dependency)));
        }
        Ok(())
    }

    fn arrays(&mut self, id: Id, words: &Keywords<'_>, draft: Draft) -> Result<(), BuiltinError> {
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

    fn limits(&mut self, id: Id, words: &Keywords<'_>, draft: Draft) -> Result<(), BuiltinError> {
        let mut limits = Limits::default();
        if let Some(number) = words.get("multipleOf") {
            if !number.is_number() {
                return Err(invalid_type("Number", "multipleOf"));
            }
            if *number <= Value::Int(0) {
                return Err(BuiltinError::failed("multipleOf must be strictly greater than 0"));
            }
            limits.multiple_of = Some(number.clone());
        }
        let bound = |key| words.number(key);
        (limits.minimum, limits.exclusive_minimum) = exclusive(words, bound("minimum")?, "exclusiveMinimum", "minimum", draft)?;
        (limits.maximum, limits.exclusive_maximum) = exclusive(words, bound("maximum")?, "exclusiveMaximum", "maximum", draft)?;
        limits.length = words.range("minLength", "maxLength")?;
        if let Some(pattern) = words.string("pattern")? {
            let invalid = |error| unless_halted(error, "pattern must be a valid regex");
            let compiled = regex::compiled(self.context, pattern).map_err(invalid)?;
            self.set(id, |part| part.pattern = Some((pattern.to_owned(), compiled)));
        }
        let format = words.string("format")?.filter(|format| !format.is_empty()).map(ToOwned::to_owned);
        limits.properties = words.range("minProperties", "maxProperties")?;
        let required = words.unique_strings("required")?;
        limits.items = words.range("minItems", "maxItems")?;
        let unique_items = words.truth("uniqueItems")?;
        self.set(id, |part| {
            (part.format, part.required, part.limits, part.unique_items) = (format, required, limits, unique_items);
        });
        Ok(())
    }

    fn rest(&mut self, id: Id, words: &Keywords<'_>, draft: Draft) -> Result<(), BuiltinError> {
        let newer = draft >= Draft::Six;
        let contains = words.get("contains").filter(|_| newer).map(|schema| self.part(schema, draft)).transpose()?;
        let constant = words.get("const").filter(|_| newer).map(plain).transpose()?;
        let mut enumeration = None;
        if let Some(values) = words.list("enum")? {
            let mut texts: Vec<String> = Vec::new();
            for value in values {
                let text = plain(value)?;
                self.context.account.step(u64::try_from(texts.len()).unwrap_or(u64::MAX))?;
                if texts.contains(&text) {
                    return Err(BuiltinError::failed("enum items must be unique"));
                }
                texts.push(text);
            }
            enumeration = Some(texts);
        }
        self.set(id, |part| (part.contains, part.constant, part.enumeration) = (contains, constant, enumeration));
        Ok(())
    }

    fn combined(&mut self, id: Id, words: &Keywords<'_>, draft: Draft) -> Result<(), BuiltinError> {
        let mut all = |key| -> Result<Vec<Id>, BuiltinError> {
            words.list(key)?.unwrap_or_default().iter().map(|schema| self.part(schema, draft)).collect()
        };
        let (one_of, any_of, all_of) = (all("oneOf")?, all("anyOf")?, all("allOf")?);
        let wrong: Wrong = |key| must_be_of_an(key, "object");
        let not = self.one(words.get("not"), draft, || wrong("not"))?;
        self.set(id, |part| (part.one_of, part.any_of, part.all_of, part.not) = (one_of, any_of, all_of, not));
        if draft >= Draft::Seven {
            let condition = self.one(words.get("if"), draft, || wrong("if"))?;
            let then = self.one(words.get("then"), draft, || wrong("then"))?;
            let otherwise = self.one(words.get("else"), draft, || wrong("else"))?;
            self.set(id, |part| (part.condition, part.then, part.otherwise) = (condition, then, otherwise));
        }
        Ok(())
    }
}

fn unless_halted(error: BuiltinError, message: &str) -> BuiltinError {
    match error {
        halt @ BuiltinError::Halt(_) => halt,
        _ => BuiltinError::failed(message),
    }
}

fn types(words: &Keywords<'_>) -> Result<Vec<String>, BuiltinError> {
    let wrong = || invalid_type("type", "string/Array Of Strings");
    let written = match words.get("type") {
        None => return Ok(Vec::new()),
        Some(one @ Value::String(_)) => std::slice::from_ref(one),
        Some(Value::Array(several)) => several.items(),
        Some(_) => return Err(wrong()),
    };
    let mut types: Vec<String> = Vec::new();
    for written in written {
        let name = written.as_str().ok_or_else(wrong)?.to_string();
        if !TYPES.contains(&name.as_str()) {
            let known = TYPES.join(" ");
            let what = "has a primitive type that is NOT VALID -- given:";
            return Err(BuiltinError::failed(format!("{what} /{name}/ Expected valid values are:[{known}]")));
        }
        if types.contains(&name) {
            return Err(BuiltinError::failed(format!("{name} type is duplicated")));
        }
        types.push(name);
    }
    Ok(types)
}

/// A bound, and the exclusive one: in draft 4 whether the bound is exclusive, later a bound of its own.
fn exclusive(
    words: &Keywords<'_>,
    bound: Option<Value>,
    key: &str,
    of: &str,
    draft: Draft,
) -> Result<(Option<Value>, Option<Value>), BuiltinError> {
    let expected = match draft {
        Draft::Four => "boolean",
        Draft::Hybrid => "boolean/number",
        Draft::Six | Draft::Seven => "number",
    };
    match words.get(key) {
        None => Ok((bound, None)),
        Some(Value::Bool(is_exclusive)) if expected != "number" => match bound {
            None => Err(BuiltinError::failed(format!("{key} cannot be used without {of}"))),
            bound if *is_exclusive => Ok((None, bound)),
            bound => Ok((bound, None)),
        },
        Some(number) if number.is_number() && expected != "boolean" => Ok((bound, Some(number.clone()))),
        Some(_) => Err(invalid_type(expected, key)),
    }
}
