//! References and rule heads of the syntax tree, as plain paths.

use regorus::unstable::{Expr, Import, Module, Rule, RuleHead};

mod spans;

pub(super) use spans::{behind, closed, end, flat, opened, range};

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

/// The name that a constant index selects.
pub(super) fn constant_name(index: &Expr) -> Option<String> {
    match index {
        Expr::String { value, .. } | Expr::RawString { value, .. } => value.as_string().ok().map(|s| s.to_string()),
        _ => None,
    }
}

/// Whether it is a comprehension, which has variables of its own.
pub(super) fn is_comprehension(expr: &Expr) -> bool {
    matches!(expr, Expr::ArrayCompr { .. } | Expr::SetCompr { .. } | Expr::ObjectCompr { .. })
}

/// The package's path, below `data`.
pub(super) fn package(module: &Module) -> Vec<String> {
    path(&module.package.refr).map(|path| path.names).unwrap_or_default()
}

/// The name that an import brings, and the path that it stands for, root included.
pub(super) fn import(import: &Import) -> Option<(String, Vec<String>)> {
    let path = path(&import.refr)?.names;
    let name = match &import.r#as {
        Some(name) => name.text().to_owned(),
        None => path.last()?.clone(),
    };
    Some((name, path))
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

/// The names behind the constant beginning of a reference, none for what is computed.
pub(super) fn behind_prefix(expr: &Expr) -> Vec<Option<String>> {
    let mut names = Vec::new();
    let mut rest = expr;
    while let Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } = rest {
        names.push(match rest {
            Expr::RefDot { field, .. } => Some(field.0.text().to_owned()),
            Expr::RefBrack { index, .. } => constant_name(index),
            _ => None,
        });
        rest = refr;
    }
    names.into_iter().rev().skip_while(Option::is_some).collect()
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
