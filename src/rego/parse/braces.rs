//! Braces that the interpreter's parser reads otherwise than OPA's: behind `if`, a set of one member before an operator is a body to it, so
//! `r if {1} == {1}` is written as `r if ({1}) == {1}`; and behind `in` or `as` it wants a blank before a brace.

use super::tokens::{Kind, Token, Tokens};
use crate::rego::splice::Splices;

/// What writes them out, outside the templates of a text.
pub(super) fn write_out(text: &str, templates: &Splices) -> Splices {
    let mut splices = Splices::default();
    let tokens: Vec<_> = Tokens::new(text).collect();
    let (mut depth, mut after_else, mut open) = (0_usize, false, None::<usize>);
    for (at, token) in tokens.iter().enumerate() {
        let (before, next) = (tokens.get(..at).unwrap_or_default(), tokens.get(at.saturating_add(1)));
        let keyword = token.kind == Kind::Name && before.last().is_none_or(|last| last.text != ".");
        let brace = next.filter(|next| next.text == "{");
        match token.kind {
            Kind::Open => depth = depth.saturating_add(1),
            Kind::Close => {
                depth = depth.saturating_sub(1);
                let start = if depth == 0 { open.take() } else { None };
                if let Some(start) = start.filter(|start| next.is_some_and(is_operator) && !templates.cover(*start)) {
                    splices.insert(start, start, "(".into());
                    splices.insert(token.end(), token.end(), ")".into());
                }
            }
            // Behind `else` OPA reads a body in any case.
            _ if keyword && depth == 0 && token.text == "else" => after_else = true,
            _ if keyword && depth == 0 && token.text == "if" => {
                open = brace.filter(|_| !after_else).map(|brace| brace.start);
                after_else = false;
            }
            _ if keyword && matches!(token.text, "in" | "as") => {
                if brace.is_some_and(|brace| brace.start == token.end()) && !templates.cover(token.start) {
                    splices.insert(token.end(), token.end(), " ".into());
                }
            }
            _ => {}
        }
    }
    splices
}

fn is_operator(token: &Token<'_>) -> bool {
    ["==", "!=", "<", "<=", ">", ">=", "&", "|", "-", "=", ":="].contains(&token.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_become_what_opa_reads() {
        let cases = [
            ("r if {1} == {1}", "r if ({1}) == {1}"),
            ("r if {f({1})} & {1} == {1}", "r if ({f({1})}) & {1} == {1}"),
            ("f(x) if {x}\n== {1}", "f(x) if ({x})\n== {1}"),
            ("r if {1} != {{1}} else := 2 if {1}", "r if ({1}) != {{1}} else := 2 if {1}"),
            ("r := 1 if a else := {2} if {1} == {1}", "r := 1 if a else := {2} if {1} == {1}"),
            ("r if { a } { b }", "r if { a } { b }"),
            ("r if { {1} == {1} }", "r if { {1} == {1} }"),
            ("r := x.if {1} == {1}", "r := x.if {1} == {1}"),
            ("r := [x | some x in{1}]", "r := [x | some x in {1}]"),
            ("r if a with input as{1}", "r if a with input as {1}"),
            ("r := x.in{1}", "r := x.in{1}"),
        ];
        for (text, expected) in cases {
            assert_eq!(write_out(text, &Splices::default()).apply(text).text, expected);
        }
    }
}
