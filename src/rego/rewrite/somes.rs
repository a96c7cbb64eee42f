//! `some i` behind an expression that goes through something: the interpreter declares the variable again for each element, and ends the
//! evaluation at the second one. The variable is that of the whole body, and is not used before (`var i referenced above`), so `c :=
//! cs[_]; some i; c.z[i]` is `some i; c := cs[_]; true; c.z[i]`.

use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Tree, Query};

use crate::rego::splice::{Spliced, Splices};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Writes such declarations at the beginnings of the bodies of a module; nothing if there are none.
pub(super) fn first(text: &str, tree: &Tree) -> Option<Spliced> {
    let mut somes = Somes { text, splices: Splices::default() };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut somes));
    (!somes.splices.is_empty()).then(|| somes.splices.apply(text))
}

struct Somes<'t> {
    text: &'t str,
    splices: Splices,
}

impl Visitor for Somes<'_> {
    fn expr(&mut self, _: &Expr) -> bool {
        true
    }

    fn body(&mut self, query: &Query) {
        let Some(first) = query.stmts.first() else { return };
        let late: Vec<_> =
            query.stmts.iter().skip_while(|stmt| declared(stmt).is_some()).filter(|stmt| declared(stmt).is_some()).collect();
        if late.is_empty() {
            return;
        }
        let names = late.iter().filter_map(|stmt| declared(stmt)).flatten().collect::<Vec<_>>().join(", ");
        let start = syntax::opened(first.span.start, self.text);
        self.splices.insert(start, start, format!("some {names}; "));
        for stmt in late {
            let range = syntax::opened(stmt.span.start, self.text)..syntax::closed(stmt.span.end, self.text);
            let breaks = self.text.get(range.clone()).map_or(0, |text| text.matches('\n').count());
            self.splices.insert(range.start, range.end, format!("true{}", "\n".repeat(breaks)));
        }
    }
}

/// The variables of a `some` without `in`.
fn declared(stmt: &LiteralStmt) -> Option<Vec<&str>> {
    match &stmt.literal {
        Literal::SomeVars { vars, .. } => Some(vars.iter().map(|var| var.text()).collect()),
        _ => None,
    }
}
