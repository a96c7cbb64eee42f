//! `[path, value] := walk(x)` is `walk(x, [path, value])`: the interpreter gives all results of `walk` only to the second form. Any
//! other `walk(x)` is `[w | walk(x, w)][_]`.

use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Tree};

use super::negation::prefix;
use crate::rego::splice::{Spliced, Splices, place};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Writes calls of `walk` so; nothing if there are none.
pub(super) fn name(text: &str, tree: &Tree) -> Option<Spliced> {
    let mut walks = Walks { text, prefix: prefix(text, "walked"), count: 0, assigned: None, splices: Splices::default() };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut walks));
    (!walks.splices.is_empty()).then(|| walks.splices.apply(text))
}

struct Walks<'t> {
    text: &'t str,
    /// No name of the module begins so.
    prefix: String,
    count: usize,
    /// Where the call begins that is written already.
    assigned: Option<u32>,
    splices: Splices,
}

impl Visitor for Walks<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        if let Expr::Call { span, .. } = expr
            && is_value(expr)
            && self.assigned != Some(span.start)
        {
            self.value(expr);
        }
        true
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        if let Literal::Expr { expr, .. } = &stmt.literal
            && let Expr::AssignExpr { lhs, rhs, .. } = expr.as_ref()
            && is_value(rhs)
            && self.assignment(expr, lhs, rhs).is_some()
        {
            self.assigned = Some(rhs.span().start);
        }
    }
}

/// Whether an expression is a call of `walk` for its results.
fn is_value(expr: &Expr) -> bool {
    let Expr::Call { fcn, params, .. } = expr else { return false };
    params.len() == 1 && syntax::path(fcn).is_some_and(|path| path.names == ["walk"])
}

impl Walks<'_> {
    fn assignment(&mut self, whole: &Expr, lhs: &Expr, rhs: &Expr) -> Option<()> {
        let (start, end, operand) = (place(whole.span().start), place(rhs.span().start), self.behind(rhs)?);
        let output = self.text.get(place(lhs.span().start)..place(lhs.span().end))?;
        // Line breaks between would move what follows.
        if !matches!(lhs, Expr::Array { .. } | Expr::Var { .. }) || self.text.get(start..end)?.contains('\n') {
            return None;
        }
        self.splices.insert(start, end, String::new());
        self.splices.insert(operand.0, operand.1, format!("{}, {output})", operand.2));
        Some(())
    }

    fn value(&mut self, call: &Expr) -> Option<()> {
        let (start, operand) = (place(call.span().start), self.behind(call)?);
        let name = format!("{}{}", self.prefix, self.count);
        self.count = self.count.checked_add(1)?;
        self.splices.insert(start, start, format!("[{name} | "));
        self.splices.insert(operand.0, operand.1, format!("{}, {name})][_]", operand.2));
        Some(())
    }

    /// What stands behind the operand of a call, up to its end, and what stays of it: neither a comma nor a comment.
    fn behind(&self, call: &Expr) -> Option<(usize, usize, String)> {
        let Expr::Call { params, span, .. } = call else { return None };
        let (start, end) = (syntax::range(params.first()?, self.text).end, place(span.end));
        let gap = self.text.get(start..end)?.strip_suffix(')')?;
        let kept = syntax::flat(gap).replace(',', "");
        Some((start, end, format!("{kept}{}", "\n".repeat(gap.matches('\n').count()))))
    }
}
