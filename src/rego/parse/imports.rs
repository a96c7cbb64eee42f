//! Imports behind rules: the interpreter's parser has them all before the first rule, OPA wherever a statement begins. Those of documents
//! are written behind the ones before.

use super::tokens::{Kind, Token, Tokens};
use crate::rego::splice::Splices;
use crate::rego::syntax;

/// Moves such imports of a text.
pub(super) fn gather(text: &str) -> Splices {
    let mut splices = Splices::default();
    let tokens: Vec<_> = Tokens::new(text).collect();
    let Some(rules) = first_rule(&tokens) else { return splices };
    let Some(head) = rules.checked_sub(1).and_then(|last| tokens.get(last)).map(Token::end) else { return splices };
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(rules) {
        match token.kind {
            Kind::Open => depth = depth.saturating_add(1),
            Kind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        let named = at.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(|before| before.text == ".");
        if depth == 0 && token.text == "import" && !named && is_document(&tokens, at) {
            let Some(end) = import(&tokens, at).checked_sub(1).and_then(|last| tokens.get(last)).map(Token::end) else {
                continue;
            };
            let written = text.get(token.start..end).unwrap_or_default();
            splices.insert(head, head, format!(" {}", syntax::flat(written)));
            splices.insert(token.start, end, "\n".repeat(written.matches('\n').count()));
        }
    }
    splices
}

/// Where what follows the package and its imports begins.
fn first_rule(tokens: &[Token<'_>]) -> Option<usize> {
    let mut at = tokens.first().filter(|token| token.text == "package").map(|_| path(tokens, 1))?;
    while tokens.get(at).is_some_and(|token| token.text == "import") {
        at = import(tokens, at);
    }
    Some(at)
}

fn is_document(tokens: &[Token<'_>], import: usize) -> bool {
    import.checked_add(1).and_then(|root| tokens.get(root)).is_some_and(|root| matches!(root.text, "data" | "input"))
}

/// Behind the import that begins there.
fn import(tokens: &[Token<'_>], at: usize) -> usize {
    let end = path(tokens, at.saturating_add(1));
    let named = tokens.get(end).is_some_and(|token| token.text == "as");
    end.saturating_add(if named { 2 } else { 0 })
}

/// Behind the path that begins there.
fn path(tokens: &[Token<'_>], at: usize) -> usize {
    let mut end = at.saturating_add(1);
    loop {
        let steps = match tokens.get(end..).unwrap_or_default() {
            [dot, name, ..] if dot.text == "." && name.kind == Kind::Name => 2,
            [open, name, close, ..] if open.text == "[" && name.kind == Kind::String && close.text == "]" => 3,
            _ => return end,
        };
        end = end.saturating_add(steps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_behind_rules_come_before_them() {
        let cases = [
            ("package a\np := 1\nimport data.b\nq := b", "package a import data.b\np := 1\n\nq := b"),
            (
                "package a.b # c\nimport data.c\np := 1\nimport input.d[\"e\"] as f # g",
                "package a.b # c\nimport data.c import input.d[\"e\"] as f\np := 1\n # g",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(gather(text).apply(text).text, expected);
        }
        for kept in [
            "package a\nimport data.b\nimport rego.v1\np := 1",
            "package a\np := input.import\nimport rego.v1",
            "p := 1\nimport data.b",
        ] {
            assert_eq!(gather(kept).apply(kept).text, kept);
        }
    }
}
