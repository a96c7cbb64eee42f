//! The order of sets, and of objects by their keys, is seen where an array comprehension goes through them; the interpreter has sets
//! before objects, OPA behind. So `[x | some x in c]` is `[x | some x in plimsoll__.values(c)]`: an array in OPA's order where
//! the two differ. What names the keys (`c[k]`, `c[[1, k]]`), or walks, cannot go through an array instead: `plimsoll__.members(c)`,
//! `plimsoll__.arrays(c)` and `plimsoll__.all(c)` are `c`, or end the evaluation where the order would be wrong.
//!
//! `some x in c` ends the evaluation where `c` is a scalar, which OPA finds nothing in: `some x in plimsoll__.through(c)`.

use std::ops::Range;

use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Tree};

use super::frames::Frames;
use crate::rego::plain::Packages;
use crate::rego::splice::{Spliced, Splices};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Guards what array comprehensions of a module go through, whose names are written out.
pub(in crate::rego) fn name(text: &str, tree: &Tree, packages: &Packages) -> Spliced {
    let mut orders = Orders { text, packages, frames: Frames::of(tree, packages), splices: Splices::default() };
    for rule in &tree.policy {
        orders.frames.rule(rule);
        walk::rule(rule, &mut orders);
    }
    orders.splices.apply(text)
}

struct Orders<'t> {
    text: &'t str,
    packages: &'t Packages,
    frames: Frames,
    splices: Splices,
}

impl Visitor for Orders<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        if self.frames.is_ordered() {
            self.guard(expr);
        }
        self.frames.enter(expr);
        true
    }

    fn leave(&mut self) {
        self.frames.leave();
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        let Literal::SomeIn { key, collection, .. } = &stmt.literal else { return };
        if self.frames.is_ordered() {
            let named = key.as_deref().is_some_and(|key| !is_wildcard(key));
            self.wrap(collection, if named { "plimsoll__.members" } else { "plimsoll__.values" });
        } else if !is_written_out(collection) {
            self.enclose(collection, "plimsoll__.through");
        }
    }
}

impl Orders<'_> {
    fn guard(&mut self, expr: &Expr) {
        match expr {
            Expr::RefBrack { refr, index, .. } if is_wildcard(index) => self.wrap(refr, "plimsoll__.values"),
            Expr::RefBrack { refr, index, .. } if self.frames.may_go_through(index) => {
                let function = match index.as_ref() {
                    Expr::Array { .. } => "plimsoll__.arrays",
                    Expr::Object { .. } => "plimsoll__.objects",
                    _ => "plimsoll__.members",
                };
                self.wrap(refr, function);
            }
            Expr::Call { fcn, params, .. } if syntax::path(fcn).is_some_and(|path| path.names == ["walk"]) => {
                params.iter().take(1).for_each(|document| self.enclose(document, "plimsoll__.all"));
            }
            _ => {}
        }
    }

    fn wrap(&mut self, collection: &Expr, function: &str) {
        if !self.has_plain_keys(collection) {
            self.enclose(collection, function);
        }
    }

    fn enclose(&mut self, collection: &Expr, function: &str) {
        let Range { start, end } = syntax::range(collection, self.text);
        self.splices.insert(start, start, format!("{function}("));
        self.splices.insert(end, end, ")".into());
    }

    /// What is written as an array, or with names as keys, and packages. (`with` may put anything in the place of data.)
    fn has_plain_keys(&self, collection: &Expr) -> bool {
        match collection {
            Expr::Array { .. } | Expr::ArrayCompr { .. } => return true,
            Expr::Object { fields, .. } => return fields.iter().all(|(_, key, _)| matches!(key.as_ref(), Expr::String { .. })),
            _ => {}
        }
        let Some(path) = syntax::path(collection) else { return false };
        path.constant && path.names.split_first().is_some_and(|(root, below)| root == "data" && self.packages.has_below(below))
    }
}

/// Whether it is a collection at first sight.
fn is_written_out(collection: &Expr) -> bool {
    matches!(
        collection,
        Expr::Array { .. }
            | Expr::Set { .. }
            | Expr::Object { .. }
            | Expr::ArrayCompr { .. }
            | Expr::SetCompr { .. }
            | Expr::ObjectCompr { .. }
    )
}

fn is_wildcard(expr: &Expr) -> bool {
    matches!(expr, Expr::Var { span, .. } if span.text() == "_")
}
