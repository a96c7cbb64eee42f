//! References and rule heads of the syntax tree, as plain paths.

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
fn constant_name(index: &Expr) -> Option<String> {
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
    match rule {
        Rule::Spec { head: RuleHead::Func { args, .. }, .. } | Rule::Default { args, .. } => !args.is_empty(),
        Rule::Spec { .. } => false,
    }
}
