//! Braces that the interpreter's parser reads otherwise than OPA's: behind `if`, a set of one member before an operator is a body to it, so
//! `r if {1} == {1}` is written as `r if ({1}) == {1}`; and behind `in` or `as` it wants a blank before a brace.

use super::tokens::{Kind, Token, Tokens};
use crate::rego::splice::Splices;

/// What writes them out, outside the templates of a text.
pub(super) fn write_out(text: &str, templates: &Splices) -> Splices {
    let mut splices = Splices::default();
    let tokens: Vec<_> = Tokens::new(text).collect();
    let mut bodies = Bodies::default();
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let next = tokens.get(at.saturating_add(1));
        let keyword = token.kind == Kind::Name && before.is_none_or(|before| before.text != ".");
        let brace = next.filter(|next| next.text == "{").map(|brace| brace.start);
        if keyword && matches!(token.text, "in" | "as") && brace == Some(token.end()) && !templates.cover(token.start) {
            splices.insert(token.end(), token.end(), " ".into());
        }
        if let Some(start) = bodies.step(token, keyword, brace)
            && next.is_some_and(is_operator)
            && !templates.cover(start)
        {
            splices.insert(start, start, "(".into());
            splices.insert(token.end(), token.end(), ")".into());
        }
    }
    splices
}

/// The braces right behind the `if` of rules.
#[derive(Default)]
struct Bodies {
    depth: usize,
    /// There OPA reads a body in any case.
    after_else: bool,
    /// Where those are that are open.
    open: Option<usize>,
}

impl Bodies {
    /// Goes on by a token, which may be a keyword, and before a brace; where the braces were opened that it closes.
    fn step(&mut self, token: &Token<'_>, keyword: bool, brace: Option<usize>) -> Option<usize> {
        match token.kind {
            Kind::Open => self.depth = self.depth.saturating_add(1),
            Kind::Close => {
                self.depth = self.depth.saturating_sub(1);
                return self.open.take_if(|_| self.depth == 0);
            }
            _ if keyword && self.depth == 0 && token.text == "else" => self.after_else = true,
            _ if keyword && self.depth == 0 && token.text == "if" => {
                self.open = brace.filter(|_| !self.after_else);
                self.after_else = false;
            }
            _ => {}
        }
        None
    }
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
