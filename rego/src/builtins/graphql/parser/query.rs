//! Queries (`parser/query.go`).

use super::super::ast::{Field, Fragment, Inline, Operation, QueryDocument, Selection, Spread, Variable};
use super::{Kind, Parsed, Parser, next_id};

const BRACES: (Kind, Kind) = (Kind::BraceL, Kind::BraceR);

impl<'a> Parser<'a, '_> {
    /// Operations and fragments until the text ends.
    pub(super) fn query_document(mut self) -> Parsed<QueryDocument<'a>> {
        let (mut operations, mut fragments) = (Vec::new(), Vec::new());
        loop {
            let token = self.peek()?;
            match (token.kind, token.value) {
                (Kind::Eof, _) => break,
                (Kind::BraceL, _) | (Kind::Name, "query" | "mutation" | "subscription") => {
                    let operation = self.operation()?;
                    self.push(&mut operations, operation)?;
                }
                (Kind::Name, "fragment") => {
                    let fragment = self.fragment_definition()?;
                    self.push(&mut fragments, fragment)?;
                }
                _ => return self.unexpected(),
            }
        }
        let (operations, fragments) = (self.trees.keep(operations), self.trees.keep(fragments));
        Ok(QueryDocument { operations, fragments, comment: &[], ids: self.ids })
    }

    fn operation(&mut self) -> Parsed<Operation<'a>> {
        let (at, comment) = (self.here()?, self.comment);
        if self.next_is(Kind::BraceL)? {
            let selections = self.required_selections()?;
            // The comments before it are gone with it, as in gqlparser.
            return Ok(Operation { operation: "query", selections, at, ..Operation::default() });
        }
        let operation = self.next()?.value;
        let name = if self.next_is(Kind::Name)? { self.next()?.value } else { "" };
        let variables = self.variables()?;
        let directives = self.directives(false)?;
        let selections = self.required_selections()?;
        Ok(Operation { operation, name, variables, directives, selections, at, comment })
    }

    fn variables(&mut self) -> Parsed<&'a [Variable<'a>]> {
        let (variables, _) = self.some((Kind::ParenL, Kind::ParenR), Self::variable)?;
        Ok(self.trees.keep(variables))
    }

    fn variable(&mut self) -> Parsed<Variable<'a>> {
        let (at, comment) = (self.here()?, self.comment);
        let name = self.variable_name()?;
        self.expect(Kind::Colon)?;
        let kind = self.type_reference()?;
        let default = if self.skip(Kind::Equals)? { Some(self.value(true)?) } else { None };
        let directives = self.directives(false)?;
        Ok(Variable { id: next_id(&mut self.ids.variables), name, kind, default, directives, used: false, at, comment })
    }

    fn required_selections(&mut self) -> Parsed<&'a [Selection<'a>]> {
        let token = self.peek()?;
        if token.kind != Kind::BraceL {
            return self.error(token, format!("Expected {{, found {}", token.kind.shown()));
        }
        self.selections()
    }

    fn selections(&mut self) -> Parsed<&'a [Selection<'a>]> {
        let (selections, _) = self.down(|parser| parser.some(BRACES, Self::selection))?;
        Ok(self.trees.keep(selections))
    }

    fn selection(&mut self) -> Parsed<Selection<'a>> {
        if self.next_is(Kind::Spread)? { self.fragment() } else { Ok(Selection::Field(self.field()?)) }
    }

    fn field(&mut self) -> Parsed<Field<'a>> {
        let (at, comment) = (self.here()?, self.comment);
        let alias = self.name()?;
        let name = if self.skip(Kind::Colon)? { self.name()? } else { alias };
        let arguments = self.arguments(false)?;
        let directives = self.directives(false)?;
        let selections = if self.next_is(Kind::BraceL)? { self.selections()? } else { &[] };
        Ok(Field { id: next_id(&mut self.ids.fields), alias, name, arguments, directives, selections, at, comment })
    }

    /// What stands behind `...`.
    fn fragment(&mut self) -> Parsed<Selection<'a>> {
        let (_, comment) = self.expect(Kind::Spread)?;
        let (next, at) = (self.peek()?, self.here()?);
        if next.kind == Kind::Name && next.value != "on" {
            let name = self.name()?;
            let (id, directives) = (next_id(&mut self.ids.spreads), self.directives(false)?);
            return Ok(Selection::Spread(Spread { id, name, directives, at, comment }));
        }
        let mut condition = "";
        if next.value == "on" {
            self.next()?;
            condition = self.name()?;
        }
        let directives = self.directives(false)?;
        let selections = self.required_selections()?;
        Ok(Selection::Inline(Inline { condition, directives, selections, at, comment }))
    }

    fn fragment_definition(&mut self) -> Parsed<Fragment<'a>> {
        let (at, comment) = (self.here()?, self.comment);
        self.expect_keyword("fragment")?;
        if self.peek()?.value == "on" {
            return self.unexpected();
        }
        let name = self.name()?;
        let variables = self.variables()?;
        self.expect_keyword("on")?;
        let condition = self.name()?;
        let directives = self.directives(false)?;
        let selections = self.required_selections()?;
        Ok(Fragment { name, variables, condition, directives, selections, at, comment })
    }
}
