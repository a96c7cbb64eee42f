//! Targets and values of `with` (`v1/ast/compile.go`, `rewriteWithModifiers`): a value that must be evaluated is bound to a variable
//! before the expression.

mod validate;

use foldhash::HashMap;

use super::comprehension_terms::bind;
use super::names::Names;
use super::options::Options;
use super::rule_tree::RuleTree;
use super::{Arity, Compiler};
use crate::error::Error;
use crate::syntax::span::Span;
use crate::syntax::tree::{Body, Expr, With};
use crate::syntax::visit::{Mutable, transform};

/// What `with` may name.
struct Targets<'a> {
    options: &'a Options,
    rules: &'a RuleTree,
}

/// The stage `RewriteWithValues`.
pub(super) fn rewrite_with_values(compiler: &mut Compiler) {
    let Compiler { modules, names, options, rule_tree, findings, .. } = compiler;
    let targets = Targets { options, rules: rule_tree };
    for rule in modules.iter_mut().flat_map(|module| &mut module.rules) {
        transform(Mutable::Rule(rule), &mut |node| {
            if let Mutable::Body(body) = node
                && let Err(error) = targets.body(names, body)
            {
                findings.stop(error);
                body.clear();
            }
            false
        });
    }
}

/// The same for the outermost body of a query.
pub(super) fn rewrite_query(compiler: &Compiler, body: &mut Body) -> Result<(), Error> {
    let mut names = Names::for_query(body);
    Targets { options: &compiler.options, rules: &compiler.rule_tree }.body(&mut names, body)
}

impl<'a> Targets<'a> {
    fn arity(&self) -> Arity<'a> {
        Arity::new(self.options, self.rules)
    }

    fn body(&self, names: &mut Names, body: &mut Body) -> Result<(), Error> {
        if body.iter().all(|expr| expr.with.is_empty()) {
            return Ok(());
        }
        let mut out = Vec::with_capacity(body.len());
        let mut shared = HashMap::default();
        for mut expr in std::mem::take(body) {
            self.expr(names, &mut expr, &mut shared, &mut out)?;
            out.push(expr);
        }
        *body = out;
        Ok(())
    }

    /// Expressions that were made from one expression share its `with`: what it is bound to is bound once.
    fn expr(&self, names: &mut Names, expr: &mut Expr, shared: &mut HashMap<Span, With>, out: &mut Body) -> Result<(), Error> {
        for with in &mut expr.with {
            if let Some(known) = shared.get(&with.span) {
                *with = known.clone();
                continue;
            }
            if self.validate(with)? {
                out.extend(bind(names, &mut with.value));
            }
            shared.insert(with.span, with.clone());
        }
        Ok(())
    }
}
