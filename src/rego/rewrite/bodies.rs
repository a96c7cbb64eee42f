//! A rule with several bodies is several rules with the same head (opa `v1/ast/parser_ext.go`): `r := 5 if { a } { b }` is
//! `r := 5 if { a } r := 5 if { b }`. The interpreter loses the head's value where a body behind the first holds, and declares
//! what one of them declares in all.

use regorus::unstable::{Module as Tree, Rule};

use crate::rego::splice::{Spliced, Splices, place};
use crate::rego::syntax;

/// How much text the heads that are written again may have.
const BYTES: usize = 4 << 20;

/// Writes such rules of a module so; nothing if there are none.
pub(super) fn name(text: &str, tree: &Tree) -> Result<Option<Spliced>, anyhow::Error> {
    let (mut splices, mut written) = (Splices::default(), 0_usize);
    for rule in &tree.policy {
        let Rule::Spec { span, bodies, .. } = rule.as_ref() else { continue };
        let mut further = bodies.iter().skip(1).filter(|body| !body.is_else).peekable();
        let Some(first) = bodies.first().filter(|_| further.peek().is_some()) else { continue };
        let at = place(first.span.start);
        let mut head = syntax::flat(text.get(place(span.start)..at).unwrap_or_default()).trim().to_owned();
        if text.get(at..).is_some_and(|body| body.starts_with("if")) {
            head.push_str(" if");
        }
        for body in further {
            written = written.saturating_add(head.len());
            if written > BYTES {
                return Err(body.span.error("the heads of rules with several bodies are too long: write rules of their own"));
            }
            let at = place(body.span.start);
            splices.insert(at, at, format!("{head} "));
        }
    }
    Ok((!splices.is_empty()).then(|| splices.apply(text)))
}
