//! Terms (`v1/ast/parser.go`, `parseTerm`, `parseTermFinish`).

use super::state::{Parser, Tall};
use crate::syntax::span::Span;
use crate::syntax::token::Token;
use crate::syntax::tree::{Kind, Term};

impl Parser<'_> {
    /// A term without infix operators.
    pub(super) fn parse_term(&mut self) -> Option<Tall<Term>> {
        self.call_of_logical_word();
        match self.token() {
            Token::Null => self.leaf(Kind::Null),
            Token::True => self.leaf(Kind::Bool(true)),
            Token::False => self.leaf(Kind::Bool(false)),
            Token::Sub => self.negative(),
            Token::Dot | Token::Number => {
                let number = self.parse_number()?;
                self.finish_flat(number)
            }
            Token::String => {
                let string = self.parse_string()?;
                self.finish_flat(string)
            }
            Token::TemplatePart | Token::TemplateEnd => self.template(false),
            Token::RawTemplatePart | Token::RawTemplateEnd => self.template(true),
            Token::Ident | Token::Contains => {
                let var = self.parse_var();
                self.finish_flat(var)
            }
            Token::LBrack => {
                let array = self.nested(Self::parse_array)?;
                self.finish_term(array)
            }
            Token::LBrace => {
                let collection = self.nested(Self::parse_set_or_object)?;
                self.finish_term(collection)
            }
            Token::LParen => {
                let term = self.nested(Self::parenthesised)?;
                self.finish_term(term)
            }
            _ => self.refuse(""),
        }
    }

    fn leaf(&mut self, kind: Kind) -> Option<Tall<Term>> {
        let term = Term::new(self.here(), kind);
        self.finish_flat(term)
    }

    fn finish_flat(&mut self, term: Term) -> Option<Tall<Term>> {
        self.finish_term(Tall { node: term, height: 0 })
    }

    fn template(&mut self, raw: bool) -> Option<Tall<Term>> {
        let template = self.nested(|parser| parser.parse_template(raw))?;
        self.finish_term(template)
    }

    /// A negative number, or `minus(0, x)` for `-x`.
    fn negative(&mut self) -> Option<Tall<Term>> {
        let at = self.here();
        let state = self.save();
        self.scan();
        if !matches!(self.token(), Token::Ident | Token::Contains) {
            self.restore(state);
            let number = self.parse_number()?;
            return self.finish_flat(number);
        }
        let var = self.parse_var();
        let operand = self.finish_flat(var)?;
        let zero = Term::new(at, Kind::Number("0".into()));
        let nowhere = self.span(0, 0);
        let minus = Term::new(nowhere, Kind::Ref(vec![Term::var(nowhere, "minus")]));
        let span = self.since(at);
        let height = operand.height;
        self.tall(Term::new(span, Kind::Call(vec![minus, zero, operand.node])), height)
    }

    fn parenthesised(&mut self) -> Option<Tall<Term>> {
        self.scan();
        let term = self.parse_infix()?;
        if self.is(Token::RParen) { Some(term) } else { self.fail(self.here(), "non-terminated expression") }
    }

    /// Goes on behind a term: brackets, dots and arguments that follow without white space belong to it.
    pub(super) fn finish_term(&mut self, head: Tall<Term>) -> Option<Tall<Term>> {
        self.scan_space();
        match self.token() {
            Token::LParen | Token::Dot | Token::LBrack => self.nested(|parser| parser.parse_ref(head)),
            Token::Whitespace => {
                self.scan();
                Some(head.map(root))
            }
            _ => Some(head.map(root)),
        }
    }

    /// The same for the head of a rule, where white space may stand in front of them (`parseHeadFinish`).
    pub(super) fn finish_head(&mut self, head: Term) -> Option<Tall<Term>> {
        self.scan_space();
        match self.token() {
            Token::Add
            | Token::Sub
            | Token::Mul
            | Token::Quo
            | Token::Rem
            | Token::And
            | Token::Or
            | Token::Equal
            | Token::Neq
            | Token::Gt
            | Token::Gte
            | Token::Lt
            | Token::Lte => self.illegal_token(),
            Token::Whitespace => self.scan(),
            _ => {}
        }
        let head = Tall { node: head, height: 0 };
        match self.token() {
            Token::LParen | Token::Dot | Token::LBrack => self.nested(|parser| parser.parse_ref(head)),
            _ => Some(head.map(root)),
        }
    }

    /// The token as a variable; `_` becomes one that nobody else has.
    pub(super) fn parse_var(&mut self) -> Term {
        let name = self.word();
        if name == "_" { self.wildcard(self.here()) } else { Term::var(self.here(), name) }
    }

    /// The next wildcard.
    pub(super) fn wildcard(&mut self, span: Span) -> Term {
        let name = format!("${}", self.at.wildcards);
        self.at.wildcards = self.at.wildcards.saturating_add(1);
        Term::var(span, name)
    }

    /// `and(…)` and `or(…)` call the builtins, where a term is expected (`scanAheadLogicalCall`).
    fn call_of_logical_word(&mut self) {
        if matches!(self.token(), Token::LogicalAnd | Token::LogicalOr) && self.peek(false) == Token::LParen {
            self.at.token = Token::Ident;
        }
    }
}

/// `input` and `data` alone are references.
fn root(term: Term) -> Term {
    let is_root = term.as_var().is_some_and(|name| matches!(name.as_str(), "input" | "data"));
    if is_root { Term::new(term.span, Kind::Ref(vec![term])) } else { term }
}
