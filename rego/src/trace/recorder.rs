//! Keeps a trace: what each event shows, in the names that policies are written in.

use std::collections::HashMap;
use std::sync::Arc;

use arcstr::ArcStr;

use super::event::{Event, Node, Op, Tracer};
use super::explain::{Explain, Lineage};
use super::raw;
use crate::compile::{self, Compiled, query::Query};
use crate::syntax::print;
use crate::syntax::source::Sources;
use crate::syntax::span::Span;
use crate::syntax::stack::with_depth;
use crate::syntax::tree::{Expr, ExprKind, Kind, Module, Rule, Term, Var};
use crate::syntax::visit::{Mutable, transform};
use crate::value::Value;

/// Where something stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file; empty for the query.
    pub file: ArcStr,
    /// The row, from 1.
    pub row: u32,
    /// The column, from 1.
    pub col: u32,
}

/// Where a node is in memory, and its kind: a body begins where its first expression does.
type Key = (usize, About);

/// What kind of node an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum About {
    /// None.
    Note,
    /// A query.
    Body,
    /// A rule.
    Rule,
    /// An expression.
    Expr,
}

/// An event that is kept.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What happened.
    pub op: Op,
    /// In which query.
    pub query_id: u64,
    /// For which query.
    pub parent_id: u64,
    /// What it is about.
    pub about: About,
    /// Where that stands.
    pub place: Option<Place>,
    /// What is shown of it, the message included.
    pub text: Arc<str>,
    /// The message.
    pub message: String,
    /// The node and what variables are bound to, as JSON, if that is wanted.
    pub json: Option<(Value, Value)>,
}

/// A tracer that keeps events, for one evaluation.
#[derive(Debug)]
pub struct Recorder<'p> {
    sources: &'p Sources,
    /// What generated variables were called where they were written.
    rewritten: [&'p HashMap<Var, Var>; 2],
    /// Nodes and variables are kept as JSON.
    json: bool,
    modules: &'p [Module],
    lineage: Lineage,
    /// How deep the trees of the set nest.
    depth: u32,
    texts: HashMap<Key, Arc<str>>,
    nodes: HashMap<Key, Value>,
}

impl Place {
    /// Where a span begins.
    pub(super) fn of(sources: &Sources, span: Span) -> Self {
        let source = sources.get(span.source);
        let position = source.map(|source| source.position(span.start)).unwrap_or_default();
        let file = source.map(|source| source.name.clone()).unwrap_or_default();
        Self { file, row: position.row, col: position.col }
    }
}

impl<'p> Recorder<'p> {
    /// A recorder without events; with `json`, also of what [`super::raw()`] shows. `sources` are those of the set, then those of the
    /// query.
    pub fn new(compiled: &'p Compiled, query: &'p Query, sources: &'p Sources, explain: Explain, json: bool) -> Self {
        let rewritten = [&compiled.rewritten, &query.rewritten];
        let depth = compile::depth_of(&compiled.modules);
        Self {
            sources,
            rewritten,
            json,
            depth,
            modules: &compiled.modules,
            lineage: Lineage::new(explain),
            texts: HashMap::new(),
            nodes: HashMap::new(),
        }
    }

    /// All that is kept, in order.
    pub fn into_events(self) -> Vec<Arc<Recorded>> {
        self.lineage.into_events()
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

    /// The node and the variables; OPA tells of no variables beside a note.
    fn json(&mut self, event: &Event<'_>) -> (Value, Value) {
        let locals = if event.op == Op::Note { Value::array([]) } else { raw::locals(event.locals) };
        let Some(key) = key(event) else { return (self.node_json(event.node), locals) };
        if let Some(node) = self.nodes.get(&key) {
            return (node.clone(), locals);
        }
        let node = self.node_json(event.node);
        self.nodes.insert(key, node.clone());
        (node, locals)
    }

    fn node_json(&self, node: Node<'_>) -> Value {
        let module = match node {
            Node::Rule(rule) => self.modules.iter().find(|module| module.source == rule.span.source),
            _ => None,
        };
        raw::node(node, module.map_or(0, |module| module.package.path.len()))
    }

    fn written(&self, name: &Var) -> Option<&Var> {
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
        self.lineage.explain() == Explain::Debug
    }

    fn hear(&mut self, event: &Event<'_>) -> usize {
        let values = if self.json { event.locals.depth() } else { 0 };
        with_depth(self.depth.saturating_add(values), || self.record(event))
    }
}

impl Recorder<'_> {
    fn record(&mut self, event: &Event<'_>) -> usize {
        let about = match event.node {
            Node::None => About::Note,
            Node::Body(_) => About::Body,
            Node::Rule(_) => About::Rule,
            Node::Expr(..) => About::Expr,
        };
        let recorded = Recorded {
            op: event.op,
            query_id: event.query_id,
            parent_id: event.parent_id,
            about,
            place: event.span.map(|span| Place::of(self.sources, span)),
            text: self.text(event),
            message: event.message.to_owned(),
            json: self.json.then(|| self.json(event)),
        };
        let values = recorded.json.as_ref().map_or(0, |(_, locals)| locals.nodes());
        let bytes = usize::try_from(values).unwrap_or(usize::MAX).saturating_mul(size_of::<[Value; 4]>());
        let bytes = bytes.saturating_add(size_of::<Recorded>()).saturating_add(recorded.text.len());
        self.lineage.pass(recorded).saturating_mul(bytes)
    }
}
