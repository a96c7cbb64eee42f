//! A line that begins with a parenthesis is a statement of its own; the interpreter's parser takes it for the arguments of what the line before
//! ends with. So a separator is put before it.

use super::tokens::{Tokens, await_operand};
use crate::rego::splice::Splices;

/// The separators that a text needs outside its templates.
pub(super) fn separate(text: &str, templates: &Splices) -> Splices {
    let mut splices = Splices::default();
    if !text.contains('(') {
        return splices;
    }
    let tokens: Vec<_> = Tokens::new(text).collect();
    for (at, token) in tokens.iter().enumerate() {
        let before = tokens.get(..at).unwrap_or_default();
        let ends = before.last().is_some_and(|last| last.row < token.row) && !await_operand(before);
        if token.text == "(" && ends && !templates.cover(token.start) {
            splices.insert(token.start, token.start, "; ".into());
        }
    }
    splices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_begin_with_a_parenthesis_are_separated() {
        let cases = [
            ("x == y\n(1 + 2) > z", "x == y\n; (1 + 2) > z"),
            ("f(x)\n# (\n\t(1 + 2) > z", "f(x)\n# (\n\t; (1 + 2) > z"),
            ("x := f(\n(1))", "x := f(\n(1))"),
            ("x :=\n(1)", "x :=\n(1)"),
            ("p if\n(1 == 1)", "p if\n(1 == 1)"),
            ("not\n(x)", "not\n(x)"),
            ("x := input.not\n(y)", "x := input.not\n; (y)"),
            ("x := `a\n(b`", "x := `a\n(b`"),
        ];
        for (text, expected) in cases {
            assert_eq!(separate(text, &Splices::default()).apply(text).text, expected);
        }
    }
}
