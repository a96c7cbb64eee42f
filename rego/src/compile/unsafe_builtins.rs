//! Builtins that are refused (`v1/ast/compile.go`, `checkUnsafeBuiltins`).

use super::Compiler;
use crate::error::{Code, Error};
use crate::syntax::print;
use crate::syntax::tree::{Expr, ExprKind};
use crate::syntax::visit::{Node, walk_exprs};

/// The stage `CheckUnsafeBuiltins`.
pub(super) fn check_unsafe_builtins(compiler: &mut Compiler) {
    if compiler.options.refused.is_none() {
        return;
    }
    let mut errors = Vec::new();
    for rule in compiler.modules.iter().flat_map(|module| &module.rules) {
        check(compiler, Node::Rule(rule), &mut errors);
    }
    for error in errors {
        compiler.findings.go_on(error);
    }
}

/// The same for a query.
pub(super) fn of_query(compiler: &Compiler, body: &[Expr]) -> Vec<Error> {
    let mut errors = Vec::new();
    check(compiler, Node::Body(body), &mut errors);
    errors
}

fn check(compiler: &Compiler, node: Node<'_>, errors: &mut Vec<Error>) {
    walk_exprs(node, |expr| {
        if let ExprKind::Call(parts) = &expr.kind
            && let Some(name) = parts.first().map(print::term)
            && let Some(why) = compiler.options.refusal(&name)
        {
            errors.push(Error::new(Code::Type, expr.span, why));
        }
        false
    });
}
