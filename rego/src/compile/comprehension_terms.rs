//! Heads of comprehensions that must be evaluated (`v1/ast/compile.go`, `rewriteComprehensionTerms`): `[x[0] | x = y[_]]` becomes
//! `[__local0__ | x = y[_]; __local0__ = x[0]]`.

use super::Compiler;
use super::names::Names;
use super::terms::{append, requires_eval};
use crate::syntax::span::Span;
use crate::syntax::tree::{Body, Expr, Kind, Term};
use crate::syntax::visit::{Mutable, transform};

/// The stage `RewriteComprehensionTerms`.
pub(super) fn rewrite_comprehension_terms(compiler: &mut Compiler) {
    let Compiler { modules, names, .. } = compiler;
    for rule in modules.iter_mut().flat_map(|module| &mut module.rules) {
        rewrite(names, Mutable::Rule(rule));
    }
}

/// The same for a query.
pub(super) fn rewrite_query(body: &mut Body) {
    let mut names = Names::for_query(body);
    rewrite(&mut names, Mutable::Body(body));
}

fn rewrite(names: &mut Names, node: Mutable<'_>) {
    transform(node, &mut |node| {
        if let Mutable::Term(term) = node {
            match &mut term.kind {
                Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => {
                    let bound = bind(names, &mut inner.term);
                    append(&mut inner.body, bound);
                }
                Kind::ObjectCompr(inner) => {
                    let key = bind(names, &mut inner.key);
                    append(&mut inner.body, key);
                    let value = bind(names, &mut inner.value);
                    append(&mut inner.body, value);
                }
                _ => {}
            }
        }
        false
    });
}

/// Replaces a term that must be evaluated by a variable; the equality that binds it.
pub(super) fn bind(names: &mut Names, term: &mut Term) -> Option<Expr> {
    requires_eval(term).then(|| {
        let (local, expr) = names.equality(std::mem::replace(term, Term::new(Span::default(), Kind::Null)));
        *term = local;
        expr
    })
}
