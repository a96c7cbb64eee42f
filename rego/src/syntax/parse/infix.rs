//! Infix operators (`v1/ast/parser.go`, `parseTermIn` and below it).
//!
//! `in` binds least, then comparison, `|`, `&`, `+ -`, `* / %`; all are left-associative. So everything behind the leftmost
//! operand is a list of steps, and the leftmost operand may be one that was read before: nothing is read twice.

use super::state::{Ahead, Parser, Tall};
use crate::syntax::token::Token;
use crate::syntax::tree::{Kind, Term};

/// Operators, those that bind least first.
const LEVELS: [&[Token]; 5] = [
    &[Token::Equal, Token::Neq, Token::Lt, Token::Gt, Token::Lte, Token::Gte],
    &[Token::Or],
    &[Token::And],
    &[Token::Add, Token::Sub],
    &[Token::Mul, Token::Quo, Token::Rem],
];

/// Comparison.
const RELATION: usize = 0;
/// `|`.
pub(super) const UNION: usize = 1;
/// `&`.
pub(super) const INTERSECTION: usize = 2;
const TIGHTEST: usize = 4;

/// An operator and what stands to the right of it.
pub(super) struct Step {
    operator: Term,
    /// `v` of `k, v in xs`.
    middle: Option<Tall<Term>>,
    right: Tall<Term>,
    end: u32,
}

impl Step {
    /// Whether it is `, v in xs`.
    pub(super) fn has_key(&self) -> bool {
        self.middle.is_some()
    }
}

impl Parser<'_> {
    /// A term with operators, `k, v in xs` included (`parseTermInfixCall`).
    pub(super) fn parse_infix(&mut self) -> Option<Tall<Term>> {
        self.membership(None, true)
    }

    /// The same in a list, where a comma ends it (`parseTermInfixCallInList`); perhaps its first operand is there already.
    pub(super) fn parse_item(&mut self, first: Option<Tall<Term>>) -> Option<Tall<Term>> {
        self.membership(first, false)
    }

    fn membership(&mut self, first: Option<Tall<Term>>, key: bool) -> Option<Tall<Term>> {
        let first = match first {
            Some(first) => first,
            None => self.leftmost()?,
        };
        let mut left = Some(first);
        self.steps(TIGHTEST, key, &mut |parser, step| {
            left = Some(parser.apply(left.take()?, step)?);
            Some(())
        })?;
        left
    }

    fn leftmost(&mut self) -> Option<Tall<Term>> {
        match self.ahead.take().filter(|ahead| ahead.start == self.at.start) {
            Some(ahead) => {
                self.at = ahead.after;
                self.comments.extend(ahead.comments);
                self.errors.extend(ahead.errors);
                ahead.term
            }
            None => self.parse_term(),
        }
    }

    /// A term with the operators of a level and of those that bind more.
    pub(super) fn operators(&mut self, loosest: usize) -> Option<Tall<Term>> {
        let mut left = self.parse_term()?;
        for level in (loosest..=TIGHTEST).rev() {
            while let Some(step) = self.step(level) {
                left = self.apply(left, step)?;
            }
        }
        Some(left)
    }

    /// All that stands behind a leftmost operand, from a level on.
    pub(super) fn steps(
        &mut self,
        tightest: usize,
        key: bool,
        each: &mut dyn FnMut(&mut Self, Step) -> Option<()>,
    ) -> Option<()> {
        for level in (RELATION..=tightest).rev() {
            while let Some(step) = self.step(level) {
                each(self, step)?;
            }
        }
        if key
            && self.is(Token::Comma)
            && let Some(step) = self.key_step()
        {
            each(self, step)?;
        }
        loop {
            self.name_ahead();
            if !self.is(Token::In) {
                return Some(());
            }
            let operator = self.member("member_2");
            let Some(right) = self.operators(RELATION) else { return Some(()) };
            each(self, Step { operator, middle: None, right, end: self.at.last_end })?;
        }
    }

    /// The next operator of a level, if there is one. Where nothing stands to the right of it there is an error, and reading goes on
    /// as if the operator were not there.
    fn step(&mut self, level: usize) -> Option<Step> {
        if !LEVELS.get(level).is_some_and(|tokens| tokens.contains(&self.token())) {
            return None;
        }
        let operator = self.operator();
        let right = self.operators(level.saturating_add(1))?;
        Some(Step { operator, middle: None, right, end: self.at.last_end })
    }

    /// `, v in xs` behind a key. If something else follows, the parser stands at the comma again; what was read, or could not be,
    /// is kept for whoever reads on there.
    fn key_step(&mut self) -> Option<Step> {
        let state = self.save();
        self.scan();
        let (start, comments) = (self.at.start, self.comments.len());
        let term = match self.operators(RELATION) {
            Some(middle) if self.is(Token::In) => {
                let operator = self.member("member_3");
                if let Some(right) = self.operators(RELATION) {
                    return Some(Step { operator, middle: Some(middle), right, end: self.at.last_end });
                }
                None
            }
            other => other,
        };
        let errors = self.errors.split_off(state.errors.min(self.errors.len()));
        let comments = self.comments.split_off(comments.min(self.comments.len()));
        self.ahead = Some(Ahead { start, term, errors, comments, after: self.at.clone() });
        self.restore(state);
        None
    }

    fn member(&mut self, name: &str) -> Term {
        let at = self.here();
        self.scan();
        Term::new(at, Kind::Ref(vec![Term::var(at, "internal"), Term::string(at, name)]))
    }

    /// The operator as a reference; the token behind it is the current one then (`parseTermOp`).
    pub(super) fn operator(&mut self) -> Term {
        let at = self.here();
        let name = self.token().name();
        self.scan();
        Term::new(at, Kind::Ref(vec![Term::var(at, name)]))
    }

    /// The call of an operator; its place begins with its first operand.
    pub(super) fn apply(&mut self, left: Tall<Term>, step: Step) -> Option<Tall<Term>> {
        let Step { operator, middle, right, end } = step;
        let span = self.span(left.node.span.start, end);
        let height = left.height.max(right.height).max(middle.as_ref().map_or(0, |term| term.height));
        let mut terms = Vec::with_capacity(4);
        terms.extend([operator, left.node]);
        terms.extend(middle.map(|term| term.node));
        terms.push(right.node);
        self.tall(Term::new(span, Kind::Call(terms)), height)
    }

    /// `left | right` for an operator that was read before; the parser stands behind `right`.
    pub(super) fn union(operator: Term, right: Tall<Term>, end: u32) -> Step {
        Step { operator, middle: None, right, end }
    }
}
