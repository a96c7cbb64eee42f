//! Arrays, sets, objects and comprehensions (`v1/ast/parser.go`, `parseArray`, `parseSetOrObject` and below).

use super::bar::Behind;
use super::state::{Parser, Tall};
use crate::syntax::order;
use crate::syntax::token::Token;
use crate::syntax::tree::{Body, Comprehension, Kind, ObjectComprehension, Term};

impl Parser<'_> {
    /// `[…]`; the current token is its last bracket then.
    pub(super) fn parse_array(&mut self) -> Option<Tall<Term>> {
        let begin = self.at.start;
        self.scan();
        if self.is(Token::RBrack) {
            return self.collected(begin, Kind::Array(Vec::new()), 0);
        }
        let comprehension = !self.leading_comma();
        match self.first(comprehension, Token::RBrack)? {
            Behind::Body(head, body) => self.comprehension(begin, head, body, Kind::ArrayCompr),
            Behind::Item(item) => self.array(begin, item),
        }
    }

    /// What comes first: the head of a comprehension with its body, or an item.
    fn first(&mut self, comprehension: bool, close: Token) -> Option<Behind> {
        let head = self.parse_term()?;
        if comprehension && self.is(Token::Or) {
            self.behind_bar(head, close)
        } else {
            self.parse_item(Some(head)).map(Behind::Item)
        }
    }

    fn array(&mut self, begin: u32, first: Tall<Term>) -> Option<Tall<Term>> {
        let items = self.list_behind(first, Token::RBrack)?;
        self.collected(begin, Kind::Array(items.node), items.height)
    }

    /// `{…}`; the current token is its last brace then.
    pub(super) fn parse_set_or_object(&mut self) -> Option<Tall<Term>> {
        let begin = self.at.start;
        self.scan();
        if self.is(Token::RBrace) {
            return self.collected(begin, Kind::Object(Vec::new()), 0);
        }
        let comprehension = !self.leading_comma();
        let head = match self.first(comprehension, Token::RBrace)? {
            Behind::Body(head, body) => return self.comprehension(begin, head, body, Kind::SetCompr),
            Behind::Item(head) => head,
        };
        match self.token() {
            Token::RBrace | Token::Comma => self.set(begin, head),
            Token::Colon => self.object(begin, head, comprehension),
            _ => self.refuse("non-terminated set"),
        }
    }

    fn set(&mut self, begin: u32, first: Tall<Term>) -> Option<Tall<Term>> {
        let items = self.list_behind(first, Token::RBrace)?;
        self.collected(begin, Kind::Set(order::set(items.node)), items.height)
    }

    /// Behind the first key.
    fn object(&mut self, begin: u32, key: Tall<Term>, comprehension: bool) -> Option<Tall<Term>> {
        self.scan();
        let value = match self.first(comprehension, Token::Colon)? {
            Behind::Body(value, body) => return self.object_comprehension(begin, key, value, body),
            Behind::Item(value) => value,
        };
        if !matches!(self.token(), Token::RBrace | Token::Comma) {
            return self.refuse("non-terminated object");
        }
        let height = key.height.max(value.height);
        let members = self.pairs_behind((key.node, value.node), height)?;
        self.collected(begin, Kind::Object(order::object(members.node)), members.height)
    }

    fn leading_comma(&mut self) -> bool {
        let comma = self.is(Token::Comma);
        if comma {
            self.scan();
        }
        comma
    }

    fn collected(&mut self, begin: u32, kind: Kind, height: u32) -> Option<Tall<Term>> {
        let span = self.span(begin, self.at.end);
        self.tall(Term::new(span, kind), height)
    }

    fn comprehension(
        &mut self,
        begin: u32,
        head: Tall<Term>,
        body: Tall<Body>,
        kind: fn(Box<Comprehension>) -> Kind,
    ) -> Option<Tall<Term>> {
        let height = head.height.max(body.height);
        self.collected(begin, kind(Box::new(Comprehension { term: head.node, body: body.node })), height)
    }

    fn object_comprehension(&mut self, begin: u32, key: Tall<Term>, value: Tall<Term>, body: Tall<Body>) -> Option<Tall<Term>> {
        let height = key.height.max(value.height).max(body.height);
        let comprehension = ObjectComprehension { key: key.node, value: value.node, body: body.node };
        self.collected(begin, Kind::ObjectCompr(Box::new(comprehension)), height)
    }
}
