//! What stands behind the first `|` of a bracket: the body of a comprehension, or the rest of a union.
//!
//! OPA tries the body, and reads everything again as a union when a comma follows. Here both are read at once, up to the end of
//! the first expression: there the token decides.

use super::infix::{INTERSECTION, Step, UNION};
use super::state::{Parser, State, Tall};
use crate::syntax::token::Token;
use crate::syntax::tree::{Body, Term};

/// See the module.
pub(super) enum Behind {
    /// A comprehension of this head; the current token is its last bracket.
    Body(Tall<Term>, Tall<Body>),
    /// The first term of a list, a comma behind it.
    Item(Tall<Term>),
}

impl Parser<'_> {
    /// `close` is the bracket, or a colon for the value of an object.
    pub(super) fn behind_bar(&mut self, head: Tall<Term>, close: Token) -> Option<Behind> {
        let (end, note) = match close {
            Token::Colon => (Token::RBrace, "non-terminated object".to_owned()),
            close => (close, format!("expected \",\" or \"{}\"", close.name())),
        };
        let bar = self.operator();
        if close != Token::Colon && self.is(end) {
            return self.fail(self.here(), "found empty body");
        }
        if !self.plain_literal() {
            return self.body_behind_bar(head, end, close == Token::Colon, &note);
        }
        let begin = self.save();
        let Some((first, first_end, steps)) = self.operands(true) else {
            return self.union_unread(head, close, &note);
        };
        let keyed = steps.iter().any(Step::has_key);
        if self.is(Token::Comma) && !keyed {
            return self.union_item(head, bar, (first, first_end, steps));
        }
        let state = self.save();
        let left = self.apply_all(first, steps)?;
        if !self.is(Token::Comma)
            && let Some(body) = self.nested(|parser| parser.parse_query_behind(begin.clone(), left, end))
        {
            return Some(Behind::Body(head, body));
        }
        if keyed && (close == Token::Colon || self.is(Token::Comma)) {
            // `k, v in xs` was no membership with a key, but the end of one term and the beginning of the next.
            self.restore(begin);
            let operands = self.operands(false)?;
            return self.union_item(head, bar, operands);
        }
        self.union_after_all(state, close, &note)
    }

    /// The first operand behind the bar, where it ends, and what follows it.
    fn operands(&mut self, key: bool) -> Option<(Tall<Term>, u32, Vec<Step>)> {
        let first = self.operators(INTERSECTION)?;
        let first_end = self.at.last_end;
        let mut steps = Vec::new();
        self.steps(UNION, key, &mut |_, step| {
            steps.push(step);
            Some(())
        })?;
        Some((first, first_end, steps))
    }

    fn union_item(&mut self, head: Tall<Term>, bar: Term, operands: (Tall<Term>, u32, Vec<Step>)) -> Option<Behind> {
        let (first, first_end, steps) = operands;
        let union = self.apply(head, Self::union(bar, first, first_end))?;
        Some(Behind::Item(self.apply_all(union, steps)?))
    }

    fn apply_all(&mut self, first: Tall<Term>, steps: Vec<Step>) -> Option<Tall<Term>> {
        steps.into_iter().try_fold(first, |left, step| self.apply(left, step))
    }

    /// A body that cannot be read: where OPA then tries a union, it is the union that it complains about.
    fn union_after_all<T>(&mut self, state: State, close: Token, note: &str) -> Option<T> {
        if close == Token::Colon || self.is(Token::Comma) {
            self.restore(state);
            self.illegal(note);
        }
        None
    }

    /// Nothing to read a union of either. Of an object OPA then goes on behind its head, as if there were no bar.
    fn union_unread(&mut self, head: Tall<Term>, close: Token, note: &str) -> Option<Behind> {
        match self.token() {
            _ if close != Token::Colon => None,
            Token::RBrace | Token::Comma => Some(Behind::Item(head)),
            _ => self.refuse(note),
        }
    }

    /// A body that begins with a word that no term begins with.
    fn body_behind_bar(&mut self, head: Tall<Term>, end: Token, object: bool, note: &str) -> Option<Behind> {
        let state = self.save();
        let body = self.parse_body(end);
        if body.is_none() && self.is_shallow() && (object || self.is(Token::Comma)) {
            self.restore(state);
            return match self.operands(false) {
                None if object => self.union_unread(head, Token::Colon, note),
                None => None,
                Some(_) => self.refuse(note),
            };
        }
        Some(Behind::Body(head, body?))
    }

    /// Whether what begins here can only be an expression that is a term, or begins with one.
    fn plain_literal(&mut self) -> bool {
        match self.token() {
            Token::LBrace | Token::LParen => !self.logical_words(),
            Token::Not | Token::Some | Token::Every => self.name_ahead(),
            _ => {
                self.name_ahead();
                true
            }
        }
    }
}
