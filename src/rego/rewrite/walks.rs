//! `[path, value] := walk(x)` is `walk(x, [path, value])`: the interpreter gives all results of `walk` only to the second form.

use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Tree};

use crate::rego::splice::{Spliced, Splices};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Writes assignments of `walk` so; nothing if there are none.
pub(super) fn name(text: &str, tree: &Tree) -> Option<Spliced> {
    let mut walks = Walks { text, splices: Splices::default(), found: false };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut walks));
    walks.found.then(|| walks.splices.apply(text))
}

struct Walks<'t> {
    text: &'t str,
    splices: Splices,
    found: bool,
}

impl Visitor for Walks<'_> {
    fn expr(&mut self, _: &Expr) -> bool {
        true
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        if let Literal::Expr { expr, .. } = &stmt.literal
            && let Expr::AssignExpr { lhs, rhs, .. } = expr.as_ref()
        {
            self.assignment(expr, lhs, rhs);
        }
    }
}

impl Walks<'_> {
    fn assignment(&mut self, whole: &Expr, lhs: &Expr, rhs: &Expr) -> Option<()> {
        let Expr::Call { span, fcn, params, .. } = rhs else { return None };
        let place = |offset: u32| usize::try_from(offset).ok();
        let (start, end, close) = (place(whole.span().start)?, place(span.start)?, place(span.end)?.checked_sub(1)?);
        let output = self.text.get(place(lhs.span().start)?..place(lhs.span().end)?)?;
        let called =
            matches!(lhs, Expr::Array { .. } | Expr::Var { .. }) && syntax::path(fcn)?.names == ["walk"] && params.len() == 1;
        // Line breaks between would move what follows.
        if !called || self.text.get(close..)?.chars().next()? != ')' || self.text.get(start..end)?.contains('\n') {
            return None;
        }
        self.splices.insert(start, end, String::new());
        self.splices.insert(close, close, format!(", {output}"));
        self.found = true;
        Some(())
    }
}
