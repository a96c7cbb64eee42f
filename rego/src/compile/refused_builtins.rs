//! Builtins that are refused, or given up (`v1/ast/compile.go`, `checkUnsafeBuiltins`, `checkDeprecatedBuiltins`).

use super::Compiler;
use crate::error::{Code, Error};
use crate::syntax::print;
use crate::syntax::tree::{Expr, ExprKind, Version};
use crate::syntax::visit::{Node, walk_exprs};

/// The stage `CheckUnsafeBuiltins`.
pub(super) fn check_unsafe_builtins(compiler: &mut Compiler) {
    if compiler.options.refused.is_some() {
        let rules = compiler.modules.iter().flat_map(|module| &module.rules);
        let errors: Vec<Error> = rules.flat_map(|rule| refused(compiler, Node::Rule(rule))).collect();
        compiler.findings.go_on_all(errors);
    }
}

/// The stage `CheckDeprecatedBuiltins`.
pub(super) fn check_deprecated_builtins(compiler: &mut Compiler) {
    let strict = compiler.options.strict;
    let modules = compiler.modules.iter().filter(|module| strict || module.version >= Version::V0CompatV1);
    let rules = modules.flat_map(|module| &module.rules);
    let errors: Vec<Error> = rules.flat_map(|rule| deprecated(compiler, Node::Rule(rule))).collect();
    compiler.findings.go_on_all(errors);
}

/// Calls of builtins that the options refuse.
pub(super) fn refused(compiler: &Compiler, node: Node<'_>) -> Vec<Error> {
    calls(node, |name| compiler.options.refusal(name))
}

/// Calls of builtins that are given up.
pub(super) fn deprecated(compiler: &Compiler, node: Node<'_>) -> Vec<Error> {
    calls(node, |name| {
        let deprecated = compiler.options.builtin(name).is_some_and(|builtin| builtin.deprecated);
        deprecated.then(|| format!("deprecated built-in function calls in expression: {name}"))
    })
}

fn calls(node: Node<'_>, wrong: impl Fn(&str) -> Option<String>) -> Vec<Error> {
    let mut errors = Vec::new();
    walk_exprs(node, |expr| {
        if let Expr { kind: ExprKind::Call(parts), span, .. } = expr
            && let Some(why) = parts.first().and_then(|operator| wrong(&print::term(operator)))
        {
            errors.push(Error::new(Code::Type, *span, why));
        }
        false
    });
    errors
}
