//! Calls of `print` (`v1/ast/compile.go`, `rewritePrintCalls`): erased, or their operands are captured, so that what is undefined does not
//! end a body: `print(x.y)` becomes `internal.print([{__local0__ | __local0__ = x.y}])`.

use foldhash::HashMap;

use super::names::Names;
use super::safety::output_vars;
use super::terms::{is_global, operands};
use super::vars::{Params, SAFETY, VarSet, is_generated};
use super::{Arity, Compiler, written};
use crate::error::Error;
use crate::syntax::tree::{Body, Expr, ExprKind, Kind, Rule, Term, Var};
use crate::syntax::visit::{Mutable, Node, Rewrite, walk_exprs, walk_mut, walk_terms};

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
            if has_print(Node::Expr(expr)) {
                let mut nested = Nested { prints: self, safe: safe.clone(), errors: Vec::new() };
                nested.expr(expr);
                if !nested.errors.is_empty() {
                    return Err(nested.errors);
                }
            }
            safe.extend(&bound);
        }
        Ok(())
    }

    /// One call.
    fn print(&mut self, safe: &VarSet, expr: &mut Expr) -> Result<(), Vec<Error>> {
        let errors: Vec<Error> = operands(expr).iter().flat_map(|operand| self.undeclared(safe, operand)).collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let span = expr.span;
        let captured = operands(expr).iter().map(|operand| self.names.capture(operand.clone(), Vec::new()));
        let captured = Term::new(span, Kind::Array(captured.collect()));
        let called = Term::new(span, Kind::Ref(vec![Term::var(span, "internal"), Term::string(span, "print")]));
        *expr = Expr::new(span, ExprKind::Call(vec![called, captured]));
        Ok(())
    }

    fn undeclared(&self, safe: &VarSet, operand: &Term) -> Vec<Error> {
        let mut vars = VarSet::default();
        vars.add_term(operand, SAFETY);
        vars.retain(|var| !safe.contains(var));
        written::undeclared(self.rewritten, vars, operand.span).collect()
    }
}

/// The bodies in an expression.
struct Nested<'p, 'a> {
    prints: &'p mut Prints<'a>,
    safe: VarSet,
    errors: Vec<Error>,
}

impl Rewrite for Nested<'_, '_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Every(every) = &expr.kind {
            self.safe.add_terms(every.key.iter().chain([&every.value]), Params::ALL);
        }
        if self.bodies(expr) {
            expr.with.iter_mut().for_each(|with| self.with(with));
        } else {
            self.inside_expr(expr);
        }
    }

    fn body(&mut self, body: &mut Body) {
        self.errors.extend(self.prints.body(&self.safe, body).err().into_iter().flatten());
    }

    fn comprehension(&mut self, _: &mut [&mut Term], body: &mut Body) {
        self.body(body);
    }
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
