//! Rules of one name become tests of their own: `test_a`, `test_a#01` … (opa `v1/tester/runner.go`, `rewriteDuplicateTestNames`).

use std::collections::HashMap;

use super::name::Name;
use crate::compile::Compiler;
use crate::syntax::print;
use crate::syntax::tree::{Kind, Rule};

/// The stage `RewriteDuplicateTestNames`. Modules are gone through in the order of their names; OPA's order is random.
pub(super) fn rewrite_duplicate_test_names(compiler: &mut Compiler) {
    let mut seen = HashMap::<String, usize>::new();
    for module in &mut compiler.modules {
        let package = module.package.path.len();
        for rule in &mut module.rules {
            let Some(name) = Name::of(&rule.head, package).filter(|name| !name.todo) else { continue };
            let before = seen.entry(print::reference(name.path)).or_default();
            if *before > 0 {
                let (at, text) = (name.path.len(), format!("{}#{before:02}", name.text));
                rename(rule, at, &text);
            }
            *before = before.saturating_add(1);
        }
    }
}

/// Names the part of a rule's reference in front of `end`.
fn rename(rule: &mut Rule, end: usize, name: &str) {
    let part = end.checked_sub(1).and_then(|at| rule.head.reference.get_mut(at));
    if let Some(part) = part {
        part.kind = Kind::String(name.into());
    }
}
