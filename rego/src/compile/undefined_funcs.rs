//! Calls of what does not exist, or with a wrong number of operands (`v1/ast/compile.go`, `checkUndefinedFuncs`).

use foldhash::HashMap;

use super::terms::is_equality;
use super::{Compiler, TypeEnv, types, written};
use crate::error::{Code, Error};
use crate::syntax::print;
use crate::syntax::tree::{Expr, ExprKind, Term, Var};
use crate::syntax::visit::{Node, walk_exprs};

/// What is known of functions.
struct Known<'a> {
    compiler: &'a Compiler,
    env: &'a TypeEnv,
    rewritten: &'a HashMap<Var, Var>,
}

/// The stage `CheckUndefinedFuncs`.
pub(super) fn check_undefined_funcs(compiler: &mut Compiler) {
    let env = TypeEnv::of(&compiler.options);
    let known = Known { compiler, env: &env, rewritten: &compiler.rewritten };
    let mut errors = Vec::new();
    for rule in compiler.modules.iter().flat_map(|module| &module.rules) {
        known.check(Node::Rule(rule), &mut errors);
    }
    compiler.findings.stop_all(errors);
}

/// The same for a query, which knows the types of the set's functions; `rewritten` holds the query's own variables.
pub(super) fn of_query(compiler: &Compiler, rewritten: &HashMap<Var, Var>, body: &[Expr]) -> Vec<Error> {
    let mut errors = Vec::new();
    Known { compiler, env: &compiler.types, rewritten }.check(Node::Body(body), &mut errors);
    errors
}

impl Known<'_> {
    fn check(&self, node: Node<'_>, errors: &mut Vec<Error>) {
        walk_exprs(node, |expr| {
            let ExprKind::Call(parts) = &expr.kind else { return false };
            let Some((operator, operands)) = parts.split_first() else { return false };
            let name = || written::term(self.rewritten, operator);
            let error = match self.compiler.arity().of(operator) {
                None => Some(undefined(expr, &name())),
                Some(arity) => {
                    wrong_count(expr, arity, operands.len()).map(|given| self.mismatch(expr, &name(), operands, (arity, given)))
                }
            };
            let found = error.is_some();
            errors.extend(error);
            found
        });
    }

    fn mismatch(&self, expr: &Expr, operator: &Term, operands: &[Term], (arity, given): (usize, usize)) -> Error {
        let parts = operator.as_ref_parts().unwrap_or_default();
        types::arity_mismatch(self.compiler, self.env, expr, parts, operands).unwrap_or_else(|| {
            let plural = if given == 1 { "" } else { "s" };
            let name = print::term(operator);
            Error::new(Code::Type, expr.span, format!("function {name} has arity {arity}, got {given} argument{plural}"))
        })
    }
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
