//! A trace for programs (opa `v1/server/types/types.go`, `TraceEventV1`).

use std::sync::Arc;

use super::event::{Local, Node};
use super::recorded::{About, Recorded};
use crate::syntax::json::{self, Style};
use crate::syntax::source::Source;
use crate::syntax::tree::{Kind, Module, Rule, Term};
use crate::value::Value;

/// An array of events. Of events that were kept without JSON, nodes and variables are missing.
pub fn raw(events: &[Arc<Recorded>]) -> Value {
    Value::array(events.iter().map(|event| self::event(event)))
}

fn event(event: &Recorded) -> Value {
    let (node, locals) = event.json.clone().unwrap_or_else(|| (Value::Null, Value::array([])));
    let about = match event.about {
        About::Note => "",
        About::Body => "body",
        About::Rule => "rule",
        About::Expr => "expr",
    };
    let mut members: Vec<(Value, Value)> = vec![
        ("op".into(), event.op.name().to_ascii_lowercase().into()),
        ("query_id".into(), number(event.query_id)),
        ("parent_id".into(), number(event.parent_id)),
        ("type".into(), about.into()),
        ("node".into(), node),
        ("locals".into(), locals),
    ];
    if !event.message.is_empty() {
        members.push(("message".into(), event.message.as_str().into()));
    }
    Value::object(members)
}

fn number(id: u64) -> Value {
    i64::try_from(id).unwrap_or(i64::MAX).into()
}

/// The same rule as OPA has it: the package, of so many parts, is not in front of its head.
fn unqualified(rule: &Rule, package: usize) -> Rule {
    let mut rule = rule.clone();
    let mut next = Some(&mut rule);
    while let Some(here) = next {
        let reference = &mut here.head.reference;
        reference.drain(..package.min(reference.len()));
        if let Some(Term { kind, .. }) = reference.first_mut()
            && let Kind::String(name) = kind
        {
            *kind = Kind::Var(name.clone());
        }
        next = here.otherwise.as_deref_mut();
    }
    rule
}

/// A node as OPA's trees are shown; `module` is that of a rule.
pub(super) fn node(node: Node<'_>, module: Option<&Module>) -> Value {
    let (package, annotations) = module.map_or((0, &[][..]), |module| (module.package.path.len(), &module.annotations));
    let style = Style { source: &Source::new("", ""), locations: false };
    match node {
        Node::None => Value::Null,
        Node::Body(body) => json::body(style, body),
        Node::Rule(rule) => json::rule(style, &unqualified(rule, package), annotations),
        Node::Expr(expr, index) => json::expr(style, expr, index),
    }
}

/// What variables are bound to.
pub(super) fn locals(locals: &[Local]) -> Value {
    let style = Style { source: &Source::new("", ""), locations: false };
    let binding = |local: &Local| {
        let key: [(Value, Value); 2] = [("type".into(), "var".into()), ("value".into(), Value::string(&local.name))];
        Value::object([("key".into(), Value::object(key)), ("value".into(), json::term(style, &local.value))])
    };
    Value::array(locals.iter().map(binding))
}
