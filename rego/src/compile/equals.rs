//! Comparisons as unifications (`v1/ast/compile.go`, `rewriteEquals`): `==` binds nothing, and that was checked, so it is `=` from here on.

use super::Compiler;
use super::names::{EQUAL, EQUALITY, operator};
use super::terms::is_global;
use crate::syntax::tree::{Expr, ExprKind};
use crate::syntax::visit::{Mutable, transform};

/// The stage `RewriteEquals`.
pub(super) fn rewrite_equals(compiler: &mut Compiler) {
    for rule in compiler.modules.iter_mut().flat_map(|module| &mut module.rules) {
        transform(Mutable::Rule(rule), &mut |node| {
            if let Mutable::Expr(Expr { kind: ExprKind::Call(parts), .. }) = node
                && let [called, _, _] = parts.as_mut_slice()
                && is_global(called, &EQUAL)
            {
                *called = operator(EQUALITY, called);
            }
            false
        });
    }
}
