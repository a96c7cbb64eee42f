//! `walk(x)` is `[w | walk(x, w)][_]`: the interpreter gives all results of `walk` only to an output. `[path, value] := walk(x)` is not
//! written `walk(x, [path, value])`, which would not declare its variables: they may have the names of rules, imports, or variables around.

use regorus::unstable::{Expr, Module as Tree};

use super::negation::prefix;
use crate::rego::splice::{Spliced, Splices, place};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Writes calls of `walk` so; nothing if there are none.
pub(super) fn name(text: &str, tree: &Tree) -> Option<Spliced> {
    let mut walks = Walks { text, prefix: prefix(text, "walked"), count: 0, splices: Splices::default() };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut walks));
    (!walks.splices.is_empty()).then(|| walks.splices.apply(text))
}

struct Walks<'t> {
    text: &'t str,
    /// No name of the module begins so.
    prefix: String,
    count: usize,
    splices: Splices,
}

impl Visitor for Walks<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        if is_value(expr) {
            self.value(expr);
        }
        true
    }
}

/// Whether an expression is a call of `walk` for its results.
fn is_value(expr: &Expr) -> bool {
    let Expr::Call { fcn, params, .. } = expr else { return false };
    params.len() == 1 && syntax::path(fcn).is_some_and(|path| path.names == ["walk"])
}

impl Walks<'_> {
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
