//! A minus before a reference or a call is `0 - x` (opa `v1/ast/parser.go`, `parseTerm`); the interpreter's parser takes all that follows for
//! its operand. So `2 * -input.a + 1` is written as `2 * (0 - input.a) + 1`. And behind an operand it takes `-2` for all that is subtracted: `a -2 * b`
//! is written as `a - 2 * b`.

use super::depth::MAX_BRACKETS;
use super::tokens::{Kind, Token, Tokens, await_operand};
use crate::rego::splice::Splices;

/// What writes such signs out, outside the templates of a text.
pub(super) fn write_out(text: &str, templates: &Splices) -> Splices {
    let mut splices = Splices::default();
    if !text.contains('-') {
        return splices;
    }
    let tokens: Vec<Token<'_>> = Tokens::new(text).collect();
    for (at, sign) in tokens.iter().enumerate() {
        if sign.text != "-" || templates.cover(sign.start) {
            continue;
        }
        let rest = tokens.get(at.saturating_add(1)..).unwrap_or_default();
        match rest {
            [operand, ..] if is_prefix(&tokens, at) && is_reference(operand) => {
                let Some(end) = end(rest) else { continue };
                splices.insert(sign.start, sign.end(), "(0 -".into());
                splices.insert(end, end, ")".into());
            }
            [number, ..] if is_prefix(&tokens, at) && is_apart(sign, number) => {
                splices.insert(sign.end(), number.start, String::new());
            }
            [factor, operator, ..] if is_between(&tokens, at) && is_factor(factor, operator) && factor.start == sign.end() => {
                splices.insert(sign.end(), sign.end(), " ".into());
            }
            _ => {}
        }
    }
    splices
}

/// Whether a sign is that of its operand, not the difference of two.
fn is_prefix(tokens: &[Token<'_>], sign: usize) -> bool {
    tokens.get(..sign).is_none_or(await_operand)
}

/// Whether a sign is that of a difference of numbers: behind a brace begins a statement.
fn is_between(tokens: &[Token<'_>], sign: usize) -> bool {
    !is_prefix(tokens, sign) && sign.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|before| before.text != "}")
}

fn is_reference(operand: &Token<'_>) -> bool {
    operand.kind == Kind::Name && !matches!(operand.text, "true" | "false" | "null")
}

/// Whether a blank is between a sign and its number.
fn is_apart(sign: &Token<'_>, number: &Token<'_>) -> bool {
    number.kind == Kind::Number && number.row == sign.row && number.start > sign.end()
}

fn is_factor(number: &Token<'_>, operator: &Token<'_>) -> bool {
    number.kind == Kind::Number && matches!(operator.text, "*" | "/" | "%")
}

/// Where a reference or a call ends that begins with the first token: what is joined to it without a blank. Nothing for one that is
/// nested deeper than any module that is read.
fn end(tokens: &[Token<'_>]) -> Option<usize> {
    let (mut end, mut open) = (0, 0_usize);
    for (at, token) in tokens.iter().enumerate() {
        let joined = at == 0 || token.start == end && is_part(tokens, at);
        if open == 0 && !joined {
            break;
        }
        match token.kind {
            Kind::Open => open = open.saturating_add(1),
            Kind::Close => open = open.saturating_sub(1),
            _ => {}
        }
        if open > MAX_BRACKETS {
            return None;
        }
        end = token.end();
    }
    Some(end)
}

/// A dot, the name behind one, or a bracket.
fn is_part(tokens: &[Token<'_>], at: usize) -> bool {
    let is_dot = |at: Option<usize>| at.and_then(|at| tokens.get(at)).is_some_and(|token| token.text == ".");
    tokens.get(at).is_some_and(|token| match token.kind {
        Kind::Open => matches!(token.text, "(" | "["),
        Kind::Name => is_dot(at.checked_sub(1)),
        _ => token.text == ".",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_references_are_written_out() {
        let cases = [
            ("x := -input.a", "x := (0 -input.a)"),
            ("x := 2 * -input.a + 1", "x := 2 * (0 -input.a) + 1"),
            ("x := [1, - input.a[b.c][0].d]", "x := [1, (0 - input.a[b.c][0].d)]"),
            ("x := -count(f(y)) - z", "x := (0 -count(f(y))) - z"),
            ("x := f(-a, -b[-c])", "x := f((0 -a), (0 -b[(0 -c)]))"),
            ("p if -a < 0", "p if (0 -a) < 0"),
            ("x := 1 - -a", "x := 1 - (0 -a)"),
            ("x := a -b", "x := a -b"),
            ("x := input.in -b", "x := input.in -b"),
            ("x := -true", "x := -true"),
            ("x := a - 1", "x := a - 1"),
            ("x := -1", "x := -1"),
            ("x := [- 1, 2 - 1]", "x := [-1, 2 - 1]"),
            ("x := a -2 * b", "x := a - 2 * b"),
            ("x := 3-2%2-4/2", "x := 3- 2%2- 4/2"),
            ("x := -2 * b - 1 * c -3", "x := -2 * b - 1 * c -3"),
            ("p if not -2 * a == b", "p if not -2 * a == b"),
            ("every x in xs { x }\n-1 * x < 2", "every x in xs { x }\n-1 * x < 2"),
            ("x := `-a` # -a", "x := `-a` # -a"),
        ];
        for (text, expected) in cases {
            assert_eq!(write_out(text, &Splices::default()).apply(text).text, expected);
        }
    }
}
