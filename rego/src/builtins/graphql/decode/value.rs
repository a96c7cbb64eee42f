//! Values, arguments, directives, types.

use super::super::ast::{Argument, Directive, Type, Value as Node, ValueKind};
use super::{Decoded, Decoder, Fault, Structure};
use crate::value::Value;

const ARGUMENT: &[&str] = &["Name", "Value", "Comment"];

impl<'a> Decoder<'a, '_> {
    pub(super) fn arguments(&mut self, value: &'a Value) -> Decoded<&'a [Argument<'a>]> {
        self.list(value, "ast.ArgumentList", |decoder, item| decoder.named(item, Structure::folded("Argument", ARGUMENT)))
    }

    fn children(&mut self, value: &'a Value) -> Decoded<&'a [Argument<'a>]> {
        self.list(value, "ast.ChildValueList", |decoder, item| decoder.named(item, Structure::folded("ChildValue", ARGUMENT)))
    }

    fn named(&mut self, value: &'a Value, of: Structure) -> Decoded<Argument<'a>> {
        let (mut name, mut comment, mut found) = ("", [].as_slice(), None);
        self.members(value, of, |decoder, field, value| {
            match field {
                "Name" => name = decoder.string(value)?,
                "Comment" => comment = decoder.comments(value)?,
                _ => found = Some(decoder.down(|decoder| decoder.value(value))?),
            }
            Ok(())
        })?;
        Ok(Argument { name, value: found.ok_or(Fault::Missing("Value"))?, at: None, comment })
    }

    pub(super) fn value(&mut self, value: &'a Value) -> Decoded<Node<'a>> {
        let id = super::super::parser::next_id(&mut self.ids.values);
        let kind = ValueKind::Variable;
        let mut node = Node { id, kind, raw: "", children: &[], expected_has_default: false, at: None, comment: &[] };
        let of = Structure::folded("Value", &["Raw", "Children", "Kind", "Comment", "ExpectedTypeHasDefault"]);
        self.members(value, of, |decoder, field, value| {
            match field {
                "Raw" => node.raw = decoder.string(value)?,
                "Children" => node.children = decoder.children(value)?,
                "Kind" => node.kind = decoder.value_kind(value)?,
                "Comment" => node.comment = decoder.comments(value)?,
                _ => node.expected_has_default = decoder.boolean(value)?,
            }
            Ok(())
        })?;
        Ok(node)
    }

    fn value_kind(&self, value: &'a Value) -> Decoded<ValueKind> {
        const NAME: &str = "ast.ValueKind";
        if !value.is_number() {
            return Err(Fault::mismatch(value, NAME.into()));
        }
        let number = value.as_i64().ok_or_else(|| Fault::fraction(value, NAME.into()))?;
        ValueKind::of(number).ok_or(Fault::Missing("a known Kind"))
    }

    pub(super) fn directives(&mut self, value: &'a Value) -> Decoded<&'a [Directive<'a>]> {
        self.list(value, "ast.DirectiveList", Self::directive)
    }

    fn directive(&mut self, value: &'a Value) -> Decoded<Directive<'a>> {
        let mut node = Directive::default();
        self.members(value, Structure::folded("Directive", &["Name", "Arguments", "Location"]), |decoder, field, value| {
            match field {
                "Name" => node.name = decoder.string(value)?,
                "Arguments" => node.arguments = decoder.arguments(value)?,
                _ => node.location = decoder.text(value, "ast.DirectiveLocation")?,
            }
            Ok(())
        })?;
        Ok(node)
    }

    /// A type, with a name in it.
    pub(super) fn kind(&mut self, value: &'a Value) -> Decoded<Type<'a>> {
        let mut node = Type::default();
        self.members(value, Structure::folded("Type", &["NamedType", "Elem", "NonNull"]), |decoder, field, value| {
            match field {
                "NamedType" => node.named = decoder.string(value)?,
                "Elem" => {
                    let element = decoder.down(|decoder| decoder.kind(value))?;
                    decoder.account.charge(size_of::<Type<'_>>())?;
                    node.element = decoder.trees.keep(vec![element]).first();
                }
                _ => node.non_null = decoder.boolean(value)?,
            }
            Ok(())
        })?;
        if node.named.is_empty() && node.element.is_none() { Err(Fault::Missing("NamedType")) } else { Ok(node) }
    }
}
