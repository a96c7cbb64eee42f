//! `f(x) = y { … } { … }`: OPA takes each of several bodies for a rule of its own with the same head. The interpreter takes those
//! behind the first one for the bodies of an `else` without a value. So the head is written before each.

use regorus::unstable::{Module as Tree, Rule, RuleHead};

use super::negation::place;
use crate::rego::splice::{Spliced, Splices};
use crate::rego::syntax;

/// Writes heads before further bodies; nothing if there are none.
pub(super) fn split(text: &str, tree: &Tree) -> Result<Option<Spliced>, anyhow::Error> {
    let mut splices = Splices::default();
    for rule in &tree.policy {
        let Rule::Spec { span, head, bodies } = rule.as_ref() else { continue };
        let (RuleHead::Compr { span: of, .. } | RuleHead::Func { span: of, .. } | RuleHead::Set { span: of, .. }) = head;
        let further = bodies.iter().skip(1).filter(|body| !body.is_else).map(|body| place(body.span.start));
        for at in further {
            let head = text.get(place(span.start)..syntax::closed(of.end, text)).unwrap_or_default();
            if head.contains('\n') && head.contains('#') {
                anyhow::bail!(
                    "a head with a comment inside is not supported before several bodies: write one rule for each body"
                );
            }
            let first = bodies.first().and_then(|body| text.get(place(body.span.start)..));
            let condition = if first.is_some_and(|first| first.starts_with("if")) { " if " } else { " " };
            splices.insert(at, at, format!(" {}{condition}", head.replace(['\n', '\r'], " ").trim_end()));
        }
    }
    Ok((!splices.is_empty()).then(|| splices.apply(text)))
}
