//! The values of `with` are evaluated before anything is replaced: OPA's compiler writes `not p with input.x as q` as
//! `v := q; not p with input.x as v` (opa `v1/ast/compile.go`, `rewriteWithModifier`). The interpreter evaluates them amid the
//! replacements: a rule that such a value reads keeps its old value for the statement, and of several values only the last
//! one decides whether there is a statement. Here they are written out as OPA does.

use std::collections::BTreeSet;
use std::ops::Range;

use regorus::unstable::{Expr, LiteralStmt, Module as Tree, WithModifier};

use super::bare::bare;
use super::callees::Callees;
use super::negation::global;
use crate::rego::parse::Tokens;
use crate::rego::plain::Packages;
use crate::rego::splice::{Spliced, Splices, place};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Writes out values of outermost statements; nothing if there are none. `prefix` and `pass` make names of their own.
pub(super) fn lift(text: &str, tree: &Tree, packages: &Packages, (prefix, pass): (&str, usize)) -> Option<Spliced> {
    let global = global(tree, &packages.rules_of(&syntax::package(tree)));
    let callees = Callees::of(tree, packages);
    let (name, splices) = (format!("{prefix}{pass}"), Splices::default());
    let mut lifter = Lifter { text, global, callees, name, count: 0, splices, bare: bare(text), covered: 0 };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut lifter));
    (lifter.count > 0).then(|| lifter.splices.apply(text))
}

struct Lifter<'t> {
    text: &'t str,
    global: BTreeSet<String>,
    callees: Callees<'t>,
    name: String,
    count: usize,
    splices: Splices,
    /// Where statements without braces begin.
    bare: BTreeSet<usize>,
    /// Up to here statements have been looked at in this pass.
    covered: usize,
}

impl Visitor for Lifter<'_> {
    fn expr(&mut self, _: &Expr) -> bool {
        true
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        let (start, end) = (syntax::opened(stmt.span.start, self.text), syntax::closed(stmt.span.end, self.text));
        if start < self.covered {
            return;
        }
        let mut before = String::new();
        for with in &stmt.with_mods {
            let Some(range) = self.value(with).filter(|_| self.needs_evaluation(with)) else { continue };
            let name = format!("{}_{}", self.name, self.count);
            self.count = self.count.saturating_add(1);
            before.push_str(&format!("{name} := {}; ", self.text.get(range.clone()).unwrap_or_default()));
            self.splices.insert(range.start, range.end, name);
        }
        if before.is_empty() {
            return;
        }
        let bare = self.bare.contains(&start);
        self.splices.insert(start, start, format!("{}{before}", if bare { "{ " } else { "" }));
        if bare {
            self.splices.insert(end, end, " }".into());
        }
        self.covered = end;
    }
}

impl Lifter<'_> {
    /// Whether a value is more than constants and local variables, and not the name of a function.
    fn needs_evaluation(&self, with: &WithModifier) -> bool {
        self.is_read(&with.r#as) && !(self.is_function(&with.refr) && self.is_function(&with.r#as))
    }

    fn is_function(&self, name: &Expr) -> bool {
        self.callees.arguments(name).is_some()
    }

    fn is_read(&self, value: &Expr) -> bool {
        match value {
            Expr::String { .. } | Expr::RawString { .. } | Expr::Number { .. } | Expr::Bool { .. } | Expr::Null { .. } => false,
            Expr::Var { span, .. } => self.global.contains(span.text()) || self.is_function(value),
            Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().any(|item| self.is_read(item)),
            Expr::Object { fields, .. } => fields.iter().any(|(_, key, value)| self.is_read(key) || self.is_read(value)),
            _ => true,
        }
    }

    /// Where a value is written: behind `as`, up to the end of its `with`. Spans of values leave out quotes and parentheses.
    fn value(&self, with: &WithModifier) -> Option<Range<usize>> {
        let (target, end) = (place(syntax::end(&with.refr, self.text)), syntax::closed(with.span.end, self.text));
        let mut tokens = Tokens::new(self.text.get(target..end)?);
        tokens.find(|token| token.text == "as")?;
        Some(target.checked_add(tokens.next()?.start)?..end)
    }
}
