//! The documents that references may find (`internal/gojsonschema`, `schemaPool.go`).

use std::collections::HashMap;

use super::reference::Reference;
use super::schema::Draft;
use crate::builtins::BuiltinError;
use crate::limits::Account;
use crate::value::Value;

/// Documents by their references, with all references in them absolute.
#[derive(Default)]
pub(super) struct Pool {
    documents: HashMap<String, (Value, Option<Draft>)>,
}

impl Pool {
    /// Takes in a document; the same with absolute references.
    pub(super) fn root(&mut self, account: &mut Account, document: &Value) -> Result<Value, BuiltinError> {
        let draft = draft(document)?;
        let root = Reference::default();
        let absolute = Walk { pool: self, account, draft }.absolute(document, &root)?;
        self.documents.insert(root.text(), (absolute.clone(), draft));
        Ok(absolute)
    }

    /// What a reference finds.
    pub(super) fn find(&self, reference: &Reference) -> Result<(Value, Option<Draft>), BuiltinError> {
        if let Some(known) = self.documents.get(&reference.text()) {
            return Ok(known.clone());
        }
        if let Some((document, draft)) = self.documents.get(&reference.document().text()) {
            return Ok((reference.find(document)?.clone(), *draft));
        }
        let text = reference.text();
        let elsewhere = if reference.is_canonical() { "remote reference loading disabled: " } else { "Reference " };
        let why = if reference.is_canonical() { "" } else { " must be canonical" };
        Err(BuiltinError::failed(format!("{elsewhere}{text}{why}")))
    }
}

/// Which draft a document says that it is of.
pub(super) fn draft(document: &Value) -> Result<Option<Draft>, BuiltinError> {
    let schema = match document {
        Value::False | Value::True => return Ok(None),
        Value::Object(object) => object.get(&Value::from("$schema")),
        _ => return Err(BuiltinError::failed("schema is invalid")),
    };
    let Some(schema) = schema else { return Ok(None) };
    let text = schema.as_str().ok_or_else(|| BuiltinError::failed("$schema must be of type string"))?;
    Ok(match Reference::parse(text)?.text().as_str() {
        "http://json-schema.org/draft-04/schema" => Some(Draft::Four),
        "http://json-schema.org/draft-06/schema" => Some(Draft::Six),
        "http://json-schema.org/draft-07/schema" => Some(Draft::Seven),
        _ => None,
    })
}

struct Walk<'p> {
    pool: &'p mut Pool,
    account: &'p mut Account,
    draft: Option<Draft>,
}

impl Walk<'_> {
    fn absolute(&mut self, value: &Value, base: &Reference) -> Result<Value, BuiltinError> {
        self.account.charge(size_of::<Value>())?;
        match value {
            Value::Array(_) | Value::Object(_) => super::validate::level(value.depth(), || self.collection(value, base)),
            scalar => Ok(scalar.clone()),
        }
    }

    fn collection(&mut self, value: &Value, base: &Reference) -> Result<Value, BuiltinError> {
        let Some(object) = value.as_object() else {
            let items = value.as_array().unwrap_or_default();
            return Ok(Value::array(items.iter().map(|item| self.absolute(item, base)).collect::<Result<Vec<_>, _>>()?));
        };
        let text = |name: &str| object.get(&Value::from(name)).and_then(Value::as_str);
        let has_old = object.get(&Value::from("id")).is_some();
        let own = text(if has_old { "id" } else { "$id" }).and_then(|id| Reference::parse(id).ok()).map(|id| base.inherits(&id));
        let base = own.as_ref().unwrap_or(base);
        let mut members = Vec::new();
        for (key, member) in object.iter() {
            members.push((key.clone(), self.member(key, member, base)?));
        }
        let absolute = Value::object(members);
        if let Some(own) = own
            && self.pool.documents.insert(own.text(), (absolute.clone(), self.draft)).is_some()
        {
            return Err(BuiltinError::failed(format!("Reference already exists: \"{}\"", own.text())));
        }
        Ok(absolute)
    }

    fn member(&mut self, key: &Value, member: &Value, base: &Reference) -> Result<Value, BuiltinError> {
        match (key.as_str().map_or("", |key| key), member) {
            ("$ref", Value::String(text)) => {
                let reference = Reference::parse(text).map(|reference| base.inherits(&reference).text());
                Ok(reference.map_or_else(|_| member.clone(), Value::from))
            }
            // These are meant literally.
            ("const" | "enum", _) => Ok(member.clone()),
            // These name members, which may be called anything.
            ("properties" | "dependencies" | "patternProperties", Value::Object(object)) => {
                let named = object.iter().map(|(key, value)| Ok((key.clone(), self.absolute(value, base)?)));
                Ok(Value::object(named.collect::<Result<Vec<_>, BuiltinError>>()?))
            }
            (_, member) => self.absolute(member, base),
        }
    }
}
