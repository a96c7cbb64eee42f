//! Bodies and expressions (opa `v1/topdown/eval.go`, `evalExpr`, `evalStep`, `evalNot`, `evalEvery`, `evalLogicalAnd`).

use super::bindings::Bound;
use super::leave::{Early, suppressed};
use super::{Leave, Next, Query, Run, Traced};
use crate::compile::{equality_at, is_equality};
use crate::syntax::tree::{Body, Every, Expr, ExprKind, Kind, Logical, Term};
use crate::trace::event::{Node, Op};
use crate::value::Value;

impl<'a> Traced<'a> {
    /// A query with the events of its beginning and its end.
    pub(super) fn run(&mut self, query: Query<'a>, next: Next<'_, 'a>) -> Run {
        self.event(query, Op::Enter, Node::Body(query.body));
        self.expr(query, &mut |eval| {
            eval.event_exit(query, Node::Body(query.body));
            let run = next(eval);
            eval.event(query, Op::Redo, Node::Body(query.body));
            run
        })
    }

    /// The expressions of a query, from the one where it is.
    pub(super) fn expr(&mut self, query: Query<'a>, next: Next<'_, 'a>) -> Run {
        self.pay()?;
        let Some(expr) = query.expr() else {
            let deferred = !query.find_one;
            return match next(self) {
                Err(Leave::Early(early)) => Err(Leave::Early(early.wrapped(deferred))),
                Ok(()) if query.find_one => Err(Leave::Early(Early::default().wrapped(false))),
                other => other,
            };
        };
        self.event(query, Op::Eval, Node::Expr(expr, query.index));
        let run = self.deeper(|eval| match expr.with.is_empty() {
            true => eval.step(query, expr, &mut |eval| eval.expr(query.next(), next)),
            false => eval.with(query, expr, next),
        });
        // Those outside still stand where they wait for this one.
        run.map_err(|leave| match leave {
            Leave::Stop(stop) => Leave::Stop(stop.with_stack(|| self.stack(query))),
            other => other,
        })
    }

    /// One expression, without its `with`.
    pub(super) fn step(&mut self, query: Query<'a>, expr: &'a Expr, next: Next<'_, 'a>) -> Run {
        if expr.negated {
            return self.negated(query, expr, next);
        }
        let mut defined = false;
        let mut on = |eval: &mut Self| {
            defined = true;
            let run = next(eval);
            eval.event(query, Op::Redo, Node::Expr(expr, query.index));
            run
        };
        match &expr.kind {
            ExprKind::Call(parts) => match parts.as_slice() {
                [_, a, b, ..] if is_equality(expr) => {
                    self.unify(query, Bound::tree(a, query.frame), Bound::tree(b, query.frame), &mut on)
                }
                _ => self.call(query, parts, &mut on),
            },
            ExprKind::Term(term) => self.test(query, term, &mut on),
            ExprKind::Every(every) => self.every(query, (expr, every), &mut on),
            ExprKind::Not(not) => self.not(query, &not.body, &mut on),
            ExprKind::And(sides) => self.logical(query, sides, true, &mut on),
            ExprKind::Or(sides) => self.logical(query, sides, false, &mut on),
            ExprKind::Some(_) => on(self),
        }?;
        if !defined {
            self.event(query, Op::Fail, Node::Expr(expr, query.index));
        }
        Ok(())
    }

    fn test(&mut self, query: Query<'a>, term: &'a Term, next: Next<'_, 'a>) -> Run {
        let out = self.variable(&format!("$_term_{}_{}", query.id, query.index), query.frame);
        self.unify(query, Bound::tree(term, query.frame), out.clone(), &mut |eval| match eval.plug(&out) {
            Some(Value::False) => Ok(()),
            _ => next(eval),
        })
    }

    /// `not`, as a word before an expression.
    fn negated(&mut self, query: Query<'a>, expr: &'a Expr, next: Next<'_, 'a>) -> Run {
        let body = self.made(expr, |expr| vec![Expr { negated: false, with: Vec::new(), ..expr.clone() }]);
        if self.holds(query, body, false)? {
            self.event(query, Op::Fail, Node::Expr(expr, query.index));
            return Ok(());
        }
        next(self)
    }

    fn not(&mut self, query: Query<'a>, body: &'a Body, next: Next<'_, 'a>) -> Run {
        if self.holds(query, body, false)? { Ok(()) } else { next(self) }
    }

    fn logical(&mut self, query: Query<'a>, sides: &'a Logical, and: bool, next: Next<'_, 'a>) -> Run {
        let left = self.holds(query, &sides.left, true)?;
        let decided = left != and;
        let holds = if decided { left } else { self.holds(query, &sides.right, true)? };
        if holds { next(self) } else { Ok(()) }
    }

    /// Whether a body inside of a query has a solution; all are looked for, or one.
    fn holds(&mut self, query: Query<'a>, body: &'a [Expr], find_one: bool) -> Result<bool, Leave> {
        let mut defined = false;
        let run = self.nested(query, body, false, |eval, child| {
            let child = Query { find_one, ..child };
            eval.event(child, Op::Enter, Node::Body(body));
            eval.expr(child, &mut |eval| {
                eval.event_exit(child, Node::Body(body));
                eval.event(child, Op::Redo, Node::Body(body));
                defined = true;
                Ok(())
            })
        });
        if find_one {
            suppressed(run)?
        } else {
            run?
        }
        Ok(defined)
    }

    fn every(&mut self, query: Query<'a>, (expr, every): (&'a Expr, &'a Every), next: Next<'_, 'a>) -> Run {
        let node = Node::Expr(expr, query.index);
        let domain = self.plug_tree(&every.domain, query.frame);
        if domain.is_some_and(|domain| domain.as_collection().is_none()) {
            self.event(query, Op::Fail, node);
            return Ok(());
        }
        let generator = self.made(expr, |_| generator(every));
        self.nested(query, generator, false, |eval, domain| {
            let mut all = true;
            eval.event(domain, Op::Enter, node);
            eval.expr(domain, &mut |eval| {
                if !all {
                    return Ok(());
                }
                let holds = eval.holds(domain, &every.body, true);
                eval.event(domain, Op::Redo, node);
                all = holds?;
                Ok(())
            })?;
            if !all {
                eval.event(domain, Op::Fail, node);
                return Ok(());
            }
            let run = next(eval);
            eval.event(domain, Op::Exit, node);
            run
        })
    }

    /// A body that is made for an expression, once.
    fn made(&mut self, expr: &'a Expr, make: impl FnOnce(&Expr) -> Body) -> &'a [Expr] {
        let address = std::ptr::from_ref(expr).addr();
        if let Some(body) = self.made.get(&address) {
            return body;
        }
        let body: &'a Body = self.trees.bodies.alloc(make(expr));
        self.made.insert(address, body);
        body
    }
}

/// `domain[key] = value`.
fn generator(every: &Every) -> Body {
    let span = every.domain.span;
    let key = every.key.clone().unwrap_or_else(|| Term::var(span, "$_key"));
    let element = Term::new(span, Kind::Ref(vec![every.domain.clone(), key]));
    vec![equality_at(span, element, every.value.clone())]
}
