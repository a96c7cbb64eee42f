//! Heads that must be evaluated (`v1/ast/compile.go`, `rewriteRefsInHead`): `p[{"foo": data.foo[i]}] { i < 100 }` becomes
//! `p[__local0__] { i < 100; __local0__ = {"foo": data.foo[i]} }`.

use super::Compiler;
use super::comprehension_terms::bind;
use super::terms::{append, each_rule};

/// The stage `RewriteRefsInHead`.
pub(super) fn rewrite_refs_in_head(compiler: &mut Compiler) {
    let Compiler { modules, names, .. } = compiler;
    each_rule(modules, |rule| {
        let head = &mut rule.head;
        for term in head.key.iter_mut().chain(&mut head.value).chain(head.args.iter_mut().flatten()) {
            append(&mut rule.body, bind(names, term));
        }
    });
}
