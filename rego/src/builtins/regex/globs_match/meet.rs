//! Whether two globs have a text in common, decided in the order in which OPA's library tries, so that where it is wrong we
//! are too; it is exponential there, so each question is asked once.

use std::collections::HashMap;

use super::tokens::{Flag, Token, share};

/// Bytes of a question that is kept.
pub(super) const QUESTION: usize = 40;
/// Stack that must be there for a question, and what is added where it is not.
const STACK: (usize, usize) = (64 << 10, 1 << 20);

/// Whether some text matches both.
pub(super) fn meet(left: &[Token], right: &[Token]) -> bool {
    let Some((left, right)) = trim(left, right) else { return false };
    Meeting { globs: [left, right], known: HashMap::new() }.normal(0, 0)
}

fn plain(token: Option<&Token>) -> bool {
    token.is_some_and(|token| token.flag == Flag::Once)
}

fn shared(a: Option<&Token>, b: Option<&Token>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if share(&a.class, &b.class))
}

/// Without what is plain and alike at both ends, but for one token at each; nothing when the ends differ.
fn trim<'t>(left: &'t [Token], right: &'t [Token]) -> Option<(&'t [Token], &'t [Token])> {
    let mut start = 0;
    while plain(left.get(start)) && plain(right.get(start)) {
        if !shared(left.get(start), right.get(start)) {
            return None;
        }
        start += 1;
    }
    let start = start.saturating_sub(1);
    let (mut ends, mut trimmed) = ((left.len(), right.len()), false);
    while ends.0 > start && ends.1 > start {
        let (a, b) = (left.get(ends.0 - 1), right.get(ends.1 - 1));
        if !plain(a) || !plain(b) {
            break;
        }
        if !shared(a, b) {
            return None;
        }
        ends = (ends.0 - 1, ends.1 - 1);
        trimmed = true;
    }
    let kept = usize::from(trimmed);
    Some((left.get(start..ends.0 + kept)?, right.get(start..ends.1 + kept)?))
}

/// A question: does the glob `flagged` from one place, whose first token is a star, meet the other from another place.
type Question = (usize, usize, usize);

struct Meeting<'t> {
    globs: [&'t [Token]; 2],
    known: HashMap<Question, bool>,
}

impl<'t> Meeting<'t> {
    fn token(&self, glob: usize, at: usize) -> Option<&'t Token> {
        self.globs.get(glob).and_then(|tokens| tokens.get(at))
    }

    /// From two places on.
    fn normal(&mut self, mut left: usize, mut right: usize) -> bool {
        loop {
            match (self.token(0, left), self.token(1, right)) {
                (None, None) => return true,
                (None, _) | (_, None) => return false,
                (Some(a), Some(b)) if a.flag == Flag::Once && b.flag == Flag::Once => {
                    if !share(&a.class, &b.class) {
                        return false;
                    }
                }
                (Some(a), _) => return self.special(usize::from(a.flag == Flag::Once), left, right),
            }
            (left, right) = (left + 1, right + 1);
        }
    }

    /// `normal`, where the places are those of `glob` and of the other one.
    fn from(&mut self, glob: usize, at: usize, other: usize) -> bool {
        if glob == 0 { self.normal(at, other) } else { self.normal(other, at) }
    }

    fn special(&mut self, glob: usize, left: usize, right: usize) -> bool {
        let (at, other) = if glob == 0 { (left, right) } else { (right, left) };
        match self.token(glob, at).map(|token| token.flag) {
            Some(Flag::Star) => self.star(glob, at, other),
            Some(Flag::Plus) => self.plus(glob, at, other),
            _ => false,
        }
    }

    fn plus(&mut self, glob: usize, at: usize, other: usize) -> bool {
        let (plussed, met) = (self.token(glob, at), self.token(1 - glob, other));
        if !shared(plussed, met) {
            return false;
        }
        self.star(glob, at, other + 1) || !plain(met) && self.from(glob, at + 1, other)
    }

    fn star(&mut self, glob: usize, at: usize, other: usize) -> bool {
        if let Some(known) = self.known.get(&(glob, at, other)) {
            return *known;
        }
        let answer = stacker::maybe_grow(STACK.0, STACK.1, || self.gobble(glob, at, other));
        self.known.insert((glob, at, other), answer);
        answer
    }

    /// Lets the star take tokens of the other glob, until the rest of both meets.
    fn gobble(&mut self, glob: usize, at: usize, other: usize) -> bool {
        let (starred, next) = (self.token(glob, at), self.token(glob, at + 1));
        for place in other.. {
            let Some(token) = self.token(1 - glob, place) else { break };
            if shared(Some(token), next) && self.from(glob, at + 1, place) {
                return true;
            }
            if !shared(Some(token), starred) {
                return false;
            }
        }
        next.is_none()
    }
}
