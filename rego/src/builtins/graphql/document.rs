//! Documents as values: gqlparser's trees in JSON, without what OPA leaves out (`pruneIrrelevantGraphQLASTNodes`): positions, and
//! what is `null` or empty, but for empty strings.

mod query;
mod schema;

use super::ast::{Argument, Comments, Directive, QueryDocument, SchemaDocument, Type, Value as Node};
use super::parser::level;
use crate::builtins::BuiltinError;
use crate::limits::{Account, Halt};
use crate::value::Value;

/// What a member, an item or a document costs.
const MEMBER: usize = 2 * size_of::<Value>();

/// A part; nothing where it is empty.
type Part = Result<Option<Value>, Halt>;
/// Names and parts of an object.
type Parts<'p, const N: usize> = [(&'static str, Option<Value>); N];

/// Levels of JSON that Go reads, through which OPA makes values of trees.
const DEEPEST: u32 = 10_000;

/// A query's value. Fails where it is deeper than JSON may be.
pub(super) fn query(account: &mut Account, document: &QueryDocument<'_>) -> Result<Value, BuiltinError> {
    whole(Writer { account, depth: 0 }.query_document(document)?)
}

/// A schema's value. Fails where it is deeper than JSON may be.
pub(super) fn schema(account: &mut Account, document: &SchemaDocument<'_>) -> Result<Value, BuiltinError> {
    whole(Writer { account, depth: 0 }.schema_document(document)?)
}

fn whole(part: Option<Value>) -> Result<Value, BuiltinError> {
    let value = part.unwrap_or_else(|| Value::object([]));
    if value.depth() > DEEPEST {
        return Err(BuiltinError::failed("ast: interface conversion: invalid character '{' exceeded max depth"));
    }
    Ok(value)
}

/// What makes values.
struct Writer<'c> {
    account: &'c mut Account,
    depth: u32,
}

impl Writer<'_> {
    fn object<const N: usize>(&mut self, parts: Parts<'_, N>) -> Part {
        let count = parts.iter().filter(|(_, part)| part.is_some()).count();
        if count == 0 {
            return Ok(None);
        }
        self.account.charge(MEMBER.saturating_mul(count.saturating_add(1)))?;
        Ok(Some(Value::object(parts.into_iter().filter_map(|(name, part)| Some((Value::from(name), part?))))))
    }

    fn list<T>(&mut self, items: &[T], item: fn(&mut Self, &T) -> Part) -> Part {
        let mut values = Vec::new();
        for node in items {
            self.account.charge(MEMBER)?;
            values.extend(item(self, node)?);
        }
        Ok((!values.is_empty()).then(|| Value::array(values)))
    }

    fn text(&mut self, text: &str) -> Part {
        self.account.charge(text.len())?;
        Ok(Some(text.into()))
    }

    fn texts(&mut self, texts: &[&str]) -> Part {
        self.list(texts, |writer, text| writer.text(text))
    }

    fn comments(&mut self, comments: Comments<'_>) -> Part {
        let list = self.list(comments, |writer, comment| {
            let parts = [("Value", writer.text(comment)?)];
            writer.object(parts)
        })?;
        self.object([("List", list)])
    }

    fn optional<T>(&mut self, node: Option<&T>, part: fn(&mut Self, &T) -> Part) -> Part {
        node.map_or(Ok(None), |node| part(self, node))
    }

    /// Goes one level down.
    fn down(&mut self, part: impl FnOnce(&mut Self) -> Part) -> Part {
        self.depth = self.depth.saturating_add(1);
        let made = level(self.depth, self.account.limits().depth, || part(self));
        self.depth = self.depth.saturating_sub(1);
        made
    }

    fn kind(&mut self, of: &Type<'_>) -> Part {
        let element = self.down(|writer| writer.optional(of.element, Self::kind))?;
        let named = self.text(of.named)?;
        self.object([("NamedType", named), ("Elem", element), ("NonNull", Some(of.non_null.into()))])
    }

    fn value(&mut self, of: &Node<'_>) -> Part {
        let parts = [
            ("Raw", self.text(of.raw)?),
            ("Children", self.down(|writer| writer.arguments(of.children))?),
            ("Kind", Some(Value::Int(of.kind.number()))),
            ("Comment", self.comments(of.comment)?),
            ("ExpectedTypeHasDefault", Some(of.expected_has_default.into())),
        ];
        self.object(parts)
    }

    fn arguments(&mut self, of: &[Argument<'_>]) -> Part {
        self.list(of, |writer, argument| {
            let parts = [
                ("Name", writer.text(argument.name)?),
                ("Value", writer.value(&argument.value)?),
                ("Comment", writer.comments(argument.comment)?),
            ];
            writer.object(parts)
        })
    }

    fn directives(&mut self, of: &[Directive<'_>]) -> Part {
        self.list(of, |writer, directive| {
            let parts = [
                ("Name", writer.text(directive.name)?),
                ("Arguments", writer.arguments(directive.arguments)?),
                ("Location", writer.text(directive.location)?),
            ];
            writer.object(parts)
        })
    }
}
