//! References and rule heads of the syntax tree, as plain paths.

use std::ops::Range;

use regorus::unstable::{Expr, Module, Rule, RuleHead};

/// The constant beginning of a reference, `constant` if that is all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RefPath {
    pub(super) names: Vec<String>,
    pub(super) constant: bool,
}

/// The path of a reference whose root is a variable: `data.a["b"][x].c` is `data a b`, not constant.
pub(super) fn path(expr: &Expr) -> Option<RefPath> {
    let mut parts = Vec::new();
    let mut rest = expr;
    loop {
        match rest {
            Expr::Var { span, .. } => {
                parts.push(Some(span.text().to_owned()));
                break;
            }
            Expr::RefDot { refr, field, .. } => {
                parts.push(Some(field.0.text().to_owned()));
                rest = refr;
            }
            Expr::RefBrack { refr, index, .. } => {
                parts.push(constant_name(index));
                rest = refr;
            }
            _ => return None,
        }
    }
    parts.reverse();
    let constant = parts.iter().all(Option::is_some);
    Some(RefPath { names: parts.into_iter().map_while(|part| part).collect(), constant })
}

/// The name that a constant index selects; a number selects by its text.
pub(super) fn constant_name(index: &Expr) -> Option<String> {
    match index {
        Expr::String { value, .. } | Expr::RawString { value, .. } => value.as_string().ok().map(|s| s.to_string()),

        _ => None,
    }
}

/// The package's path, below `data`.
pub(super) fn package(module: &Module) -> Vec<String> {
    path(&module.package.refr).map(|path| path.names).unwrap_or_default()
}

/// The head reference of a rule.
pub(super) fn head(rule: &Rule) -> &Expr {
    match rule {
        Rule::Spec { head, .. } => match head {
            RuleHead::Compr { refr, .. } | RuleHead::Set { refr, .. } | RuleHead::Func { refr, .. } => refr,
        },
        Rule::Default { refr, .. } => refr,
    }
}

/// Whether the rule is a function: it has no value in the document.
pub(super) fn is_function(rule: &Rule) -> bool {
    arguments(rule) > 0
}

/// The whole name of a function below `data`, if the rule of a package defines one.
pub(super) fn function(package: &[String], rule: &Rule) -> Option<Vec<String>> {
    let path = path(head(rule)).filter(|path| path.constant && is_function(rule))?;
    Some(package.iter().cloned().chain(path.names).collect())
}

/// How many arguments a function takes.
pub(super) fn arguments(rule: &Rule) -> usize {
    match rule {
        Rule::Spec { head: RuleHead::Func { args, .. }, .. } | Rule::Default { args, .. } => args.len(),
        Rule::Spec { .. } => 0,
    }
}

/// A path as source text: names that are no plain identifiers are quoted, so nothing in them is syntax.
pub(super) fn write(path: &[String]) -> String {
    let mut text = String::new();
    for name in path {
        match (text.is_empty(), is_identifier(name)) {
            (true, _) => text.push_str(name),
            (false, true) => text.extend([".", name]),
            (false, false) => text.push_str(&format!("[{}]", serde_json::Value::from(name.as_str()))),
        }
    }
    text
}

/// Plain enough that no version of Rego takes it for a keyword.
fn is_identifier(name: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "as", "contains", "default", "else", "every", "false", "if", "import", "in", "not", "null", "package", "set", "some",
        "true", "with",
    ];
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(letters) && !KEYWORDS.contains(&name)
}

/// The constant beginning of a reference, root included, and the offset in `text` where it ends.
pub(super) fn constant_prefix(expr: &Expr, text: &str) -> Option<(Vec<String>, u32)> {
    let mut chain = Vec::new();
    let mut rest = expr;
    while let Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } = rest {
        chain.push(rest);
        rest = refr;
    }
    let Expr::Var { span, .. } = rest else { return None };
    let (mut names, mut last) = (vec![span.text().to_owned()], span.end);
    for part in chain.into_iter().rev() {
        match part {
            Expr::RefDot { field, .. } => names.push(field.0.text().to_owned()),
            Expr::RefBrack { index, .. } => match constant_name(index) {
                Some(name) => names.push(name),
                None => break,
            },
            _ => break,
        }
        last = end(part, text);
    }
    Some((names, last))
}

/// The offset in `text` behind a reference.
pub(super) fn end(expr: &Expr, text: &str) -> u32 {
    match expr {
        Expr::RefDot { field, .. } => field.0.end,
        // In heads of rules the parser's span ends elsewhere.
        Expr::RefBrack { index, .. } => {
            let inner = range(index, text).end;
            let behind = behind(text, inner, "]").map_or(inner, |at| at.saturating_add(1));
            u32::try_from(behind).unwrap_or(u32::MAX)
        }
        // The parser's span goes on to the end of what follows.
        Expr::Set { span, items, .. } if items.is_empty() => {
            let from = usize::try_from(span.start).ok().and_then(|at| text.get(at..)).unwrap_or_default();
            let length = from.find(')').and_then(|at| u32::try_from(at).ok()).map_or(0, |at| at.saturating_add(1));
            span.start.saturating_add(length)
        }
        other => other.span().end,
    }
}

/// The most bytes of comments between a brace and what it opens that are looked at: each brace among them costs what is behind it.
const COMMENTED: usize = 8192;

/// The offset in `text` where an expression begins.
pub(super) fn start(expr: &Expr, text: &str) -> u32 {
    let span = expr.span();
    // The parser's span of an object begins with its last member.
    let Expr::Object { fields, .. } = expr else { return span.start };
    let Some(end) = fields.first().and_then(|(first, ..)| usize::try_from(first.start).ok()) else { return span.start };
    let from = text.floor_char_boundary(end.saturating_sub(COMMENTED));
    let Some(before) = text.get(from..end) else { return span.start };
    // It leaves the quotes of strings out.
    let before = before.strip_suffix(['"', '`']).unwrap_or(before);
    let only_comments = |between: &str| between.lines().all(|line| line.trim().is_empty() || line.trim().starts_with('#'));
    let braces = before.rmatch_indices('{').map(|(at, _)| at);
    // A comment may have braces too, so the first one counts.
    let brace = braces.take_while(|at| before.get(at.saturating_add(1)..).is_some_and(only_comments)).last();
    brace.and_then(|at| u32::try_from(from.saturating_add(at)).ok()).unwrap_or(span.start)
}

/// The range of an expression in `text`, with the quotes of strings, which the parser leaves out of its spans.
pub(super) fn range(expr: &Expr, text: &str) -> Range<usize> {
    opened(start(expr, text), text)..closed(end(expr, text), text)
}

/// Where something begins whose span begins there: before the quote, if it begins with a string.
pub(super) fn opened(start: u32, text: &str) -> usize {
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    let opened = text.get(..start).is_some_and(|before| before.ends_with(['"', '`']));
    start.saturating_sub(usize::from(opened))
}

/// Where something ends whose span ends there: behind the quote, if it ends with a string.
pub(super) fn closed(end: u32, text: &str) -> usize {
    let end = usize::try_from(end).unwrap_or(usize::MAX);
    let closed = text.get(end..).is_some_and(|after| after.starts_with(['"', '`']));
    end.saturating_add(usize::from(closed))
}

/// Where a token stands behind an operand that ends at `from`, and its closing brackets.
pub(super) fn behind(text: &str, from: usize, token: &str) -> Option<usize> {
    let mut rest = text.get(from..)?.trim_start();
    while !rest.starts_with(token) {
        rest = match rest.strip_prefix('#') {
            Some(comment) => comment.split_once('\n')?.1,
            None => rest.strip_prefix([')', ']', '}'])?,
        };
        rest = rest.trim_start();
    }
    Some(text.len().saturating_sub(rest.len()))
}

/// Rego on one line, without its comments; line breaks in strings stay.
pub(super) fn flat(text: &str) -> String {
    let (mut written, mut quote, mut escaped) = (String::with_capacity(text.len()), None, false);
    for c in text.chars() {
        match (quote, c) {
            (Some('#'), '\n') => quote = None,
            (Some('#'), _) => continue,
            (Some('"'), _) if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(end), c) if end == c => quote = None,
            (None, '"' | '`') => quote = Some(c),
            (None, '#') => {
                quote = Some('#');
                continue;
            }
            _ => {}
        }
        written.push(if quote.is_none() && matches!(c, '\n' | '\r') { ' ' } else { c });
    }
    written
}
