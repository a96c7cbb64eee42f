//! Braces after `if`: a body, or a literal. OPA reads a literal there if it can, unless that is a set of members; after `else` it reads a body
//! in any case. Where the interpreter's parser decides otherwise, the module is refused.
//!
//! Source: OPA `v1/ast/parser.go`, `parseRules`, `parseElse` and `parseSetOrObject`.

use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Ast, Rule};

use super::tokens::{Kind, Token, Tokens};

const SET: &str = "a set is no body: put each statement on a line of its own, or `;` between them";
const AFTER_ELSE: &str = "braces after `else` hold statements: put this expression into parentheses";
const COMPREHENSION: &str = "`{ term | …` after `if` is a comprehension, which always holds: put a union into parentheses";
const UNION: &str = "a body of nothing but a union: put it into parentheses";
const OBJECT: &str = "an object is no body: statements are expected here";

/// The first body that OPA reads otherwise: where, and why.
pub(super) fn check(text: &str, ast: &Ast) -> Result<(), (usize, String)> {
    let bodies = ast.policy.iter().filter_map(|rule| match rule.as_ref() {
        Rule::Spec { bodies, .. } => Some(bodies.iter()),
        Rule::Default { .. } => None,
    });
    let mut tokens = None;
    for body in bodies.flatten() {
        let Some(first) = body.query.stmts.first() else { continue };
        let tokens = tokens.get_or_insert_with(|| Tokens::new(text).collect::<Vec<_>>());
        if let Some((at, message)) = refusal(tokens, first, body.is_else) {
            return Err((at, message.into()));
        }
    }
    Ok(())
}

/// Of one body, by its first statement.
fn refusal(tokens: &[Token<'_>], first: &LiteralStmt, after_else: bool) -> Option<(usize, &'static str)> {
    // Of a string the parser leaves the quote out.
    let start = usize::try_from(first.span.start).ok()?;
    let (before, from) = tokens.split_at_checked(tokens.partition_point(|token| token.end() <= start))?;
    let (at, bare) = (from.first()?, before.last().is_some_and(|token| token.text == "if"));
    let set = matches!(&first.literal, Literal::Expr { expr, .. } if matches!(expr.as_ref(), Expr::Set { .. }));
    let message = match bare && at.text == "{" {
        true if set => SET,
        true if after_else => AFTER_ELSE,
        true => return None,
        false if !after_else && in_braces(before) && after_term(from) == "|" => COMPREHENSION,
        false => return None,
    };
    Some((at.start, message))
}

/// Whether the braces of a body that follow `if` were opened here.
fn in_braces(before: &[Token<'_>]) -> bool {
    matches!(before, [.., word, open] if word.text == "if" && open.text == "{")
}

/// The braces of a body that the parser gives up for a literal, without their place: where they are, and why.
pub(super) fn literal(text: &str) -> Option<(usize, &'static str)> {
    let tokens: Vec<_> = Tokens::new(text).collect();
    let opened = |before: &Token<'_>, brace: &Token<'_>| brace.text == "{" && (before.ends_operand() || before.text == "else");
    tokens.windows(2).enumerate().find_map(|(at, pair)| match pair {
        [before, brace] if opened(before, brace) => match after_term(tokens.get(at.saturating_add(2)..)?) {
            "|" => Some((brace.start, UNION)),
            ":" => Some((brace.start, OBJECT)),
            _ => None,
        },
        _ => None,
    })
}

/// What follows the term that begins here: a name, number, string or literal, and what is joined to it.
fn after_term<'t>(from: &[Token<'t>]) -> &'t str {
    let mut depth = 0_u32;
    let mut end = None;
    for token in from.iter().skip_while(|token| token.text == "-") {
        let joined = end.is_none_or(|end| end == token.start);
        match token.kind {
            Kind::Open if depth > 0 || joined => depth = depth.saturating_add(1),
            Kind::Close if depth > 0 => depth = depth.saturating_sub(1),
            Kind::Name | Kind::Number | Kind::String if joined => {}
            _ if depth > 0 || token.text == "." => {}
            _ => return token.text,
        }
        end = Some(token.end());
    }
    ""
}

#[cfg(test)]
mod tests {
    use crate::rego::{Module, RegoVersion};

    fn refused(rule: &str) -> Option<String> {
        let module = Module { key: "m.rego".into(), text: format!("package a\n{rule}\n") };
        super::super::parse(&module, RegoVersion::V1).err().map(|error| error.message)
    }

    #[test]
    fn unions_that_opa_takes_for_comprehensions_are_refused() {
        let refused_bodies = [
            "{ {1} | {1}\n not input.x == 1 }",
            "{ {1} | {1}; false }",
            "{ ({1}) | {1}; false }",
            "{ input.a[\"x\"].b | {1}; 1 == 2 }",
            "{ f(1)\n| {1}; 1 == 2 }",
            "{ -1 | 1 == 2 }",
            "{ \"a\" | {1}; 1 == 2 }",
            "{\n\t`a` | {1}\n\t1 == 2\n}",
        ];
        for body in refused_bodies {
            assert_eq!(refused(&format!("r if {body}")).as_deref(), Some(super::COMPREHENSION), "{body}");
            assert_eq!(refused(&format!("r if {{ false }} else := 2 if {body}")), None, "{body}");
        }
        let read = [
            "{ ({1} | {1}); false }",
            "{ x := {1} | {1}; false }",
            "{ a & b | c; false }",
            "{ 1 | false }",
            "input.a | input.b",
            "{}",
        ];
        for body in read {
            assert_eq!(refused(&format!("r if {body}")), None, "{body}");
        }
    }

    #[test]
    fn what_the_parser_gives_up_has_its_place() {
        let table = [
            ("s := {1 | true}\nr if { false } { {1} | {2} }", super::UNION, (3, 16)),
            ("r if every x in [{1}] { x | {2} }", super::UNION, (2, 23)),
            ("r if { false }\n{\"a\": 1}", super::OBJECT, (3, 1)),
        ];
        for (rule, message, (row, col)) in table {
            let module = Module { key: "m.rego".into(), text: format!("package a\n{rule}\n") };
            let error = super::super::parse(&module, RegoVersion::V1).unwrap_err();
            assert_eq!((error.message.as_str(), error.location.row, error.location.col), (message, row, col), "{rule}");
        }
    }

    #[test]
    fn literals_where_opa_reads_a_body_are_refused() {
        let table = [
            ("r if {1, 2}", super::SET),
            ("f(x) if {x, 2}", super::SET),
            ("r if { false } else if {1, 2}", super::SET),
            ("r if { false } else if {input.a | input.b}", super::AFTER_ELSE),
            ("r if { false } else if {\"a\": 1}", super::AFTER_ELSE),
            ("r if { false } else if {1 | false} == set()", super::AFTER_ELSE),
        ];
        for (rule, message) in table {
            assert_eq!(refused(rule).as_deref(), Some(message), "{rule}");
        }
        for read in
            ["r if {\"a\": 1}", "r if {1 | false} == set()", "r if {0, 2 in [1]}", "r if { false } else if ({1} | {2}) == {1, 2}"]
        {
            assert_eq!(refused(read), None, "{read}");
        }
    }
}
