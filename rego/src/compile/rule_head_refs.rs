//! References of heads (`v1/ast/compile.go`, `rewriteRuleHeadRefs`): what is no scalar and no variable in `p.q[input.x]` becomes one
//! that the body binds. The package's path comes in front.

use super::Compiler;
use super::names::Names;
use super::terms::{append, is_scalar};
use crate::syntax::order::compare;
use crate::syntax::tree::{Kind, Rule, Term};

/// The stage `RewriteRuleHeadRefs`.
pub(super) fn rewrite_rule_head_refs(compiler: &mut Compiler) {
    let Compiler { modules, names, .. } = compiler;
    for module in modules {
        for rule in &mut module.rules {
            bind_parts(names, rule);
            rule.each_of_chain(|rule| prepend(&module.package.path, &mut rule.head.reference));
        }
    }
}

fn bind_parts(names: &mut Names, rule: &mut Rule) {
    let head = &mut rule.head;
    let last = head.reference.len().saturating_sub(1);
    for (index, part) in head.reference.iter_mut().enumerate().skip(1) {
        if is_scalar(part) || part.as_var().is_some() {
            continue;
        }
        let key = head.key.as_mut().filter(|key| index == last && compare(key, part).is_eq());
        let span = part.span;
        let (local, expr) = names.equality(std::mem::replace(part, Term::new(span, Kind::Null)));
        if let Some(key) = key {
            *key = local.clone();
        }
        *part = local;
        append(&mut rule.body, [expr]);
    }
}

/// The first name becomes a part of the path.
fn prepend(package: &[Term], reference: &mut Vec<Term>) {
    if let Some(first) = reference.first_mut()
        && let Kind::Var(name) = &first.kind
    {
        first.kind = Kind::String(name.clone());
    }
    reference.splice(..0, package.iter().cloned());
}
