//! Terms of comprehensions that go through something: the interpreter ends the evaluation where that is undefined for one binding of
//! the body, `[c.zones[_] | some c in clusters]` when one cluster has no zones. In the body it does it right, so the term
//! becomes a statement there: `[t | t := [[x | x := c.zones[_]] | some c in clusters][_][_]]`. All stays where it is in the text, but
//! where the body has the variables too that it goes through by: `[c.z[i] | some i; some c in cs]` is `[t | some i; some c in cs; t := c.z[i]]`.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Module as Tree, Query};

use super::frames::Frames;
use super::negation::prefix;
use crate::rego::plain::{Packages, pattern};
use crate::rego::splice::{Spliced, Splices, place};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Writes the terms of a module so that go through something; its names are written out.
pub(in crate::rego) fn name(text: &str, tree: &Tree, packages: &Packages) -> Spliced {
    let prefix = prefix(text, "term");
    let mut terms = Terms { text, prefix, count: 0, frames: Frames::of(tree, packages), splices: Splices::default() };
    for rule in &tree.policy {
        terms.frames.rule(rule);
        walk::rule(rule, &mut terms);
    }
    terms.splices.apply(text)
}

struct Terms<'t> {
    text: &'t str,
    /// No name of the module begins so.
    prefix: String,
    count: usize,
    frames: Frames,
    splices: Splices,
}

impl Visitor for Terms<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        self.frames.enter(expr);
        match expr {
            Expr::ArrayCompr { term, query, .. } | Expr::SetCompr { term, query, .. } => self.comprehension(expr, &[term], query),
            Expr::ObjectCompr { key, value, query, .. } => self.comprehension(expr, &[key, value], query),
            _ => None,
        };
        true
    }

    fn leave(&mut self) {
        self.frames.leave();
    }
}

impl Terms<'_> {
    /// `terms` are the term, or key and value.
    fn comprehension(&mut self, whole: &Expr, terms: &[&Expr], query: &Query) -> Option<()> {
        let mut by = BTreeSet::new();
        let through: Vec<_> = terms.iter().filter(|term| goes_through(term, &self.frames, &mut by)).collect();
        if through.is_empty() {
            return None;
        }
        if walk::mentions(query, &by) {
            return self.behind(whole, terms);
        }
        let place = |offset: u32| usize::try_from(offset).ok();
        let inside = place(whole.span().start)?.checked_add(1)?..place(whole.span().end)?.checked_sub(1)?;
        let behind = |term: &Expr, token: &str| syntax::behind(self.text, syntax::range(term, self.text).end, token);
        let bar = behind(terms.last()?, "|")?;
        let (outer, inner) = (format!("{}{}", self.prefix, self.count), format!("{}{}in", self.prefix, self.count));
        match terms {
            [_] => self.splices.insert(inside.start, inside.start, format!("{outer} | {outer} := [[{inner} | {inner} := ")),
            [key, _] => {
                let colon = behind(key, ":")?;
                let opening = format!("{outer}k: {outer} | [{outer}k, {outer}] := [[[{inner}k, {inner}] | {inner}k := ");
                self.splices.insert(inside.start, inside.start, opening);
                self.splices.insert(colon, colon.checked_add(1)?, format!("; {inner} := "));
            }
            _ => return None,
        }
        self.splices.insert(bar, bar, "] ".into());
        self.splices.insert(inside.end, inside.end, "][_][_]".into());
        self.count = self.count.checked_add(1)?;
        Some(())
    }
}

impl Terms<'_> {
    /// Writes terms as statements behind the body.
    fn behind(&mut self, whole: &Expr, terms: &[&Expr]) -> Option<()> {
        let end = place(whole.span().end).checked_sub(1)?;
        // Nothing would look at a comprehension inside.
        if terms.iter().any(|term| walk::has_comprehension(term)) {
            return None;
        }
        for term in terms {
            let (name, range) = (format!("{}{}", self.prefix, self.count), syntax::range(term, self.text));
            let written = self.text.get(range.clone())?;
            let breaks = written.matches('\n').count();
            self.splices.insert(range.start, range.end, format!("{}{name}", "\n".repeat(breaks)));
            self.splices.insert(end, end, format!("; {name} := {}", syntax::flat(written)));
            self.count = self.count.checked_add(1)?;
        }
        Some(())
    }
}

/// Whether a reference in an expression, outside comprehensions in it, goes through something; and by which variables.
fn goes_through(expr: &Expr, frames: &Frames, by: &mut BTreeSet<String>) -> bool {
    let mut search = Search { frames, by, found: false };
    walk::expr(expr, &mut search);
    search.found
}

struct Search<'f, 'b> {
    frames: &'f Frames,
    by: &'b mut BTreeSet<String>,
    found: bool,
}

impl Visitor for Search<'_, '_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::ArrayCompr { .. } | Expr::SetCompr { .. } | Expr::ObjectCompr { .. } => return false,
            Expr::RefBrack { index, .. } if self.frames.may_go_through(index) => {
                self.found = true;
                let mut names = BTreeSet::new();
                pattern(index, &mut names);
                self.by.extend(names);
            }
            _ => {}
        }
        true
    }
}
