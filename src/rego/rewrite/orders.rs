//! The order of sets, and of objects by their keys, is seen where an array comprehension goes through them; the interpreter has sets
//! before objects, OPA behind. So `[x | some x in c]` is `[x | some x in plimsoll__.values(c)]`: an array in OPA's order where
//! the two differ. What names the keys (`c[k]`, `c[[1, k]]`), or walks, cannot go through an array instead: `plimsoll__.members(c)`,
//! `plimsoll__.arrays(c)` and `plimsoll__.all(c)` are `c`, or end the evaluation where the order would be wrong.
//!
//! A package is gone through as `plimsoll__.order(data.q, …)`: see [`places`].
//!
//! `some x in c` ends the evaluation where `c` is a scalar, which OPA finds nothing in: `some x in plimsoll__.through(c)`.

use std::ops::Range;

use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Tree};

use super::frames::Frames;
use super::wholes;
use crate::rego::plain::Packages;
use crate::rego::splice::{Spliced, Splices};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

mod places;

use places::Places;

/// Guards what array comprehensions of a module go through, whose names are written out.
pub(in crate::rego) fn name(text: &str, tree: &Tree, packages: &Packages) -> Spliced {
    let places = Places::of(text, tree, packages);
    let mut orders = Orders { text, packages, places, frames: Frames::of(tree, packages), splices: Splices::default() };
    for rule in &tree.policy {
        orders.frames.rule(rule);
        walk::rule(rule, &mut orders);
    }
    orders.splices.apply(text)
}

struct Orders<'t> {
    text: &'t str,
    packages: &'t Packages,
    places: Places<'t>,
    frames: Frames,
    splices: Splices,
}

impl Visitor for Orders<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        self.places.see(expr);
        self.pass(expr);
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
        self.replacements(stmt);
        if let Literal::Every { key, value, .. } = &stmt.literal {
            key.iter().chain([value]).for_each(|name| self.frames.bind(name.text()));
        }
        let Literal::SomeIn { key, collection, .. } = &stmt.literal else { return };
        if self.frames.is_ordered() {
            let named = key.as_deref().is_some_and(|key| !is_wildcard(key));
            self.members(collection, collection, named);
        } else if !is_written_out(collection) {
            self.enclose(collection, "plimsoll__.through");
        }
    }
}

impl Orders<'_> {
    /// Finds array comprehensions of which nobody sees the order: all members of them, and of those inside them, are gone through,
    /// as in what is written for heads; or they are counted.
    fn pass(&mut self, expr: &Expr) {
        let (mut list, mut levels) = (expr, 0_usize);
        while let Expr::RefBrack { refr, index, .. } = list
            && is_wildcard(index)
        {
            (list, levels) = (refr, levels.saturating_add(1));
        }
        if let Expr::Call { fcn, params, .. } = expr
            && syntax::path(fcn).is_some_and(|path| path.names == ["count"])
            && let [counted] = params.as_slice()
        {
            self.frames.count(counted);
        }
        while let Expr::ArrayCompr { term, .. } = list
            && levels > 0
        {
            self.frames.pass(list);
            (list, levels) = (term, levels.saturating_sub(1));
        }
    }

    fn guard(&mut self, expr: &Expr) {
        match expr {
            Expr::RefBrack { refr, index, .. } if is_wildcard(index) => {
                self.members(expr, refr, false);
            }
            Expr::RefBrack { refr, index, .. } if self.frames.may_go_through(index) => {
                if !matches!(index.as_ref(), Expr::Array { .. } | Expr::Object { .. }) && self.package(expr, refr, true) {
                    return;
                }
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

    /// Goes through a collection, by keys that are named or not.
    fn members(&mut self, read: &Expr, collection: &Expr, named: bool) {
        if !self.package(read, collection, named) {
            self.wrap(collection, if named { "plimsoll__.members" } else { "plimsoll__.values" });
        }
    }

    /// Goes through what may be a package in OPA's order, for what is read of each member.
    fn package(&mut self, read: &Expr, collection: &Expr, named: bool) -> bool {
        let Some(operands) = self.places.operands(read, collection, named) else { return false };
        let Range { start, end } = syntax::range(collection, self.text);
        self.splices.insert(start, start, "plimsoll__.order(".to_owned());
        self.splices.insert(end, end, format!(", {operands})"));
        true
    }

    /// Has each `with` that replaces a part of `data` say so.
    fn replacements(&mut self, stmt: &LiteralStmt) {
        for with in &stmt.with_mods {
            let Some(path) = syntax::path(&with.refr).filter(|path| path.constant) else { continue };
            if let Some((root, below)) = path.names.split_first()
                && root == "data"
                && self.packages.arguments(below).is_none()
            {
                let end = syntax::closed(with.span.end, self.text);
                self.splices.insert(end, end, wholes::marker(below));
            }
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

    /// What is written as an array, or with names as keys.
    fn has_plain_keys(&self, collection: &Expr) -> bool {
        match collection {
            Expr::Array { .. } | Expr::ArrayCompr { .. } => true,
            Expr::Object { fields, .. } => fields.iter().all(|(_, key, _)| matches!(key.as_ref(), Expr::String { .. })),
            _ => false,
        }
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
