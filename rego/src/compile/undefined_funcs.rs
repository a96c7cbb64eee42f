//! Calls of what does not exist, or with a wrong number of operands (`v1/ast/compile.go`, `checkUndefinedFuncs`).

use std::collections::HashMap;

use super::terms::is_equality;
use super::{Compiler, types, written};
use crate::error::{Code, Error};
use crate::syntax::print;
use crate::syntax::tree::{Expr, ExprKind, Term, Var};
use crate::syntax::visit::{Node, walk_exprs};

/// The stage `CheckUndefinedFuncs`.
pub(super) fn check_undefined_funcs(compiler: &mut Compiler) {
    let mut errors = Vec::new();
    for rule in compiler.modules.iter().flat_map(|module| &module.rules) {
        check(compiler, &compiler.rewritten, Node::Rule(rule), &mut errors);
    }
    compiler.findings.stop_all(errors);
}

/// The same for a query; `rewritten` holds the query's own variables.
pub(super) fn of_query(compiler: &Compiler, rewritten: &HashMap<Var, Var>, body: &[Expr]) -> Vec<Error> {
    let mut errors = Vec::new();
    check(compiler, rewritten, Node::Body(body), &mut errors);
    errors
}

fn check(compiler: &Compiler, rewritten: &HashMap<Var, Var>, node: Node<'_>, errors: &mut Vec<Error>) {
    walk_exprs(node, |expr| {
        let ExprKind::Call(parts) = &expr.kind else { return false };
        let Some((operator, operands)) = parts.split_first() else { return false };
        let error = match compiler.arity().of(operator) {
            None => Some(undefined(expr, &written::term(rewritten, operator))),
            Some(arity) => wrong_count(expr, arity, operands.len())
                .map(|given| mismatch(compiler, expr, &written::term(rewritten, operator), operands, (arity, given))),
        };
        let found = error.is_some();
        errors.extend(error);
        found
    });
}

/// How many operands were given, if that is wrong: one for the answer may be there, and is there where the compiler made the call.
fn wrong_count(expr: &Expr, arity: usize, operands: usize) -> Option<usize> {
    let with_answer = arity.saturating_add(1);
    if expr.generated {
        return (!is_equality(expr) && operands != with_answer).then(|| operands.saturating_sub(1));
    }
    (operands != arity && operands != with_answer).then_some(operands)
}

fn undefined(expr: &Expr, operator: &Term) -> Error {
    Error::new(Code::Type, expr.span, format!("undefined function {}", print::term(operator)))
}

fn mismatch(compiler: &Compiler, expr: &Expr, operator: &Term, operands: &[Term], (arity, given): (usize, usize)) -> Error {
    let parts = operator.as_ref_parts().unwrap_or_default();
    types::arity_mismatch(compiler, expr, parts, operands).unwrap_or_else(|| {
        let plural = if given == 1 { "" } else { "s" };
        let name = print::term(operator);
        Error::new(Code::Type, expr.span, format!("function {name} has arity {arity}, got {given} argument{plural}"))
    })
}
