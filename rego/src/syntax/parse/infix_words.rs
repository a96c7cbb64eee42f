//! Hints at words that are keywords only when they are imported (`v1/ast/parser.go`, `hintMissingInfixKeyword`).

use super::state::Parser;
use crate::syntax::token::Token;
use crate::syntax::tree::{Kind, Term};

/// Hints at the import for `in`, `and` and `or` behind an expression, and for the comma of `k, v in xs`.
pub(super) fn missing(parser: &mut Parser<'_>) {
    if !parser.at.hints.is_empty() {
        return;
    }
    let hint = match parser.token() {
        Token::Ident => of_word(parser.literal()),
        Token::Comma if parser.is_shallow() => {
            key_in_future(parser).then_some("`import future.keywords.in` for `x in xs` expressions")
        }
        _ => None,
    };
    if let Some(hint) = hint {
        parser.hint(hint);
    }
}

fn of_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "in" => "`import future.keywords.in` for `x in xs` expressions",
        "and" => "`import future.keywords.and` for `x and y` expressions",
        "or" => "`import future.keywords.or` for `x or y` expressions",
        _ => return None,
    })
}

fn key_in_future(parser: &mut Parser<'_>) -> bool {
    let state = parser.save();
    parser.scan();
    let found = parser.in_future(|parser| parser.parse_infix().filter(|term| is_membership(&term.node))).is_some();
    parser.restore(state);
    found
}

/// Whether a term is `x in xs` or `k, v in xs`.
pub(super) fn is_membership(term: &Term) -> bool {
    members(term).is_some()
}

/// Whether a term that is a call of `in` has as many operands as that has; `None` for other terms. Its name may be written out.
pub(super) fn members(term: &Term) -> Option<bool> {
    let Kind::Call(terms) = &term.kind else { return None };
    let name = super::super::print::name(terms.first()?);
    match name.as_str() {
        "internal.member_2" => Some(terms.len() == 3),
        "internal.member_3" => Some(terms.len() == 4),
        _ => None,
    }
}
