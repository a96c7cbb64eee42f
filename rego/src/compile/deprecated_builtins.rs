//! Builtins that are given up (`v1/ast/compile.go`, `checkDeprecatedBuiltins`).

use super::Compiler;
use crate::error::{Code, Error};
use crate::syntax::print;
use crate::syntax::tree::{Expr, ExprKind, Version};
use crate::syntax::visit::{Node, walk_exprs};

/// The stage `CheckDeprecatedBuiltins`.
pub(super) fn check_deprecated_builtins(compiler: &mut Compiler) {
    let mut errors = Vec::new();
    for module in &compiler.modules {
        if compiler.options.strict || module.version >= Version::V0CompatV1 {
            module.rules.iter().for_each(|rule| check(compiler, Node::Rule(rule), &mut errors));
        }
    }
    for error in errors {
        compiler.findings.go_on(error);
    }
}

/// The same for a query, in strict mode.
pub(super) fn of_query(compiler: &Compiler, body: &[Expr]) -> Vec<Error> {
    let mut errors = Vec::new();
    if compiler.options.strict {
        check(compiler, Node::Body(body), &mut errors);
    }
    errors
}

fn check(compiler: &Compiler, node: Node<'_>, errors: &mut Vec<Error>) {
    walk_exprs(node, |expr| {
        if let ExprKind::Call(parts) = &expr.kind
            && let Some(name) = parts.first().map(print::term)
            && compiler.options.builtin(&name).is_some_and(|builtin| builtin.deprecated)
        {
            errors.push(Error::new(Code::Type, expr.span, format!("deprecated built-in function calls in expression: {name}")));
        }
        false
    });
}
