//! What the interpreter's parser lets through though OPA does not: Rego v1 words and bare names in a v0 module.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Module as Ast, Rule, RuleHead};

use super::Version;
use super::keywords::Negation;
use super::tokens::{Kind, Token, Tokens};

/// Where something is refused, and why.
pub(super) type Refusal = (usize, String);

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

/// `in[1]` is a name and its key to OPA: a keyword before a bracket needs a blank. The text is the one that was given.
pub(super) fn check_keywords(text: &str, version: Version) -> Result<(), Refusal> {
    let words = if version == Version::V1 { BTreeSet::new() } else { unimported(text) };
    let mut before: Option<(Token<'_>, bool)> = None;
    for token in Tokens::new(text) {
        if let Some((word, false)) = before
            && token.text == "["
            && token.start == word.end()
            && matches!(word.text, "else" | "every" | "in" | "not" | "some")
            && !words.contains(word.text)
        {
            return Err((
                word.start,
                format!("`{}[` is no keyword but a name and its key: write a blank between them", word.text),
            ));
        }
        before = Some((token, before.is_some_and(|(before, _)| before.text == ".")));
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

/// What the parser accepts of a rule though OPA does not: a name alone, a set in brackets in Rego v1, a function of nothing.
pub(super) fn check_rules(text: &str, ast: &Ast) -> Result<(), Refusal> {
    for rule in &ast.policy {
        let Rule::Spec { head, bodies, .. } = rule.as_ref() else { continue };
        let found = match head {
            RuleHead::Compr { refr, assign: None, .. } if bodies.is_empty() && !ast.rego_v1 => match refr.as_ref() {
                Expr::Var { span, .. } => Some((span.start, "var cannot be used for rule name")),
                _ => None,
            },
            RuleHead::Func { span, args, assign: None, .. } if bodies.is_empty() && args.is_empty() => {
                Some((span.start, "rule argument list must take at least one argument"))
            }
            RuleHead::Set { span, refr, key: Some(key), .. } if ast.rego_v1 && !contains_between(text, refr, key) => {
                Some((span.start, "`contains` keyword is required for partial set rules"))
            }
            _ => None,
        };
        if let Some((at, message)) = found {
            return Err((usize::try_from(at).unwrap_or(usize::MAX), message.into()));
        }
    }
    Ok(())
}

fn contains_between(text: &str, refr: &Expr, key: &Expr) -> bool {
    let offset = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    text.get(offset(refr.span().end)..offset(key.span().start)).is_none_or(|between| between.contains("contains"))
}

/// What can be imported of `future.keywords`.
const KEYWORDS: [&str; 4] = ["contains", "every", "if", "in"];

/// The one keyword of an import, by name.
fn word_of<'t>(tokens: &[Token<'t>], import: usize) -> Option<&'t str> {
    let path = tokens.get(import..)?;
    let [dot, word] = path.get(4..6)? else { return None };
    (dot.text == ".").then_some(word.text)
}

/// Imports that change the language in ways that the interpreter does not know.
pub(super) fn check_imports(text: &str, negation: Negation) -> Result<(), Refusal> {
    let tokens: Vec<Token<'_>> = Tokens::new(text).collect();
    if negation.joined {
        check_joined(&tokens)?;
    }
    for (at, window) in tokens.windows(4).enumerate() {
        let texts: Vec<&str> = window.iter().map(|token| token.text).collect();
        let last = tokens.get(at + 5).map_or("", |token| token.text);
        let start = window.first().map_or(0, |token| token.start);
        match (texts.as_slice(), last) {
            (["import", "rego", ".", version], _) if *version != "v1" => {
                return Err((start, format!("import rego.{version} is not supported: use rego.v1")));
            }
            (["import", "rego", ".", version], _) if tokens.get(at + 4).is_some_and(|token| token.text == ".") => {
                return Err((start, format!("invalid import `rego.{version}.{last}`, must be: `rego.v1`")));
            }
            (["import", "future", ".", "keywords"], "and" | "or") => {
                return Err((start, format!("import future.keywords.{last} is not supported")));
            }
            (["import", "future", ".", "keywords"], "not") => {
                return Err((start, "import must not shadow import future.keywords.not: import it once".into()));
            }
            (["import", "future", "[", _], _) => {
                return Err((start, "this import is not supported: write future.keywords, or one of them behind a dot".into()));
            }
            (["import", "future", ".", "keywords"], word)
                if word_of(&tokens, at).is_some_and(|word| !KEYWORDS.contains(&word)) =>
            {
                return Err((start, format!("unexpected keyword {word}, must be one of {KEYWORDS:?}")));
            }
            (["import", "future", ".", "keywords"], _) if tokens.get(at + 4).is_some_and(|token| token.text == "[") => {
                return Err((start, "this import is not supported: write the name of a keyword behind a dot".into()));
            }
            (["not", "{", ..], _) if negation.closed => {
                return Err((start, "`not { ... }` is not supported: write a rule of these statements and negate that".into()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// `import future.keywords` makes keywords of `and` and `or`.
fn check_joined(tokens: &[Token<'_>]) -> Result<(), Refusal> {
    let mut before = "";
    for token in tokens {
        if token.kind == Kind::Name && matches!(token.text, "and" | "or") && before != "." {
            let message = format!(
                "`{}` is a keyword with import future.keywords, and not supported: import the keywords by name",
                token.text
            );
            return Err((token.start, message));
        }
        before = token.text;
    }
    Ok(())
}
