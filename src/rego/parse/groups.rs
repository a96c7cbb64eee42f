//! References into an expression in parentheses, which the interpreter's parser does not know: `(a | b)[_]` is written as `[(a | b)][0][_]`
//! (without the parentheses that would be a comprehension).

use super::tokens::{Kind, Token, Tokens, await_operand};
use crate::rego::splice::Splices;

/// What writes them out, outside the templates of a text.
pub(super) fn write_out(text: &str, templates: &Splices) -> Splices {
    let mut splices = Splices::default();
    if !text.contains(")[") && !text.contains(").") {
        return splices;
    }
    let tokens: Vec<_> = Tokens::new(text).collect();
    let mut open: Vec<Open<'_>> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Open => {
                let before = tokens.get(..at).unwrap_or_default();
                // On a new line it begins a statement: see `breaks`.
                let begins = await_operand(before) || before.last().is_some_and(|last| last.row < token.row);
                // Of a sign the interpreter's parser would take all that follows.
                let signed = before.last().is_some_and(|last| last.text == "-");
                let groups = token.text == "(" && begins && !signed;
                if let Some(around) = open.last_mut() {
                    let first =
                        at.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|last| last.start == around.token.start);
                    around.computes |= if token.text == "(" { !groups } else { first };
                }
                open.push(Open { token: *token, groups, computes: false });
            }
            Kind::Close => {
                let Some(group) = open.pop().filter(|open| open.groups && open.computes) else { continue };
                if is_read(token, tokens.get(at.saturating_add(1))) && !templates.cover(token.start) {
                    splices.insert(group.token.start, group.token.start, "[".into());
                    splices.insert(token.end(), token.end(), "][0]".into());
                }
            }
            // `(k, v in xs)` is no list.
            _ if token.text == "," => open.last_mut().into_iter().for_each(|open| open.groups = false),
            Kind::Symbol if token.text != "." => open.last_mut().into_iter().for_each(|open| open.computes = true),
            _ => {}
        }
    }
    splices
}

/// A bracket that is open, and whether it does nothing but hold an expression together.
struct Open<'t> {
    token: Token<'t>,
    groups: bool,
    /// Whether that is more than a name or a reference: OPA refuses to read those.
    computes: bool,
}

fn is_read(close: &Token<'_>, next: Option<&Token<'_>>) -> bool {
    close.text == ")" && next.is_some_and(|next| matches!(next.text, "[" | ".") && next.start == close.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_groups_that_are_read_become_lists() {
        let cases = [
            ("x := (a | b)[_]", "x := [(a | b)][0][_]"),
            ("x := ((a & b).c | (d))[e]", "x := [([(a & b)][0].c | (d))][0][e]"),
            ("x := ([1, 2])[0] + (f(x))[1]", "x := [([1, 2])][0][0] + [(f(x))][0][1]"),
            ("some x in xs\n(a - b)[x]", "some x in xs\n[(a - b)][0][x]"),
            ("x := (input.a)[0] + (a[b]).c", "x := (input.a)[0] + (a[b]).c"),
            ("x := -(a | b)[_] + 1", "x := -(a | b)[_] + 1"),
            ("x := f(a)[_]", "x := f(a)[_]"),
            ("x := (a) + [1]", "x := (a) + [1]"),
            ("x := (a, b in c)[0]", "x := (a, b in c)[0]"),
            ("x := `(a)[` + \"(b)[\" # (c)[", "x := `(a)[` + \"(b)[\" # (c)["),
        ];
        for (text, expected) in cases {
            assert_eq!(write_out(text, &Splices::default()).apply(text).text, expected);
        }
    }
}
