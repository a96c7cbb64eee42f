//! A set rule with several bodies, `deny contains m if { … } { … }` or in Rego v0 `deny[m] { … } { … }`, is several rules with the same head (opa
//! `v1/ast/parser.go`, `parseRules`). The interpreter's parser refuses it, so the head is written before each body.

use super::tokens::{Kind, Token, Tokens};
use crate::rego::splice::Splices;

/// How much text the heads that are written again may have.
const BYTES: usize = 4 << 20;

/// How many tokens back a head is looked for.
const TOKENS: usize = 256;

/// What writes the heads of such rules again.
pub(super) fn write_out(text: &str, templates: &Splices) -> Splices {
    let (mut splices, mut written) = (Splices::default(), 0_usize);
    let tokens: Vec<Token<'_>> = Tokens::new(text).collect();
    let (mut depth, mut head) = (0_u32, None::<&str>);
    for (at, token) in tokens.iter().enumerate() {
        let before = tokens.get(at.saturating_sub(TOKENS)..at).unwrap_or_default();
        match (token.kind, head) {
            (Kind::Open, Some(again))
                if depth == 0 && token.text == "{" && before.last().is_some_and(|last| last.text == "}") =>
            {
                written = written.saturating_add(again.len());
                if written <= BYTES && !templates.cover(token.start) {
                    splices.insert(token.start, token.start, format!("{again} "));
                }
            }
            (Kind::Open, _) if depth == 0 => head = set_head(before, text).filter(|_| token.text == "{"),
            // What stands between a body and the next brace is another rule.
            (Kind::Name | Kind::Number | Kind::String | Kind::Symbol, _) if depth == 0 => head = None,
            _ => {}
        }
        match token.kind {
            Kind::Open => depth = depth.saturating_add(1),
            Kind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    splices
}

/// The head of a set rule whose first body comes next. One that other passes write anew, or of several lines, is none.
fn set_head<'t>(before: &[Token<'_>], text: &'t str) -> Option<&'t str> {
    let last = before.last()?;
    let start = match last.text {
        "if" => reference(before.get(..contains(before)?)?)?,
        "]" => reference(before)?,
        _ => return None,
    };
    text.get(start..last.end()).filter(|head| !head.contains(['\n', '#', '-', '$', '\t', '=']))
}

/// Where the word stands, which may also be a function in the key.
fn contains(before: &[Token<'_>]) -> Option<usize> {
    let (mut depth, mut behind) = (0_u32, None);
    for (at, token) in before.iter().enumerate().rev() {
        match token.kind {
            Kind::Close => depth = depth.saturating_add(1),
            Kind::Open => depth = depth.checked_sub(1)?,
            Kind::Name if depth == 0 && token.text == "contains" && behind != Some((token.end(), "(")) => return Some(at),
            _ => {}
        }
        behind = Some((token.start, token.text));
    }
    None
}

/// Where the reference begins that ends here, if a rule begins with it.
fn reference(before: &[Token<'_>]) -> Option<usize> {
    let (mut depth, row) = (0_u32, before.last()?.row);
    for (at, token) in before.iter().enumerate().rev() {
        let previous = at.checked_sub(1).and_then(|at| before.get(at));
        match token.kind {
            _ if token.row != row => return None,
            Kind::Close => depth = depth.saturating_add(1),
            Kind::Open => depth = depth.checked_sub(1)?,
            Kind::Name if depth > 0 || previous.is_some_and(|previous| previous.text == ".") => {}
            Kind::Name => {
                let begins = |previous: &Token<'_>| previous.text == "}" || previous.row < row && previous.ends_operand();
                return previous.is_none_or(begins).then_some(token.start);
            }
            _ if depth > 0 || token.text == "." => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_sets_are_written_before_each_body() {
        let cases = [
            ("d[m] { m := 1 } { m := 2 }\n{ m := 3 }", "d[m] { m := 1 } d[m] { m := 2 }\nd[m] { m := 3 }"),
            ("a.b contains {m: [x]} if { x } { y }", "a.b contains {m: [x]} if { x } a.b contains {m: [x]} if { y }"),
            ("r { x } { y }", "r { x } { y }"),
            ("d[m] { m := {1} }\nr = {1} { x } { y }", "d[m] { m := {1} }\nr = {1} { x } { y }"),
            ("d[m] { x } r { y } { z }", "d[m] { x } r { y } { z }"),
            ("d[m] = 1 { x } { y }", "d[m] = 1 { x } { y }"),
            ("r = d[m] { x } { y }", "r = d[m] { x } { y }"),
            ("r =\nd[m] { x } { y }", "r =\nd[m] { x } { y }"),
            ("r = 1\nd[m] { x } { y }", "r = 1\nd[m] { x } d[m] { y }"),
            ("d contains contains(m, 1) if { x } { y }", "d contains contains(m, 1) if { x } d contains contains(m, 1) if { y }"),
        ];
        for (text, expected) in cases {
            assert_eq!(write_out(text, &Splices::default()).apply(text).text, expected, "{text}");
        }
    }
}
