//! With `import future.keywords`, or `future.keywords.not`, what is negated is a body of its own: arguments are evaluated inside the
//! negation, and `not startswith(c.l, "t")` holds where `c.l` is undefined (opa `v1/ast/compile.go`, `rewriteDynamicsNotExpr`; values of
//! `with` stay outside). Here `not x` is `[1 | x] == []` in such modules, so that what later steps put before a statement stays inside.

use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Tree};

use crate::rego::splice::{Spliced, Splices, place};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Writes the negations of a module so; nothing if there are none.
pub(super) fn write_out(text: &str, tree: &Tree) -> Option<Spliced> {
    let mut closer = Closer { text, splices: Splices::default() };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut closer));
    (!closer.splices.is_empty()).then(|| closer.splices.apply(text))
}

struct Closer<'t> {
    text: &'t str,
    splices: Splices,
}

impl Visitor for Closer<'_> {
    fn expr(&mut self, _: &Expr) -> bool {
        true
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        let Literal::NotExpr { span, .. } = &stmt.literal else { return };
        let (start, end) = (place(span.start), syntax::closed(span.end, self.text));
        self.splices.insert(start, start.saturating_add("not".len()), "[1 |".into());
        self.splices.insert(end, end, "] == []".into());
    }
}
