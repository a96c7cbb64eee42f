//! Documents from objects, as Go's `encoding/json` decodes them (`ast/decode.go`): letters' case in names does not matter, what is
//! not known is passed over. What only gqlparser's validation writes (`Definition`, `ExpectedType`, …) is not read.

mod fault;
mod query;
mod schema;
mod value;

pub(super) use fault::Fault;

use super::ast::{Comments, Ids, QueryDocument, SchemaDocument, Trees};
use super::parser::level;
use crate::builtins::encoding::json;
use crate::builtins::{BuiltinError, Context};
use crate::limits::Account;
use crate::value::Value;

/// An object as JSON has it, which OPA writes it in before it is decoded.
pub(super) fn plain(context: &mut Context, object: &Value) -> Result<Value, BuiltinError> {
    let text = json::write(context, object, None)?;
    json::read(context, &text)
}

/// A query of an object.
pub(super) fn query<'a>(trees: &'a Trees<'a>, account: &mut Account, object: &'a Value) -> Decoded<QueryDocument<'a>> {
    let mut decoder = Decoder { trees, account, ids: Ids::default(), depth: 0 };
    let document = decoder.query_document(object)?;
    Ok(QueryDocument { ids: decoder.ids, ..document })
}

/// A schema of an object.
pub(super) fn schema<'a>(trees: &'a Trees<'a>, account: &mut Account, object: &'a Value) -> Decoded<SchemaDocument<'a>> {
    Decoder { trees, account, ids: Ids::default(), depth: 0 }.schema_document(object)
}

type Decoded<T> = Result<T, Fault>;

/// How members are known: the name that Go has for a type, those of its fields, and whether their case matters.
#[derive(Clone, Copy)]
struct Structure {
    name: &'static str,
    fields: &'static [&'static str],
    exact: bool,
}

impl Structure {
    const fn folded(name: &'static str, fields: &'static [&'static str]) -> Self {
        Self { name, fields, exact: false }
    }

    /// Of a type that decodes itself.
    const fn exact(name: &'static str, fields: &'static [&'static str]) -> Self {
        Self { name, fields, exact: true }
    }

    fn field(&self, key: &str) -> Option<&'static str> {
        let found = self.fields.iter().find(|field| **field == key);
        found.or_else(|| self.fields.iter().filter(|_| !self.exact).find(|field| is_folded(field, key))).copied()
    }
}

/// Whether a key is a name but for the case of its letters, of which two have a third form.
fn is_folded(name: &str, key: &str) -> bool {
    let fold = |c| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    name.chars().map(fold).eq(key.chars().map(fold))
}

/// What decodes an object.
struct Decoder<'a, 'c> {
    trees: &'a Trees<'a>,
    account: &'c mut Account,
    ids: Ids,
    depth: u32,
}

impl<'a> Decoder<'a, '_> {
    /// Hands over each member that is known and not `null`.
    fn members(
        &mut self,
        value: &'a Value,
        of: Structure,
        mut set: impl FnMut(&mut Self, &'static str, &'a Value) -> Decoded<()>,
    ) -> Decoded<()> {
        let Some(object) = value.as_object() else {
            return Err(Fault::mismatch(
                value,
                if of.exact { "map[string]json.RawMessage".into() } else { format!("ast.{}", of.name) },
            ));
        };
        for (key, member) in object.iter() {
            self.account.step(1)?;
            let Some(field) = key.as_str().and_then(|key| of.field(key)) else { continue };
            if *member != Value::Null {
                set(self, field, member)
                    .map_err(|fault| if of.exact { fault.unowned() } else { fault.inside(of.name, field) })?;
            }
        }
        Ok(())
    }

    fn list<T: super::ast::Kept<'a>>(
        &mut self,
        value: &'a Value,
        kind: &str,
        item: fn(&mut Self, &'a Value) -> Decoded<T>,
    ) -> Decoded<&'a [T]> {
        let items = value.as_array().ok_or_else(|| Fault::mismatch(value, kind.into()))?;
        let mut nodes = Vec::new();
        for value in items {
            if *value == Value::Null {
                return Err(Fault::Missing("an item"));
            }
            self.account.charge(size_of::<T>().saturating_mul(2))?;
            nodes.push(item(self, value)?);
        }
        Ok(self.trees.keep(nodes))
    }

    fn text(&self, value: &'a Value, kind: &str) -> Decoded<&'a str> {
        value.as_str().map(|text| text.as_str()).ok_or_else(|| Fault::mismatch(value, kind.into()))
    }

    fn string(&self, value: &'a Value) -> Decoded<&'a str> {
        self.text(value, "string")
    }

    fn names(&mut self, value: &'a Value) -> Decoded<&'a [&'a str]> {
        self.list(value, "[]string", |decoder, item| decoder.string(item))
    }

    fn boolean(&self, value: &'a Value) -> Decoded<bool> {
        match value {
            Value::False => Ok(false),
            Value::True => Ok(true),
            other => Err(Fault::mismatch(other, "bool".into())),
        }
    }

    fn comments(&mut self, value: &'a Value) -> Decoded<Comments<'a>> {
        let mut comments: Comments<'a> = &[];
        self.members(value, Structure::folded("CommentGroup", &["List"]), |decoder, _, list| {
            comments = decoder.list(list, "[]*ast.Comment", Self::comment)?;
            Ok(())
        })?;
        Ok(comments)
    }

    fn comment(&mut self, value: &'a Value) -> Decoded<&'a str> {
        let mut comment = "";
        self.members(value, Structure::folded("Comment", &["Value"]), |decoder, _, text| {
            comment = decoder.string(text)?;
            Ok(())
        })?;
        Ok(comment)
    }

    /// Goes one level down.
    fn down<T>(&mut self, decode: impl FnOnce(&mut Self) -> Decoded<T>) -> Decoded<T> {
        self.depth = self.depth.saturating_add(1);
        let decoded = level(self.depth, self.account.limits().depth, || decode(self));
        self.depth = self.depth.saturating_sub(1);
        decoded
    }
}
