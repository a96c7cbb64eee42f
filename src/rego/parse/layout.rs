//! What the interpreter's parser lets through though OPA does not: Rego v1 words and bare names in a v0 module.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Module as Ast, Rule, RuleHead};

use super::Version;
use super::tokens::{Kind, Token, Tokens};

type Refusal = (usize, String);

/// A v0 module that uses a v1 word without importing it would be read with another meaning.
pub(super) fn check(text: &str, version: Version) -> Result<(), Refusal> {
    if version == Version::V1 {
        return Ok(());
    }
    let words = unimported(text);
    let mut before: Option<Token<'_>> = None;
    for token in Tokens::new(text) {
        if let Some(word) = before.and_then(|before| misplaced(before, token, &words)) {
            let message = format!("`{}` is a keyword of Rego v1: import rego.v1, or future.keywords.{}", word.text, word.text);
            return Err((word.start, message));
        }
        before = Some(token);
    }
    Ok(())
}

/// Two operands side by side on one line: one of them is meant as a keyword.
fn misplaced<'t>(before: Token<'t>, token: Token<'t>, words: &BTreeSet<&str>) -> Option<Token<'t>> {
    let side_by_side = before.row == token.row && before.end() < token.start;
    let word = |token: Token<'t>| (token.kind == Kind::Name && words.contains(token.text)).then_some(token);
    if !side_by_side || !before.ends_operand() {
        return None;
    }
    match word(token) {
        Some(found) if !matches!(before.text, "}") => Some(found),
        _ if matches!(token.kind, Kind::Name | Kind::Number | Kind::String) && !reserved(token.text) => {
            word(before).filter(|before| before.text == "every")
        }
        _ => None,
    }
}

fn reserved(word: &str) -> bool {
    matches!(word, "as" | "else" | "with")
}

fn unimported(text: &str) -> BTreeSet<&str> {
    let mut words = BTreeSet::from(["if", "in", "every", "contains"]);
    let tokens: Vec<&str> = Tokens::new(text).map(|token| token.text).collect();
    for window in tokens.windows(6) {
        match window {
            ["import", "rego", ".", "v1", ..] => words.clear(),
            ["import", "future", ".", "keywords", ".", word] => {
                words.remove(word);
                if *word == "every" {
                    words.remove("in");
                }
            }
            ["import", "future", ".", "keywords", ..] => words.clear(),
            _ => {}
        }
    }
    words
}

/// A rule that is only a name says nothing.
pub(super) fn check_rules(ast: &Ast, version: Version) -> Result<(), Refusal> {
    if version == Version::V1 {
        return Ok(());
    }
    for rule in &ast.policy {
        if let Rule::Spec { head: RuleHead::Compr { refr, assign: None, .. }, bodies, .. } = rule.as_ref()
            && bodies.is_empty()
            && let Expr::Var { span, .. } = refr.as_ref()
        {
            let offset = usize::try_from(span.start).unwrap_or(usize::MAX);
            return Err((offset, "var cannot be used for rule name".into()));
        }
    }
    Ok(())
}
