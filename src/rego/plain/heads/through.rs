//! Variables that references in a head go through by, and that the body has without binding them: `x[i] := data.list[i] if i > 0`,
//! `x[n] := data.clusters[n].zone if some n`. What the body says of them means what the head goes through.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Literal, Query, Ref};

use crate::rego::plain::scope::{assigned, pattern};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Whether there are such variables; `args` are those of a function.
pub(super) fn the_head(args: &[Ref<Expr>], parts: &[&Expr], query: &Query) -> bool {
    let mut names = Indexes::default();
    parts.iter().for_each(|part| walk::expr(part, &mut names));
    let mut bound = Indexes(assigned(query));
    args.iter().for_each(|arg| pattern(arg, &mut bound.0));
    for stmt in &query.stmts {
        match &stmt.literal {
            Literal::Expr { expr, .. } => walk::expr(expr, &mut bound),
            Literal::SomeIn { collection, .. } => walk::expr(collection, &mut bound),
            Literal::Every { domain, .. } => walk::expr(domain, &mut bound),
            Literal::NotExpr { .. } | Literal::SomeVars { .. } => {}
        }
    }
    let open: BTreeSet<_> = names.0.difference(&bound.0).cloned().collect();
    walk::mentions(query, &open)
}

/// Variables in the brackets of references, outside comprehensions.
#[derive(Default)]
pub(in crate::rego) struct Indexes(pub(in crate::rego) BTreeSet<String>);

impl Visitor for Indexes {
    fn expr(&mut self, expr: &Expr) -> bool {
        if let Expr::RefBrack { index, .. } = expr {
            pattern(index, &mut self.0);
        }
        !syntax::is_comprehension(expr)
    }
}
