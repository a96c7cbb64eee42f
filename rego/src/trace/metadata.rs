//! What the variables of an event are called where they were written, and where they stand (opa `v1/topdown/trace.go`,
//! `VarMetadata`).

use std::collections::BTreeMap;

use super::event::{Event, Local, Node};
use super::recorded::{Place, VALUE, size};
use crate::syntax::json::{self, Style};
use crate::syntax::source::{Source, Sources};
use crate::syntax::span::Span;
use crate::syntax::tree::{Kind, Term, Var};
use crate::syntax::visit;
use crate::value::Value;

/// What is said of an event beside its node.
#[derive(Clone, Debug)]
pub struct Metadata {
    /// Variables as the compiler calls them: what they were called, and where they stand, if anywhere.
    pub variables: BTreeMap<Var, (Var, Option<Place>)>,
    /// Which rules were looked up, as JSON; null for other events.
    pub reference: Value,
}

impl Metadata {
    /// How many bytes it takes, about.
    pub(super) fn size(&self) -> usize {
        size(self.reference.nodes()).saturating_add(self.variables.len().saturating_mul(VALUE))
    }
}

/// Of an event: the variables that are bound, and those of its node that somebody wrote.
pub(super) fn of<'w>(
    event: &Event<'_>,
    locals: &[Local],
    sources: &Sources,
    written: impl Fn(&Var) -> Option<&'w Var>,
) -> Metadata {
    let place = |name: &Var, written: Option<&Var>, span: Span| {
        let is_somewhere = span.end > 0 && !is_made(name, written);
        is_somewhere.then(|| Place::of(sources, span))
    };
    let mut variables = BTreeMap::new();
    for local in locals {
        let written = written(&local.name);
        let shown = written.unwrap_or(&local.name).clone();
        variables.insert(local.name.clone(), (shown, place(&local.name, written, local.span)));
    }
    let mut seen = |term: &Term| {
        if let Kind::Var(name) = &term.kind
            && !variables.contains_key(name)
            && let Some(written) = written(name)
        {
            variables.insert(name.clone(), (written.clone(), place(name, Some(written), term.span)));
        }
        false
    };
    match event.node {
        Node::None => {}
        Node::Rule(rule) => visit::walk_terms(visit::Node::Rule(rule), &mut seen),
        Node::Body(body) => visit::walk_terms(visit::Node::Body(body), &mut seen),
        Node::Expr(expr, _) => visit::walk_terms(visit::Node::Expr(expr), &mut seen),
    }
    let reference = event.reference.map_or(Value::Null, reference);
    Metadata { variables, reference }
}

/// What nobody wrote has no place for OPA: a key that `some x in xs` does not name, and what an expression of the query is worth.
fn is_made(name: &str, written: Option<&Var>) -> bool {
    name.starts_with("$term") || written.is_some_and(|written| written.starts_with("__local"))
}

fn reference(parts: &[Term]) -> Value {
    let style = Style { source: &Source::new("", ""), locations: false };
    Value::array(parts.iter().map(|part| json::term(style, part)))
}
