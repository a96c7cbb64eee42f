//! Values, arguments, directives, types.

use super::super::ast::{Argument, Comments, Directive, Type, Value, ValueKind};
use super::{Kind, Parsed, Parser, next_id};

const BRACES: (Kind, Kind) = (Kind::BraceL, Kind::BraceR);
const BRACKETS: (Kind, Kind) = (Kind::BracketL, Kind::BracketR);
const PARENTHESES: (Kind, Kind) = (Kind::ParenL, Kind::ParenR);

impl<'a> Parser<'a, '_> {
    /// Arguments; constant ones have no variables in them.
    pub(super) fn arguments(&mut self, constant: bool) -> Parsed<&'a [Argument<'a>]> {
        let argument =
            if constant { |parser: &mut Self| parser.named_value(true) } else { |parser: &mut Self| parser.named_value(false) };
        let (arguments, _) = self.some(PARENTHESES, argument)?;
        Ok(self.trees.keep(arguments))
    }

    fn named_value(&mut self, constant: bool) -> Parsed<Argument<'a>> {
        let (at, comment) = (self.here()?, self.comment);
        let name = self.name()?;
        self.expect(Kind::Colon)?;
        Ok(Argument { name, value: self.value(constant)?, at, comment })
    }

    /// A value.
    pub(super) fn value(&mut self, constant: bool) -> Parsed<Value<'a>> {
        let token = self.peek()?;
        let kind = match token.kind {
            Kind::BracketL => return self.list(constant),
            Kind::BraceL => return self.object(constant),
            Kind::Dollar if !constant => {
                let raw = self.variable_name()?;
                return Ok(Value { raw, at: Some(token.at), ..self.node(ValueKind::Variable, &[]) });
            }
            Kind::Int => ValueKind::Int,
            Kind::Float => ValueKind::Float,
            Kind::String => ValueKind::String,
            Kind::BlockString => ValueKind::Block,
            Kind::Name => match token.value {
                "true" | "false" => ValueKind::Boolean,
                "null" => ValueKind::Null,
                _ => ValueKind::Enum,
            },
            _ => return self.unexpected(),
        };
        self.next()?;
        // The comments before a value without parts are gone with it, as in gqlparser.
        Ok(Value { raw: token.value, at: Some(token.at), ..self.node(kind, &[]) })
    }

    fn node(&mut self, kind: ValueKind, comment: Comments<'a>) -> Value<'a> {
        let id = next_id(&mut self.ids.values);
        Value { id, kind, raw: "", children: &[], expected_has_default: false, at: None, comment }
    }

    fn list(&mut self, constant: bool) -> Parsed<Value<'a>> {
        let (at, comment) = (self.here()?, self.comment);
        let item = if constant { |parser: &mut Self| parser.item(true) } else { |parser: &mut Self| parser.item(false) };
        let items = self.down(|parser| parser.many(BRACKETS, item))?;
        let children = self.trees.keep(items);
        Ok(Value { children, at, ..self.node(ValueKind::List, comment) })
    }

    fn item(&mut self, constant: bool) -> Parsed<Argument<'a>> {
        Ok(Argument { name: "", value: self.value(constant)?, at: None, comment: &[] })
    }

    fn object(&mut self, constant: bool) -> Parsed<Value<'a>> {
        let (at, comment) = (self.here()?, self.comment);
        let field =
            if constant { |parser: &mut Self| parser.named_value(true) } else { |parser: &mut Self| parser.named_value(false) };
        let fields = self.down(|parser| parser.many(BRACES, field))?;
        let children = self.trees.keep(fields);
        Ok(Value { children, at, ..self.node(ValueKind::Object, comment) })
    }

    /// `$` and a name.
    pub(super) fn variable_name(&mut self) -> Parsed<&'a str> {
        self.expect(Kind::Dollar)?;
        self.name()
    }

    /// Directives, as many as there are.
    pub(super) fn directives(&mut self, constant: bool) -> Parsed<&'a [Directive<'a>]> {
        let mut directives = Vec::new();
        while self.skip(Kind::At)? {
            let at = self.here()?;
            let name = self.name()?;
            let directive = Directive { name, arguments: self.arguments(constant)?, location: "", at };
            self.push(&mut directives, directive)?;
        }
        Ok(self.trees.keep(directives))
    }

    /// A type.
    pub(super) fn type_reference(&mut self) -> Parsed<Type<'a>> {
        let mut kind = Type::default();
        if self.skip(Kind::BracketL)? {
            kind.at = self.here()?;
            let element = self.down(Self::type_reference)?;
            self.account.charge(size_of::<Type<'_>>())?;
            kind.element = self.trees.keep(vec![element]).first();
            self.expect(Kind::BracketR)?;
        } else {
            kind.at = self.here()?;
            kind.named = self.name()?;
        }
        kind.non_null = self.skip(Kind::Bang)?;
        Ok(kind)
    }
}
