//! Keeps a trace: what each event shows, in the names that policies are written in.

use foldhash::HashMap;
use std::sync::Arc;

use super::event::{Event, Node, Op, Tracer};
use super::explain::Explain;
use super::keep::{Detail, Keep, Trace};
use super::lineage::Lineage;
use super::metadata;
use super::raw;
use super::recorded::{About, Place, Recorded, size};
use crate::compile::{self, Compiled, query::Query};
use crate::syntax::print;
use crate::syntax::source::Sources;
use crate::syntax::stack::with_depth;
use crate::syntax::tree::{Expr, ExprKind, Kind, Module, Rule, Term, Var};
use crate::syntax::visit::{Mutable, transform};
use crate::value::{Value, json};

/// Where a node is in memory, and its kind: a body begins where its first expression does.
type Key = (usize, About);

/// A tracer that keeps events, for one evaluation.
#[derive(Debug)]
pub struct Recorder<'p> {
    sources: &'p Sources,
    /// What generated variables were called where they were written.
    rewritten: [&'p HashMap<Var, Var>; 2],
    detail: Detail,
    modules: &'p [Module],
    lineage: Lineage,
    /// How deep the trees of the set nest.
    depth: u32,
    texts: HashMap<Key, Arc<str>>,
    /// With what each takes when it is written.
    nodes: HashMap<Key, (Value, usize)>,
}

impl<'p> Recorder<'p> {
    /// A recorder without events. `sources` are those of the set, then those of the query.
    pub fn new(compiled: &'p Compiled, query: &'p Query, sources: &'p Sources, keep: impl Into<Keep>) -> Self {
        let keep = keep.into();
        let rewritten = [&compiled.rewritten, &query.rewritten];
        let depth = compile::depth_of(&compiled.modules);
        Self {
            sources,
            rewritten,
            detail: keep.detail,
            depth,
            modules: &compiled.modules,
            lineage: Lineage::new(keep),
            texts: HashMap::default(),
            nodes: HashMap::default(),
        }
    }

    /// All that is kept, in order.
    pub fn into_trace(self) -> Trace {
        self.lineage.into_trace()
    }

    fn text(&mut self, event: &Event<'_>) -> Arc<str> {
        if event.op == Op::Note {
            return format!("\"{}\"", event.message).into();
        }
        let node = match event.reference {
            Some(reference) => print::reference(reference).into(),
            None => self.node(event),
        };
        if event.message.is_empty() { node } else { format!("{node} {}", event.message).into() }
    }

    /// What a node shows; computed once for each.
    fn node(&mut self, event: &Event<'_>) -> Arc<str> {
        let Some(key) = key(event) else { return self.shown(event.node).into() };
        if let Some(text) = self.texts.get(&key) {
            return text.clone();
        }
        let text: Arc<str> = self.shown(event.node).into();
        self.texts.insert(key, text.clone());
        text
    }

    fn shown(&self, node: Node<'_>) -> String {
        match node {
            Node::None => "<nil>".to_owned(),
            Node::Rule(rule) => print::reference(constant_prefix(rule)),
            Node::Expr(expr, _) => {
                let mut expr = expr.clone();
                self.hide_key(&mut expr);
                transform(Mutable::Expr(&mut expr), &mut |node| self.rename(node));
                print::expr(&expr)
            }
            Node::Body(body) => {
                let mut body = body.to_vec();
                transform(Mutable::Body(&mut body), &mut |node| self.rename(node));
                print::body(&body)
            }
        }
    }

    /// A node, and what it takes when it is written; computed once for each.
    fn node_json(&mut self, event: &Event<'_>) -> (Value, usize) {
        let key = key(event);
        if let Some(node) = key.and_then(|key| self.nodes.get(&key)) {
            return node.clone();
        }
        let module = match event.node {
            Node::Rule(rule) => self.modules.iter().find(|module| module.source == rule.span.source),
            _ => None,
        };
        let node = raw::node(event.node, module);
        let size = json::write(&node, usize::MAX).map_or(0, |text| text.len());
        if let Some(key) = key {
            self.nodes.insert(key, (node.clone(), size));
        }
        (node, size)
    }

    /// What a variable was called where it was written.
    pub(super) fn written(&self, name: &Var) -> Option<&Var> {
        self.rewritten.iter().find_map(|names| names.get(name))
    }

    fn rename(&self, node: Mutable<'_>) -> bool {
        if let Mutable::Term(Term { kind: Kind::Var(name), .. }) = node
            && let Some(written) = self.written(name)
        {
            *name = written.clone();
        }
        false
    }

    /// The key of an `every` that nobody wrote is not shown.
    fn hide_key(&self, expr: &mut Expr) {
        if let ExprKind::Every(every) = &mut expr.kind
            && let Some(name) = every.key.as_ref().and_then(Term::as_var)
            && self.written(name).is_none_or(|written| written.starts_with("__local"))
        {
            every.key = None;
        }
    }
}

/// A node that stays where it is; what is unified does not.
fn key(event: &Event<'_>) -> Option<Key> {
    match event.node {
        _ if matches!(event.op, Op::Unify | Op::TestCase) => None,
        Node::None => None,
        Node::Body(body) => Some((body.as_ptr().addr(), About::Body)),
        Node::Rule(rule) => Some((std::ptr::from_ref(rule).addr(), About::Rule)),
        Node::Expr(expr, _) => Some((std::ptr::from_ref(expr).addr(), About::Expr)),
    }
}

/// The parts of a rule's reference before the first one that is no constant.
fn constant_prefix(rule: &Rule) -> &[Term] {
    let parts = &rule.head.reference;
    let dynamic = |part: &Term| !matches!(part.kind, Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_));
    let end = parts.iter().skip(1).position(dynamic).map_or(parts.len(), |at| at.saturating_add(1));
    parts.get(..end).unwrap_or(parts)
}

impl Tracer for Recorder<'_> {
    fn hears_unify(&self) -> bool {
        self.lineage.keep().explain == Explain::Debug
    }

    fn hear(&mut self, event: &Event<'_>) -> usize {
        let about = About::of(event.node);
        if !self.lineage.hears(event.op, about) {
            return 0;
        }
        let values = if self.detail > Detail::Lines { event.locals.depth() } else { 0 };
        with_depth(self.depth.saturating_add(values), || self.record(event, about))
    }
}

impl Recorder<'_> {
    fn record(&mut self, event: &Event<'_>, about: About) -> usize {
        let mut recorded = Recorded {
            op: event.op,
            query_id: event.query_id,
            parent_id: event.parent_id,
            about,
            place: event.span.map(|span| Place::of(self.sources, span)),
            text: self.text(event),
            message: event.message.to_owned(),
            json: None,
            metadata: None,
            size: 0,
            values: 0,
            without_values: false,
        };
        let text = recorded.text.len().saturating_add(recorded.message.len());
        recorded.size = size_of::<Recorded>().saturating_add(text);
        if self.detail > Detail::Lines {
            self.detail(event, &mut recorded);
        }
        self.lineage.pass(recorded)
    }

    fn detail(&mut self, event: &Event<'_>, recorded: &mut Recorded) {
        // OPA tells of no variables beside a note.
        let is_note = event.op == Op::Note;
        recorded.values = if is_note { 0 } else { size(event.locals.nodes()) };
        recorded.without_values = !self.lineage.has_room(recorded.values);
        let locals = if is_note || recorded.without_values { Vec::new() } else { event.locals.locals() };
        let (node, written) = self.node_json(event);
        recorded.size = recorded.size.saturating_add(written);
        recorded.json = Some((node, raw::locals(&locals)));
        if self.detail == Detail::Places && event.op != Op::Note {
            let metadata = metadata::of(event, &locals, self.sources, |name| self.written(name));
            recorded.size = recorded.size.saturating_add(metadata.size());
            recorded.metadata = Some(metadata);
        }
    }
}
