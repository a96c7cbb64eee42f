//! A function without value and body is true: `f("a")` is `f("a") := true`. The interpreter's parser takes that in Rego v0 only, so the value is
//! written. Other heads alone mean something else in v0 and nothing in v1. Source: OPA `v1/ast/parser_ext.go`, `ParseRuleFromExpr`.

use super::tokens::{Kind, Token, Tokens, await_operand};
use crate::rego::accept;
use crate::rego::splice::Splices;

/// Words before parentheses that call nothing: `r if(input.a)`.
const KEYWORDS: &[&str] = &["as", "default", "else", "every", "if", "import", "in", "not", "package", "some", "with"];

/// The values that a text needs outside its templates; an error where a builtin is called instead.
pub(super) fn write_out(text: &str, templates: &Splices) -> Result<Splices, (usize, String)> {
    let mut splices = Splices::default();
    let tokens: Vec<_> = Tokens::new(text).collect();
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Open => depth = depth.saturating_add(1),
            Kind::Close => depth = depth.saturating_sub(1),
            Kind::Name if depth == 0 && begins(tokens.get(..at).unwrap_or_default(), token) && !templates.cover(token.start) => {
                let Some(close) = alone(tokens.get(at..).unwrap_or_default()) else { continue };
                if templates.cover(close.start) {
                    continue;
                }
                if is_builtin(text, token, &tokens) {
                    return Err((token.start, "rule name conflicts with built-in function".to_owned()));
                }
                splices.insert(close.end(), close.end(), " := true".into());
            }
            _ => {}
        }
    }
    Ok(splices)
}

/// Whether a rule may begin behind these tokens with this one.
fn begins(before: &[Token<'_>], token: &Token<'_>) -> bool {
    let is_word = |last: &Token<'_>| KEYWORDS.contains(&token.text) || token.text == "contains" && last.row == token.row;
    before.last().is_some_and(|last| last.text != "." && !is_word(last)) && !await_operand(before)
}

/// Of a head with arguments and nothing else, the parenthesis that closes it.
fn alone<'t>(from: &[Token<'t>]) -> Option<Token<'t>> {
    let open = arguments(from)?;
    let mut depth = 0_usize;
    let length = from.get(open..)?.iter().position(|token| {
        depth = match token.kind {
            Kind::Open => depth.saturating_add(1),
            Kind::Close => depth.saturating_sub(1),
            _ => depth,
        };
        depth == 0
    })?;
    // `f()` is refused as it stands.
    let close = open.checked_add(length).filter(|_| length > 1)?;
    from.get(close.saturating_add(1)).is_none_or(is_next_rule).then(|| from.get(close).copied()).flatten()
}

/// Where the arguments of the function begin whose name begins here.
fn arguments(from: &[Token<'_>]) -> Option<usize> {
    let mut at = 1_usize;
    loop {
        let end = from.get(at.checked_sub(1)?)?.end();
        at = match from.get(at..)? {
            [open, ..] if open.text == "(" && open.start == end => return Some(at),
            [dot, name, ..] if dot.text == "." && name.kind == Kind::Name => at.saturating_add(2),
            [open, key, close, ..] if open.text == "[" && key.kind == Kind::String && close.text == "]" => at.saturating_add(3),
            _ => return None,
        };
    }
}

fn is_next_rule(token: &Token<'_>) -> bool {
    let joins = ["as", "contains", "else", "every", "if", "in", "not", "some", "with"];
    token.kind == Kind::Name && !joins.contains(&token.text)
}

/// Whether a name that begins at a token is one of a builtin function.
fn is_builtin(text: &str, name: &Token<'_>, tokens: &[Token<'_>]) -> bool {
    let open = tokens.iter().skip(tokens.partition_point(|token| token.start < name.start)).find(|token| token.text == "(");
    let written = open.and_then(|open| text.get(name.start..open.start));
    written.is_some_and(|name| accept::builtin_arity(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        write_out(text, &Splices::default()).unwrap().apply(text).text
    }

    #[test]
    fn functions_alone_are_true() {
        let cases = [
            ("package a\nf(1)", "package a\nf(1) := true"),
            ("package a\nf(1)\ng.h([\n2])\nr := f(1)", "package a\nf(1) := true\ng.h([\n2]) := true\nr := f(1)"),
            ("package a\nf(1) f(2)", "package a\nf(1) := true f(2) := true"),
            ("package a\ndefault f(_) := 1\nf(1)\n# f(2)", "package a\ndefault f(_) := 1\nf(1) := true\n# f(2)"),
            ("package a\nr if {\n\tf(1)\n}\na[\"f\"](1)", "package a\nr if {\n\tf(1)\n}\na[\"f\"](1) := true"),
        ];
        for (text, expected) in cases {
            assert_eq!(written(text), expected);
        }
    }

    #[test]
    fn all_else_stays() {
        for rule in [
            "f()",
            "r if(x)",
            "r := 1 in(x)",
            "r contains(x)",
            "f(1) if g(1)",
            "f(x) = x",
            "f(x) { x }",
            "r := f(1)",
            "r :=\nf(1)",
            "r if not\nf(1)",
            "p",
            "p[1]",
            "f(1).a",
        ] {
            let text = format!("package a\n{rule}");
            assert_eq!(written(&text), text);
        }
    }

    #[test]
    fn calls_of_builtins_are_no_rules() {
        assert_eq!(write_out("package a\ncount([1])", &Splices::default()).unwrap_err().0, 10);
    }
}
