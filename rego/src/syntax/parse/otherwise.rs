//! `else` (`v1/ast/parser.go`, `parseElse`).

use super::rule::{Draft, Words, implicit_body, written};
use super::state::{Parser, Tall};
use crate::syntax::relocate;
use crate::syntax::token::Token;
use crate::syntax::tree::{Body, Head, Kind, Rule, Term};

impl Parser<'_> {
    /// A branch, and those behind it.
    pub(super) fn parse_else(&mut self, of: &Head) -> Option<Draft> {
        let begin = self.here();
        let mut head = Head { span: begin, generated_value: false, ..of.clone() };
        self.fresh_wildcards(&mut head);
        self.scan();
        let mut height = self.else_value(&mut head)?;
        if matches!(self.at.last_end, end if end > begin.end) {
            head.span = self.since(begin);
        }
        let words = Words { has_if: self.is(Token::If), has_contains: false };
        if !words.has_if && !self.is(Token::LBrace) {
            let span = self.since(begin);
            let rule = Rule { generated_body: true, ..written(span, head, implicit_body(span)) };
            return Some(Draft { rule, words: vec![words], height: height.saturating_add(1) });
        }
        let (body, one) = self.else_body(words.has_if)?;
        height = height.max(body.height);
        let mut rule = written(begin, head, body.node);
        let mut all = vec![words];
        if self.is(Token::Else) {
            let otherwise = self.nested(|parser| parser.parse_else(of))?;
            all.extend(otherwise.words);
            height = height.max(otherwise.height);
            rule.otherwise = Some(Box::new(otherwise.rule));
        }
        rule.span = self.since(begin);
        if one {
            relocate::body(&mut rule.body, rule.span);
        }
        let Tall { node: rule, height } = self.tall(rule, height)?;
        Some(Draft { rule, words: all, height })
    }

    /// The value, if one is written; how high it is.
    fn else_value(&mut self, head: &mut Head) -> Option<u32> {
        match self.token() {
            Token::LBrace | Token::If => {
                head.generated_value = true;
                head.value = Some(Term::new(self.span(0, 0), Kind::Bool(true)));
                Some(0)
            }
            Token::Assign | Token::Unify => {
                head.assign = self.is(Token::Assign);
                self.scan();
                let value = self.parse_infix()?;
                head.value = Some(value.node);
                Some(value.height)
            }
            _ => self.refuse("expected else value term or rule body"),
        }
    }

    /// The body, and whether it is one expression without braces.
    fn else_body(&mut self, has_if: bool) -> Option<(Tall<Body>, bool)> {
        if has_if {
            self.scan();
        }
        match self.token() {
            Token::LBrace => {
                self.scan();
                let body = self.parse_body(Token::RBrace)?;
                self.scan();
                Some((body, false))
            }
            Token::Eof => self.refuse("rule body expected"),
            _ => {
                let expr = self.parse_literal()?;
                Some((expr.map(|expr| vec![expr]), true))
            }
        }
    }
}
