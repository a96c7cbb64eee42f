//! `msg = {"at": n, "item": xs[n]}`: a variable that gets its value in the same expression that reads it. The interpreter refuses to plan
//! that, but knows the variable once a statement before gives it its value: `indexed0 = xs[n]; msg = {"at": n, "item": xs[n]}`.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Tree};

use super::bare::bare;
use super::frames::Frames;
use super::negation::prefix;
use crate::rego::plain::{Packages, pattern};
use crate::rego::splice::{Spliced, Splices};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Writes such statements so; nothing if there are none.
pub(super) fn name(text: &str, tree: &Tree, packages: &Packages) -> Option<Spliced> {
    let (frames, bare) = (Frames::of(tree, packages), bare(text));
    let prefix = prefix(text, "indexed");
    let mut indexed = Indexed { text, frames, bare, prefix, count: 0, splices: Splices::default() };
    for rule in &tree.policy {
        indexed.frames.rule(rule);
        walk::rule(rule, &mut indexed);
    }
    (!indexed.splices.is_empty()).then(|| indexed.splices.apply(text))
}

struct Indexed<'t> {
    text: &'t str,
    frames: Frames,
    /// Where statements without braces begin.
    bare: BTreeSet<usize>,
    /// No name of the module begins so.
    prefix: String,
    count: usize,
    splices: Splices,
}

impl Visitor for Indexed<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        self.frames.enter(expr);
        true
    }

    fn leave(&mut self) {
        self.frames.leave();
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        let Literal::Expr { expr, .. } = &stmt.literal else { return };
        let Expr::AssignExpr { lhs, rhs, .. } = &**expr else { return };
        let mut found = Vec::new();
        [lhs, rhs].into_iter().for_each(|side| self.side(side, &mut found));
        if found.is_empty() || !stmt.with_mods.is_empty() {
            return;
        }
        let (start, end) = (syntax::opened(stmt.span.start, self.text), syntax::closed(stmt.span.end, self.text));
        let (open, close) = if self.bare.contains(&start) { ("{ ", " }") } else { ("", "") };
        let mut before = open.to_owned();
        for reference in found {
            before.push_str(&format!("{}{} = {reference}; ", self.prefix, self.count));
            self.count = self.count.saturating_add(1);
        }
        self.splices.insert(start, start, before);
        self.splices.insert(end, end, close.to_owned());
    }
}

impl Indexed<'_> {
    /// References in an array or object by variables that are members of it too.
    fn side(&self, side: &Expr, found: &mut Vec<String>) {
        if matches!(side, Expr::Array { .. } | Expr::Object { .. }) {
            let mut names = BTreeSet::new();
            pattern(side, &mut names);
            self.members(side, &names, found);
        }
    }

    fn members(&self, member: &Expr, names: &BTreeSet<String>, found: &mut Vec<String>) {
        match member {
            Expr::Array { items, .. } => items.iter().for_each(|item| self.members(item, names, found)),
            Expr::Object { fields, .. } => fields.iter().for_each(|(_, _, value)| self.members(value, names, found)),
            Expr::RefDot { .. } | Expr::RefBrack { .. } if self.is_by(member, names) => {
                found.extend(self.text.get(syntax::range(member, self.text)).map(syntax::flat));
            }
            _ => {}
        }
    }

    /// Whether a reference of names and variables goes through something by one of some variables.
    fn is_by(&self, reference: &Expr, names: &BTreeSet<String>) -> bool {
        let (mut rest, mut is_by) = (reference, false);
        loop {
            match rest {
                Expr::RefDot { refr, .. } => rest = refr,
                Expr::RefBrack { refr, index, .. } => {
                    is_by |= matches!(&**index, Expr::Var { span, .. } if names.contains(span.text()))
                        && self.frames.may_go_through(index);
                    rest = refr;
                }
                _ => return is_by && matches!(rest, Expr::Var { .. }),
            }
        }
    }
}
