//! `some x` behind another statement: where that has several results, the interpreter comes by again, finds `x` declared already
//! and ends the evaluation. Names are written out by then, each is of one declaration, and what is not declared is a variable
//! of the body it stands in: the declaration has done what it is for.

use regorus::unstable::{Literal, Module as Tree, Query};

use super::super::splice::{Spliced, Splices, place};
use super::super::walk::{self, Visitor};

/// Takes such declarations away; for a text whose names are written out.
pub(super) fn drop(text: &str, tree: &Tree) -> Spliced {
    let mut dropped = Dropped(Splices::default());
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut dropped));
    dropped.0.apply(text)
}

struct Dropped(Splices);

impl Visitor for Dropped {
    fn expr(&mut self, _: &regorus::unstable::Expr) -> bool {
        true
    }

    fn body(&mut self, query: &Query) {
        let is_declaration = |literal: &Literal| matches!(literal, Literal::SomeVars { .. });
        for stmt in query.stmts.iter().skip_while(|stmt| is_declaration(&stmt.literal)) {
            if let Literal::SomeVars { span, .. } = &stmt.literal {
                self.0.insert(place(span.start), place(span.end), "true".into());
            }
        }
    }
}
