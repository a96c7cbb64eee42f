//! OPA's evaluator (opa `v1/topdown/eval.go`), on the trees that the compiler has left: terms are unified, and each expression
//! calls what follows it for each of its solutions.

mod bindings;
mod body;
mod cache;
mod call;
mod complete;
mod comprehension;
mod conflict;
mod function;
mod growing;
mod leave;
mod partial;
mod reference;
mod rules;
mod stack;
mod tree;
mod unify;
mod walk;
mod with;

use foldhash::HashMap;

use bindings::{Bound, Frame, Item, Shown, written};
use leave::{Leave, Run};
use typed_arena::Arena;
use with::{Mock, Scope};

use super::event::{Event, Node, Op, Tracer};
use crate::builtins::Context;
use crate::compile::{self, Arity, ComprehensionKeys, equality_at};
use crate::eval::{Documents, EvalError, PrintHook, Stop};
use crate::ir::Policy;
use crate::limits::Halt;
use crate::program::Program;
use crate::syntax::span::Span;
use crate::syntax::stack::with_depth;
use crate::syntax::tree::{Body, Expr, Term, Var};
use crate::value::Value;

/// What follows, for each solution.
type Next<'n, 'a> = &'n mut dyn FnMut(&mut Traced<'a>) -> Run;

/// Terms and bodies that are made while policies are evaluated.
#[derive(Default)]
pub(super) struct Trees {
    terms: Arena<Term>,
    bodies: Arena<Body>,
}

/// A body that is evaluated, and how far it has come.
#[derive(Clone, Copy)]
struct Query<'a> {
    body: &'a [Expr],
    index: usize,
    id: u64,
    parent: u64,
    /// Where its variables are.
    frame: usize,
    /// One solution is enough.
    find_one: bool,
    /// The index of its entry in [`Traced::around`].
    around: usize,
}

/// What is known of a query's surroundings.
#[derive(Clone, Copy, Default)]
struct Around<'a> {
    /// The place of the last event in it.
    place: Option<Span>,
    /// The query that it is evaluated for, at the expression that waits for it.
    query: Option<Query<'a>>,
}

/// How a traced evaluation goes.
pub(super) struct Ask<'a> {
    pub(super) program: &'a Program,
    pub(super) documents: Documents<'a>,
    pub(super) context: Context,
    pub(super) print: Option<PrintHook>,
    pub(super) strict_builtin_errors: bool,
    pub(super) trees: &'a Trees,
    pub(super) tracer: &'a mut dyn Tracer,
}

/// One evaluation.
pub(super) struct Traced<'a> {
    policy: &'a Policy,
    /// Builtins by their names.
    known: Arity<'a>,
    rules: rules::Rules<'a>,
    comprehensions: ComprehensionKeys,
    trees: &'a Trees,
    made: HashMap<usize, &'a [Expr]>,
    context: Context,
    print: Option<PrintHook>,
    scope: Scope,
    /// What is called instead of functions; all but the last ones are out of sight.
    mocks: Vec<Vec<HashMap<String, Mock<'a>>>>,
    frames: Vec<Frame<'a>>,
    around: Vec<Around<'a>>,
    next_id: u64,
    depth: u32,
    /// How deep the trees of the set nest.
    tree_depth: u32,
    failed: Option<EvalError>,
    /// Whether the first error of a builtin is that of the evaluation.
    strict_builtin_errors: bool,
    tracer: &'a mut dyn Tracer,
    hears_unify: bool,
    /// How many bytes were kept of events, and are not paid for.
    heard: usize,
}

impl<'a> Query<'a> {
    fn expr(&self) -> Option<&'a Expr> {
        self.body.get(self.index)
    }

    fn next(self) -> Self {
        Self { index: self.index.saturating_add(1), ..self }
    }
}

/// Values of more nodes are not shown where they are unified.
const UNIFIED: u32 = 1 << 16;

impl<'a> Traced<'a> {
    pub(super) fn new(ask: Ask<'a>, body: &[Expr]) -> Self {
        let compiled = ask.program.compiled();
        let mut comprehensions = ComprehensionKeys::default();
        let rules = compiled.modules.iter().flat_map(|module| &module.rules);
        rules.for_each(|rule| comprehensions.add_rule(rule, compiled.arity()));
        comprehensions.add_query(body, compiled.arity());
        Self {
            policy: ask.program.policy(),
            known: compiled.arity(),
            rules: rules::Rules::of(compiled),
            comprehensions,
            trees: ask.trees,
            made: HashMap::default(),
            context: ask.context,
            print: ask.print,
            scope: Scope::new(ask.documents.input.cloned(), ask.documents.data.clone()),
            mocks: vec![Vec::new()],
            frames: vec![Frame::new()],
            around: vec![Around::default()],
            next_id: 1,
            depth: 0,
            tree_depth: compile::depth_of(&compiled.modules),
            failed: None,
            strict_builtin_errors: ask.strict_builtin_errors,
            heard: 0,
            hears_unify: ask.tracer.hears_unify(),
            tracer: ask.tracer,
        }
    }

    /// Calls back with the values of variables for each solution of a query. Returns the first error of a builtin, if such errors are
    /// strict. Fails with any other error, and with a bound that was reached.
    pub(super) fn query(
        &mut self,
        body: &'a [Expr],
        variables: &[Var],
        solution: &mut dyn FnMut(Vec<Value>),
    ) -> Result<Option<EvalError>, Stop> {
        let query = Query { body, index: 0, id: 0, parent: 0, frame: 0, find_one: false, around: 0 };
        let run = self.run(query, &mut |eval| {
            let value = |name: &Var| bindings::find(eval.frames.first()?, name).and_then(|bound| eval.plug(bound));
            if let Some(values) = variables.iter().map(value).collect() {
                solution(values);
            }
            Ok(())
        });
        let failed = self.failed.take().filter(|_| self.strict_builtin_errors);
        match run {
            // The first error of a builtin counts more than where it ended, but for the bounds.
            Err(Leave::Stop(stop)) if failed.is_none() || stop.halt().is_some() => Err(stop),
            _ => Ok(failed),
        }
    }

    /// Runs a query inside of another one: a rule with variables of its own, or what shares those of its query.
    fn nested<T>(&mut self, query: Query<'a>, body: &'a [Expr], own: bool, run: impl FnOnce(&mut Self, Query<'a>) -> T) -> T {
        let (frames, around) = (self.frames.len(), self.around.len());
        let place = self.around.get(query.around).and_then(|around| around.place);
        self.around.push(Around { place, query: Some(query) });
        if own {
            self.frames.push(Frame::new());
        }
        let id = self.next_id;
        self.next_id = id.saturating_add(1);
        let frame = if own { frames } else { query.frame };
        self.depth = self.depth.saturating_add(1);
        let result = run(self, Query { body, index: 0, id, parent: query.id, frame, find_one: false, around });
        self.depth = self.depth.saturating_sub(1);
        self.frames.truncate(frames);
        self.around.truncate(around);
        result
    }

    /// A new variable.
    fn variable(&self, name: &str, frame: usize) -> Bound<'a> {
        Bound::tree(self.trees.terms.alloc(Term::var(Span::default(), name)), frame)
    }

    /// Runs what calls others, with enough stack for it.
    fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        stacker::maybe_grow(256 << 10, 1 << 20, || run(self))
    }

    /// Pays for an expression, and for what was kept of the events before it.
    fn pay(&mut self) -> Run {
        let heard = std::mem::take(&mut self.heard);
        self.context.account.charge(heard)?;
        self.context.account.step(1)?;
        let limit = self.context.account.limits().depth;
        if self.depth > limit { Err(Halt::Depth(limit).into()) } else { Ok(()) }
    }

    fn event(&mut self, query: Query<'a>, op: Op, node: Node<'_>) {
        self.event_of(query, (op, node), "", None);
    }

    fn event_exit(&mut self, query: Query<'a>, node: Node<'_>) {
        self.event_of(query, (Op::Exit, node), if query.find_one { "early" } else { "" }, None);
    }

    /// Where nothing stands, what was last told of is meant.
    fn event_of(&mut self, query: Query<'a>, (op, node): (Op, Node<'_>), message: &str, reference: Option<&[Term]>) {
        let mut span = node.span();
        if let Some(around) = self.around.get_mut(query.around) {
            span = span.or(around.place);
            around.place = span;
        }
        self.tell(query, (op, node), (message, reference), span);
    }

    fn event_at(&mut self, query: Query<'a>, what: (Op, Node<'_>), message: &str, span: Option<Span>) {
        self.tell(query, what, (message, None), span);
    }

    fn event_unify(&mut self, query: Query<'a>, a: &Bound<'a>, b: &Bound<'a>) {
        // Nobody could write out, nor read, more.
        if self.hears_unify && a.nodes().max(b.nodes()) <= UNIFIED {
            let term = |bound: &Bound<'a>| match &bound.item {
                Item::Tree(term) => (*term).clone(),
                Item::Value(value) => written(value),
            };
            with_depth(self.tree_depth.saturating_add(a.depth().max(b.depth())), || {
                let expr = equality_at(Span::default(), term(a), term(b));
                self.event(query, Op::Unify, Node::Expr(&expr, 0));
            });
        }
    }

    fn tell(
        &mut self,
        query: Query<'a>,
        (op, node): (Op, Node<'_>),
        (message, reference): (&str, Option<&[Term]>),
        span: Option<Span>,
    ) {
        let locals = &Shown { frames: &self.frames, frame: query.frame };
        let event = Event { op, query_id: query.id, parent_id: query.parent, node, span, message, reference, locals };
        self.heard = self.heard.saturating_add(self.tracer.hear(&event));
    }
}
