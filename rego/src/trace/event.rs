//! What an evaluation says of itself (opa `v1/topdown/trace.go`, `Event`).

use crate::syntax::span::Span;
use crate::syntax::tree::{Expr, Rule, Term, Var};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// A query is about to be evaluated.
    Enter,
    /// A query holds.
    Exit,
    /// An expression is about to be evaluated.
    Eval,
    /// Another solution is looked for.
    Redo,
    /// An expression has no solution.
    Fail,
    /// A solution gave what another one had given.
    Duplicate,
    /// A policy said something with `trace`.
    Note,
    /// Rules were looked up.
    Index,
    /// Two terms are unified.
    Unify,
    /// A test has come to one of its cases.
    TestCase,
}

/// What an event is about.
#[derive(Clone, Copy, Debug)]
pub enum Node<'e> {
    /// Nothing of the policy: a note.
    None,
    /// A query.
    Body(&'e [Expr]),
    /// A rule.
    Rule(&'e Rule),
    /// An expression, and the how many-th of its body it is.
    Expr(&'e Expr, usize),
}

/// One event.
#[derive(Clone, Copy)]
pub struct Event<'e> {
    /// What happened.
    pub op: Op,
    /// The query that it happened in.
    pub query_id: u64,
    /// The query that asked that one.
    pub parent_id: u64,
    /// What it is about.
    pub node: Node<'e>,
    /// Where that stands, or what was last evaluated.
    pub span: Option<Span>,
    /// The note, how many rules were found, `early`; or empty.
    pub message: &'e str,
    /// Which rules were looked up.
    pub reference: Option<&'e [Term]>,
    /// What variables are bound to.
    pub locals: &'e dyn Locals,
}

/// A variable, and what it is bound to.
#[derive(Clone, Debug)]
pub struct Local {
    /// As the compiler calls it.
    pub name: Var,
    /// Where it stands that was bound; of no length where nobody wrote it.
    pub span: Span,
    /// With what is bound in it put in.
    pub value: Term,
}

/// What the variables of a query are bound to.
pub trait Locals {
    /// Each of them.
    fn locals(&self) -> Vec<Local>;

    /// How deep the values among them nest at most.
    fn depth(&self) -> u32;

    /// How large the values among them are together ([`crate::value::Value::nodes`]).
    fn nodes(&self) -> u32;
}

/// Who hears what happens.
pub trait Tracer {
    /// Whether it wants to know what is unified. Most events are of that kind.
    fn hears_unify(&self) -> bool {
        false
    }

    /// Hears an event; returns how many bytes it keeps of it.
    fn hear(&mut self, event: &Event<'_>) -> usize;
}

/// A tracer that ignores every event.
pub struct NoTracer;

impl Tracer for NoTracer {
    fn hear(&mut self, _: &Event<'_>) -> usize {
        0
    }
}

/// Two that hear the same.
pub struct Both<'t>(pub &'t mut dyn Tracer, pub &'t mut dyn Tracer);

impl Tracer for Both<'_> {
    fn hears_unify(&self) -> bool {
        self.0.hears_unify() || self.1.hears_unify()
    }

    fn hear(&mut self, event: &Event<'_>) -> usize {
        self.0.hear(event).saturating_add(self.1.hear(event))
    }
}

impl Op {
    /// As OPA writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enter => "Enter",
            Self::Exit => "Exit",
            Self::Eval => "Eval",
            Self::Redo => "Redo",
            Self::Fail => "Fail",
            Self::Duplicate => "Duplicate",
            Self::Note => "Note",
            Self::Index => "Index",
            Self::Unify => "Unify",
            Self::TestCase => "TestCase",
        }
    }
}

impl Node<'_> {
    /// Where it stands; a body where its first expression does.
    pub(super) fn span(&self) -> Option<Span> {
        let span = match self {
            Self::None => None,
            Self::Body(body) => body.first().map(|expr| expr.span),
            Self::Rule(rule) => Some(rule.span),
            Self::Expr(expr, _) => Some(expr.span),
        };
        span.filter(|span| span.end > 0)
    }
}
