//! References and calls (`v1/ast/parser.go`, `parseRef`, `parseCall`).

use super::state::{Parser, Tall};
use super::words::kind_name;
use crate::syntax::token::Token;
use crate::syntax::tree::{Kind, Term};

impl Parser<'_> {
    /// What follows a head without white space.
    pub(super) fn parse_ref(&mut self, head: Tall<Term>) -> Option<Tall<Term>> {
        if !can_head(&head.node.kind) {
            self.error(head.node.span, format!("illegal ref (head cannot be {})", kind_name(&head.node.kind)));
        }
        let mut begin = head.node.span;
        let mut height = head.height;
        let mut parts = vec![head.node];
        loop {
            match self.token() {
                Token::Dot => parts.push(self.dotted()?),
                Token::LBrack => {
                    let part = self.bracketed()?;
                    height = height.max(part.height);
                    parts.push(part.node);
                }
                Token::LParen => {
                    begin = self.span(begin.start, self.at.start);
                    let operator = Term::new(begin, Kind::Ref(std::mem::take(&mut parts)));
                    let call = self.parse_call(Tall { node: operator, height })?;
                    match self.token() {
                        Token::Dot | Token::LBrack => (height, parts) = (call.height, vec![call.node]),
                        Token::Whitespace => {
                            self.scan();
                            return Some(call);
                        }
                        _ => return Some(call),
                    }
                }
                token => {
                    let span = self.since(begin);
                    if token == Token::Whitespace {
                        self.scan();
                    }
                    return self.tall(Term::new(span, Kind::Ref(parts)), height);
                }
            }
        }
    }

    fn dotted(&mut self) -> Option<Term> {
        self.scan_space();
        if !self.is(Token::Ident) && !self.may_be_name(self.token()) {
            return self.refuse("expected identifier");
        }
        let part = Term::string(self.here(), self.word());
        self.scan_space();
        Some(part)
    }

    fn bracketed(&mut self) -> Option<Tall<Term>> {
        self.scan();
        let part = self.parse_infix()?;
        if !self.is(Token::RBrack) {
            return self.refuse("expected [");
        }
        self.scan_space();
        Some(part)
    }

    /// Arguments in parentheses; `set()` is the empty set.
    fn parse_call(&mut self, operator: Tall<Term>) -> Option<Tall<Term>> {
        let begin = operator.node.span;
        self.scan();
        let mut terms = Vec::new();
        let height = self.nested(|parser| parser.parse_list(Token::RParen, &mut terms))?.max(operator.height);
        let span = self.span(begin.start, self.at.end);
        self.scan_space();
        if terms.is_empty() && is_set(&operator.node.kind) {
            return Some(Tall { node: Term::new(span, Kind::Set(Vec::new())), height: 0 });
        }
        terms.insert(0, operator.node);
        self.tall(Term::new(span, Kind::Call(terms)), height)
    }
}

fn can_head(kind: &Kind) -> bool {
    !matches!(kind, Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) | Kind::Ref(_) | Kind::Template(_))
}

fn is_set(kind: &Kind) -> bool {
    matches!(kind, Kind::Ref(parts) if matches!(parts.as_slice(), [only] if only.as_var().is_some_and(|name| name == "set")))
}
