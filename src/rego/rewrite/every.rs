//! The variables of `every` are local variables of its body that have a value. The interpreter gives them one only when it runs, and
//! so binds them anew in `r = "dev"`, and goes through a collection by them in `bad[r]`: both hold for any element. Here
//! `every r in xs { body }` is `every each0 in xs { r := each0; body }`, where `r` is like any other local variable.

use std::ops::Range;

use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Tree, Span};

use super::negation::prefix;
use crate::rego::splice::{Spliced, Splices, place};
use crate::rego::walk::{self, Visitor};

/// Writes the variables of every `every` so; nothing if there is none.
pub(super) fn declare(text: &str, tree: &Tree) -> Option<Spliced> {
    let mut declarer = Declarer { prefix: prefix(text, "each"), count: 0, splices: Splices::default() };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut declarer));
    (!declarer.splices.is_empty()).then(|| declarer.splices.apply(text))
}

struct Declarer {
    /// No name of the module begins so.
    prefix: String,
    count: usize,
    splices: Splices,
}

impl Visitor for Declarer {
    fn expr(&mut self, _: &Expr) -> bool {
        true
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        let Literal::Every { key, value, query, .. } = &stmt.literal else { return };
        let declarations: String = key.iter().chain([value]).filter_map(|variable| self.declaration(variable)).collect();
        // The span of a body begins with its brace.
        let body = place(query.span.start).saturating_add(1);
        if !declarations.is_empty() {
            self.splices.insert(body, body, declarations);
        }
    }
}

impl Declarer {
    /// The beginning of the body that gives a variable its value; what is not named needs none.
    fn declaration(&mut self, variable: &Span) -> Option<String> {
        let name = variable.text();
        if name == "_" {
            return None;
        }
        let fresh = format!("{}{}", self.prefix, self.count);
        self.count = self.count.saturating_add(1);
        let Range { start, end } = place(variable.start)..place(variable.end);
        self.splices.insert(start, end, fresh.clone());
        Some(format!(" {name} := {fresh};"))
    }
}
