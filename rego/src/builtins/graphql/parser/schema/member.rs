//! What types consist of.

use super::super::super::ast::{At, Comments, EnumValue, Member};
use super::super::{Kind, Parsed, Parser};
use super::BRACES;

impl<'a> Parser<'a, '_> {
    /// `implements A & B`.
    pub(super) fn interfaces(&mut self) -> Parsed<&'a [&'a str]> {
        if self.peek()?.value != "implements" {
            return Ok(&[]);
        }
        self.next()?;
        self.separated(Kind::Amp, Self::name)
    }

    /// `= A | B`, and where each stands.
    pub(super) fn union_members(&mut self) -> Parsed<(&'a [&'a str], &'a [At])> {
        let (mut names, mut places) = (Vec::new(), Vec::new());
        if self.skip(Kind::Equals)? {
            self.skip(Kind::Pipe)?;
            loop {
                let at = self.here()?;
                let name = self.name()?;
                self.push(&mut places, at)?;
                self.push(&mut names, name)?;
                if !self.skip(Kind::Pipe)? {
                    break;
                }
            }
        }
        Ok((self.trees.keep(names), self.trees.keep(places)))
    }

    /// Fields between braces, and the comments behind the last one.
    pub(super) fn fields(&mut self, field: fn(&mut Self) -> Parsed<Member<'a>>) -> Parsed<(&'a [Member<'a>], Comments<'a>)> {
        let (fields, end) = self.some(BRACES, field)?;
        Ok((self.trees.keep(fields), end))
    }

    /// A field of an object or an interface.
    pub(super) fn field_definition(&mut self) -> Parsed<Member<'a>> {
        let member = self.described()?;
        let arguments = self.argument_definitions()?;
        self.expect(Kind::Colon)?;
        let kind = self.type_reference()?;
        Ok(Member { arguments, kind, directives: self.directives(true)?, ..member })
    }

    /// What a field or a directive takes.
    pub(super) fn argument_definitions(&mut self) -> Parsed<&'a [Member<'a>]> {
        let (arguments, _) = self.some((Kind::ParenL, Kind::ParenR), Self::input_value)?;
        Ok(self.trees.keep(arguments))
    }

    /// An argument, or a field of an input object.
    pub(super) fn input_value(&mut self) -> Parsed<Member<'a>> {
        let member = self.described()?;
        self.expect(Kind::Colon)?;
        let kind = self.type_reference()?;
        let default = if self.skip(Kind::Equals)? { Some(self.value(true)?) } else { None };
        Ok(Member { kind, default, directives: self.directives(true)?, ..member })
    }

    /// A description and a name. An empty description is none, and takes its comments with it.
    fn described(&mut self) -> Parsed<Member<'a>> {
        let described = self.description()?;
        let before = if described.text.is_empty() { &[] } else { described.comment };
        let (after, at) = (self.comment_here()?, self.here()?);
        Ok(Member { description: described.text, before, after, at, name: self.name()?, ..Member::default() })
    }

    /// Values of an enum between braces, and the comments behind the last one.
    pub(super) fn enum_values(&mut self) -> Parsed<(&'a [EnumValue<'a>], Comments<'a>)> {
        let (values, end) = self.some(BRACES, Self::enum_value)?;
        Ok((self.trees.keep(values), end))
    }

    fn enum_value(&mut self) -> Parsed<EnumValue<'a>> {
        let Member { description, name, at, before, after, .. } = self.described()?;
        Ok(EnumValue { description, name, directives: self.directives(true)?, at, before, after })
    }
}
