//! `some x in xs with input as y`: the interpreter evaluates what follows under the replacement too, OPA only `xs`. So that is
//! `c := xs with input as y; some x in c`.

use regorus::unstable::{Literal, LiteralStmt, Module as Tree};

use super::bare::bare;
use super::negation::prefix;
use crate::rego::splice::{Spliced, Splices, place};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Writes what is gone through under replacements as statements; nothing if there is none.
pub(super) fn name(text: &str, tree: &Tree) -> Option<Spliced> {
    let mut collections = Collections { text, prefix: prefix(text, "collection"), found: Vec::new() };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut collections));
    let (found, prefix) = (collections.found, collections.prefix);
    if found.is_empty() {
        return None;
    }
    let (bare, mut splices) = (bare(text), Splices::default());
    for (count, Found { start, collection, end }) in found.into_iter().enumerate() {
        let (open, close) = if bare.contains(&start) { ("{ ", " }") } else { ("", "") };
        let written = text.get(collection.start..end).unwrap_or_default();
        // With its line breaks: they may separate statements of a comprehension, and rows behind stay what they are.
        splices.insert(start, start, format!("{open}{prefix}{count} := {written}; "));
        splices.insert(collection.start, end, format!("{prefix}{count}{close}"));
    }
    Some(splices.apply(text))
}

struct Collections<'t> {
    text: &'t str,
    /// No name of the module begins so.
    prefix: String,
    found: Vec<Found>,
}

/// A statement: where it begins, what it goes through, and where its replacements end.
struct Found {
    start: usize,
    collection: std::ops::Range<usize>,
    end: usize,
}

impl Visitor for Collections<'_> {
    fn expr(&mut self, _: &regorus::unstable::Expr) -> bool {
        true
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        let Literal::SomeIn { collection, .. } = &stmt.literal else { return };
        let start = place(stmt.span.start);
        // One inside another is seen once that one is written out.
        let is_inside = self.found.last().is_some_and(|found| start < found.end);
        if !stmt.with_mods.is_empty() && !is_inside {
            let (collection, end) = (syntax::range(collection, self.text), syntax::closed(stmt.span.end, self.text));
            self.found.push(Found { start, collection, end });
        }
    }
}
