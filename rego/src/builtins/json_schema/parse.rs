//! From a document to a schema (`internal/gojsonschema`, `schema.go`), in the order in which OPA looks at keywords: of several
//! things that are wrong it says the first.

mod collections;
mod scalars;

use std::collections::HashMap;

use super::keywords::{Keywords, invalid_type, must_be_of_an, must_be_of_type};
use super::pool::{self, Pool};
use super::reference::Reference;
use super::schema::{Draft, Id, Schema};
use super::validate;
use crate::builtins::{BuiltinError, Context};
use crate::value::Value;

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
        if let (Some(pass), true) = (document.as_bool(), draft >= Draft::Six) {
            self.set(id, |part| part.pass = Some(pass));
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
        let types = scalars::types(words)?;
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
                Value::False | Value::True | Value::Object(_) => drop(self.part(definition, draft)?),
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
        if !matches!(document, Value::False | Value::True | Value::Object(_)) {
            return Err(must_be_of_type("Valid Schema", "object"));
        }
        self.fill(target, &document, own.unwrap_or(draft))?;
        self.set(id, |part| part.reference = Some(target));
        Ok(true)
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
    if error.is_halt() { error } else { BuiltinError::failed(message) }
}
