//! Calls of `print` (`v1/ast/compile.go`, `rewritePrintCalls`): erased, or their operands are captured, so that what is undefined does not
//! end a body: `print(x.y)` becomes `internal.print([{__local0__ | __local0__ = x.y}])`.

use std::collections::HashMap;

use super::names::{Names, equality};
use super::safety::output_vars;
use super::terms::{is_global, operands};
use super::vars::{Params, SAFETY, VarSet, is_generated, shown};
use super::{Arity, Compiler};
use crate::error::{Code, Error};
use crate::syntax::tree::{Body, Comprehension, Expr, ExprKind, Kind, Rule, Term, Var};
use crate::syntax::visit::{Mutable, Node, walk, walk_exprs, walk_mut, walk_terms};

const PRINT: Var = arcstr::literal!("print");

/// Rewrites calls of `print`.
struct Prints<'a> {
    names: &'a mut Names,
    arity: Arity<'a>,
    rewritten: &'a HashMap<Var, Var>,
}

/// The stage `RewritePrintCalls`.
pub(super) fn rewrite_print_calls(compiler: &mut Compiler) {
    let Compiler { modules, names, options, rule_tree, rewritten, findings, .. } = compiler;
    let rules = modules.iter_mut().flat_map(|module| &mut module.rules);
    if !options.prints {
        return rules.for_each(|rule| erase(Mutable::Rule(rule)));
    }
    let mut prints = Prints { names, arity: Arity::new(options, rule_tree), rewritten };
    for rule in rules.filter(|rule| has_print(Node::Rule(rule))) {
        rule.each_of_chain(|rule| findings.stop_all(prints.rule(rule)));
    }
}

/// The same for the outermost body of a query.
pub(super) fn rewrite_query(compiler: &Compiler, rewritten: &HashMap<Var, Var>, body: &mut Body) -> Vec<Error> {
    if !compiler.options.prints {
        erase(Mutable::Body(body));
        return Vec::new();
    }
    let mut names = Names::for_query(body);
    let mut prints = Prints { names: &mut names, arity: compiler.arity(), rewritten };
    prints.body(&VarSet::reserved(), body).err().unwrap_or_default()
}

fn is_print(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Call(parts) if parts.first().is_some_and(|called| is_global(called, &PRINT)))
}

fn has_print(node: Node<'_>) -> bool {
    let mut found = false;
    walk_exprs(node, |expr| {
        found = found || is_print(expr);
        found
    });
    found
}

/// Takes all calls away; a body of nothing else becomes `true`.
fn erase(node: Mutable<'_>) {
    walk_mut(node, &mut |node| {
        if let Mutable::Body(body) = node
            && body.iter().any(is_print)
        {
            let span = body.first().map(|expr| expr.span).unwrap_or_default();
            body.retain(|expr| !is_print(expr));
            if body.is_empty() {
                body.push(Expr::new(span, ExprKind::Term(Term::new(span, Kind::Bool(true)))));
            }
        }
        false
    });
}

impl Prints<'_> {
    /// Bodies in the head, then the rule's; a body in the head of a comprehension sees the arguments alone, as in OPA.
    fn rule(&mut self, rule: &mut Rule) -> Vec<Error> {
        let mut globals = VarSet::reserved();
        globals.add_terms(rule.head.args.iter().flatten(), Params::ALL);
        let mut errors = Vec::new();
        let mut visit = |node: Mutable<'_>| {
            let Mutable::Body(body) = node else { return false };
            if !has_print(Node::Body(body)) {
                return true;
            }
            match self.body(&globals, body) {
                Ok(()) => false,
                Err(found) => {
                    errors.extend(found);
                    true
                }
            }
        };
        walk_mut(Mutable::Head(&mut rule.head), &mut visit);
        walk_mut(Mutable::Body(&mut rule.body), &mut visit);
        errors
    }

    fn body(&mut self, globals: &VarSet, body: &mut Body) -> Result<(), Vec<Error>> {
        self.closures(globals, body)?;
        let mut safe = globals.clone();
        for expr in body.iter_mut() {
            if is_print(expr) {
                self.print(&safe, expr)?;
            }
            safe.extend(&output_vars::of_body(std::slice::from_ref(expr), self.arity, &|var| safe.contains(var)));
            add_generated(&mut safe, expr);
        }
        Ok(())
    }

    /// Bodies in the expressions of a body, each with what is bound before its expression.
    fn closures(&mut self, globals: &VarSet, body: &mut Body) -> Result<(), Vec<Error>> {
        let mut safe = globals.clone();
        for expr in body.iter_mut() {
            let bound = output_vars::of_body(std::slice::from_ref(expr), self.arity, &|var| safe.contains(var));
            if holds_closure(expr) && has_print(Node::Expr(expr)) {
                let mut errors = Vec::new();
                self.nested(&mut safe.clone(), expr, &mut errors);
                if !errors.is_empty() {
                    return Err(errors);
                }
            }
            safe.extend(&bound);
        }
        Ok(())
    }

    fn nested(&mut self, safe: &mut VarSet, expr: &mut Expr, errors: &mut Vec<Error>) {
        let mut closure = |body: &mut Body, safe: &VarSet| errors.extend(self.body(safe, body).err().into_iter().flatten());
        walk_mut(Mutable::Expr(expr), &mut |node| match node {
            Mutable::Expr(expr) => match &mut expr.kind {
                ExprKind::Every(every) => {
                    safe.add_terms(every.key.iter().chain([&every.value]), Params::ALL);
                    closure(&mut every.body, safe);
                    true
                }
                ExprKind::Not(not) => {
                    closure(&mut not.body, safe);
                    true
                }
                ExprKind::And(logical) | ExprKind::Or(logical) => {
                    closure(&mut logical.left, safe);
                    closure(&mut logical.right, safe);
                    true
                }
                _ => false,
            },
            Mutable::Term(term) => match &mut term.kind {
                Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => {
                    closure(&mut inner.body, safe);
                    true
                }
                Kind::ObjectCompr(inner) => {
                    closure(&mut inner.body, safe);
                    true
                }
                _ => false,
            },
            _ => false,
        });
    }

    /// One call.
    fn print(&mut self, safe: &VarSet, expr: &mut Expr) -> Result<(), Vec<Error>> {
        let errors: Vec<Error> = operands(expr).iter().flat_map(|operand| self.undeclared(safe, operand)).collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let span = expr.span;
        let captured = operands(expr).iter().map(|operand| {
            let local = Term::var(operand.span, self.names.generate());
            let body = vec![equality(local.clone(), operand.clone())];
            Term::new(operand.span, Kind::SetCompr(Box::new(Comprehension { term: local, body })))
        });
        let captured = Term::new(span, Kind::Array(captured.collect()));
        let called = Term::new(span, Kind::Ref(vec![Term::var(span, "internal"), Term::string(span, "print")]));
        *expr = Expr::new(span, ExprKind::Call(vec![called, captured]));
        Ok(())
    }

    fn undeclared(&self, safe: &VarSet, operand: &Term) -> Vec<Error> {
        let mut vars = VarSet::default();
        vars.add_term(operand, SAFETY);
        let name = |var: Var| self.rewritten.get(&var).cloned().unwrap_or(var);
        let error = |var| Error::new(Code::Compile, operand.span, format!("var {} is undeclared", shown(&name(var))));
        vars.diff(safe).sorted().into_iter().map(error).collect()
    }
}

fn holds_closure(expr: &Expr) -> bool {
    let mut found = false;
    walk(Node::Expr(expr), &mut |node| {
        found = found
            || match node {
                Node::Every(_) | Node::Not(_) | Node::And(_) | Node::Or(_) => true,
                Node::Term(term) => super::terms::is_comprehension(term),
                _ => false,
            };
        found
    });
    found
}

fn add_generated(safe: &mut VarSet, expr: &Expr) {
    walk_terms(Node::Expr(expr), |term| {
        if let Kind::Var(name) = &term.kind
            && is_generated(name)
        {
            safe.insert(name.clone(), term.span);
        }
        false
    });
}
