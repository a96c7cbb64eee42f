//! Lists of terms and of pairs (`v1/ast/parser.go`, `parseTermList`, `parseTermPairList`).

use super::state::{Parser, Tall};
use crate::syntax::token::Token;
use crate::syntax::tree::Term;

impl Parser<'_> {
    /// Terms up to a token, which is the current one then; how high they are.
    pub(super) fn parse_list(&mut self, end: Token, terms: &mut Vec<Term>) -> Option<u32> {
        let mut height = 0;
        while !self.is(end) {
            let term = self.parse_item(None)?;
            height = height.max(term.height);
            terms.push(term.node);
            if !self.next_item(end)? {
                break;
            }
        }
        Some(height)
    }

    /// The list whose first term is read already.
    pub(super) fn list_behind(&mut self, first: Tall<Term>, end: Token) -> Option<Tall<Vec<Term>>> {
        let mut terms = vec![first.node];
        let mut height = first.height;
        if self.next_item(end)? {
            height = height.max(self.parse_list(end, &mut terms)?);
        }
        Some(Tall { node: terms, height })
    }

    /// Pairs up to the brace, the first one of which is read already.
    pub(super) fn pairs_behind(&mut self, first: (Term, Term), height: u32) -> Option<Tall<Vec<(Term, Term)>>> {
        let mut pairs = vec![first];
        let mut height = height;
        while self.next_item(Token::RBrace)? && !self.is(Token::RBrace) {
            let key = self.parse_item(None)?;
            if !self.is(Token::Colon) {
                return self.refuse("expected \":\"");
            }
            self.scan();
            let value = self.parse_item(None)?;
            height = height.max(key.height).max(value.height);
            pairs.push((key.node, value.node));
        }
        Some(Tall { node: pairs, height })
    }

    /// Steps over a comma; whether there was one. The end of the list may follow it.
    fn next_item(&mut self, end: Token) -> Option<bool> {
        if self.is(end) {
            return Some(false);
        }
        if !self.is(Token::Comma) {
            return self.refuse(format!("expected \",\" or \"{}\"", end.name()));
        }
        self.scan();
        Some(true)
    }
}
