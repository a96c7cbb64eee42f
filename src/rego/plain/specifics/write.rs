//! How heads are written otherwise in the text of a module.

use regorus::unstable::{Expr, Rule, RuleHead};

use crate::rego::splice::{Splices, place};
use crate::rego::syntax;

/// In Rego v0 `q.name { … }` is `q["name"] { … }`.
pub(super) fn set_by_name(rule: &Rule) -> Option<&Expr> {
    match rule {
        Rule::Spec { head: RuleHead::Set { refr, key: None, .. }, .. } => Some(refr).map(|refr| &**refr),
        _ => None,
    }
}

/// Writes the name of such a head in brackets.
pub(super) fn element(text: &str, refr: &Expr, splices: &mut Splices) {
    if let Expr::RefDot { refr: inner, field, .. } = refr {
        let (start, end) = (place(syntax::end(inner, text)), place(field.0.end));
        splices.insert(start, end, format!("[{}]", quoted(field.0.text())));
    }
}

/// The part of a reference behind this many names.
pub(super) fn part(refr: &Expr, at: usize) -> Option<&Expr> {
    let mut parts = Vec::new();
    let mut rest = refr;
    while let Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } = rest {
        parts.push(rest);
        rest = refr;
    }
    parts.into_iter().rev().nth(at.checked_sub(1)?)
}

/// Writes one name of a head as what has to be evaluated; `at` counts the names behind the package, that one included.
pub(super) fn computed(text: &str, head: &Expr, at: usize, splices: &mut Splices) {
    let Some(part) = at.checked_sub(1).and_then(|at| part(head, at)) else { return };
    let (Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. }) = part else { return };
    let name = match part {
        Expr::RefDot { field, .. } => Some(field.0.text().to_owned()),
        Expr::RefBrack { index, .. } => syntax::constant_name(index),
        _ => None,
    };
    if let Some(name) = name {
        splices.insert(place(syntax::end(refr, text)), place(syntax::end(part, text)), evaluated(&name));
    }
}

/// A name as what has to be evaluated.
pub(super) fn evaluated(name: &str) -> String {
    format!("[[{}][0]]", quoted(name))
}

/// Names behind others.
pub(super) fn below(names: &[String]) -> String {
    names.iter().map(|name| format!("[{}]", quoted(name))).collect()
}

pub(super) fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

/// Writes a function without arguments as what it is for OPA, a rule: the interpreter wants it to have a value.
pub(super) fn without_arguments(text: &str, rule: &Rule, splices: &mut Splices) -> Option<()> {
    let Rule::Spec { head: RuleHead::Func { refr, args, .. }, .. } = rule else { return None };
    let open = args.is_empty().then(|| syntax::behind(text, place(syntax::end(refr, text)), "("))??;
    let inside = open.checked_add(1)?;
    let close = syntax::behind(text, inside, ")")?;
    let at = |place: usize| u32::try_from(place).ok();
    splices.blank(at(open)?, at(close.checked_add(1)?)?, text);
    Some(())
}
