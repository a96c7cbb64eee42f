//! `x = input.num[x]`: one side of a `=` gives a variable its value, the other side goes through something by it. The interpreter takes that
//! for unsafe, or, where `some` declares the variable, for never true. Here it is `equation0 := input.num[x]; x = equation0`.

use std::collections::BTreeSet;
use std::ops::Range;

use anyhow::Result;
use regorus::unstable::{AssignOp, Expr, Literal, LiteralStmt, Module as Tree};

use super::bare::bare;
use super::negation::{global, prefix};
use crate::rego::parse::balanced;
use crate::rego::plain::{Indexes, pattern};
use crate::rego::splice::{Spliced, Splices, place};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

const MESSAGE: &str = "both sides of this `=` give variables their values that the other side goes through: write two statements";

/// Writes such equations as two statements; nothing if there is none. An error is one that cannot be written so.
pub(super) fn split(text: &str, tree: &Tree, rules: &BTreeSet<String>) -> Result<Option<Spliced>> {
    let mut equations = Equations { text, global: global(tree, rules), found: Vec::new(), refusal: None };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut equations));
    if let Some(refusal) = equations.refusal {
        return Err(refusal);
    }
    if equations.found.is_empty() {
        return Ok(None);
    }
    let (bare, prefix, mut splices) = (bare(text), prefix(text, "equation"), Splices::default());
    for (count, found) in equations.found.iter().enumerate() {
        let (open, close) = if bare.contains(&found.whole.start) { ("{ ", " }") } else { ("", "") };
        let statements = found.statements(text, &format!("{prefix}{count}"));
        splices.insert(found.whole.start, found.whole.end, format!("{open}{statements}{close}"));
    }
    Ok(Some(splices.apply(text)))
}

struct Equations<'t> {
    text: &'t str,
    global: BTreeSet<String>,
    found: Vec<Equation>,
    refusal: Option<anyhow::Error>,
}

/// A statement, what goes through something in it, what gets a value by that, and what is replaced meanwhile.
struct Equation {
    whole: Range<usize>,
    reads: Range<usize>,
    gives: Range<usize>,
    with: Range<usize>,
}

impl Equation {
    /// With the line breaks of the text: rows behind stay what they are.
    fn statements(&self, text: &str, name: &str) -> String {
        let part = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default().trim_matches([' ', '\t']);
        let with = syntax::flat(part(&self.with));
        format!("{name} := {} {}; {} = {name} {with}", part(&self.reads), part(&self.with), part(&self.gives))
    }
}

impl Visitor for Equations<'_> {
    fn expr(&mut self, _: &Expr) -> bool {
        self.refusal.is_none()
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        let Literal::Expr { expr, .. } = &stmt.literal else { return };
        let Expr::AssignExpr { span, op: AssignOp::Eq, lhs, rhs, .. } = expr.as_ref() else { return };
        let sides = (self.goes_through(lhs, rhs), self.goes_through(rhs, lhs));
        // One inside another is seen once that one is written out.
        let is_inside = self.found.last().is_some_and(|found| place(stmt.span.start) < found.whole.end);
        if sides == (false, false) || is_inside {
            return;
        }
        match self.equation(stmt, lhs, sides) {
            Some(equation) => self.found.push(equation),
            None => self.refusal = Some(span.error(MESSAGE)),
        }
    }
}

impl Equations<'_> {
    /// Whether one side goes through something by a variable that the other one gives its value.
    fn goes_through(&self, reads: &Expr, gives: &Expr) -> bool {
        let (mut given, mut indexes) = (BTreeSet::new(), Indexes::default());
        pattern(gives, &mut given);
        given.retain(|name| !self.global.contains(name));
        if given.is_empty() {
            return false;
        }
        walk::expr(reads, &mut indexes);
        !given.is_disjoint(&indexes.0)
    }

    /// Nothing if both sides do, or if parentheses hold them together.
    fn equation(&self, stmt: &LiteralStmt, lhs: &Expr, sides: (bool, bool)) -> Option<Equation> {
        let whole = syntax::opened(stmt.span.start, self.text)..syntax::closed(stmt.span.end, self.text);
        let operator = syntax::behind(self.text, syntax::range(lhs, self.text).end, "=")?;
        let with = stmt.with_mods.first().map_or(whole.end, |with| place(with.span.start));
        let (left, right) = (whole.start..operator, operator.checked_add(1)?..with);
        let whole_sides = [&left, &right].into_iter().all(|side| self.text.get(side.clone()).is_some_and(balanced));
        let (reads, gives) = match sides {
            (true, false) => (left, right),
            (false, true) => (right, left),
            _ => return None,
        };
        whole_sides.then_some(Equation { with: with..whole.end, whole, reads, gives })
    }
}

#[cfg(test)]
mod tests {
    use crate::rego::{Module, Program, RegoVersion};

    #[test]
    fn what_cannot_be_written_as_two_statements_is_refused() {
        for (body, place) in [
            ("[x, input.b[y]] = [input.num[x], y]", Some("n.rego:3:35")),
            ("(x = input.num[x])", Some("n.rego:3:22")),
            ("(x) = (input.num[x])", None),
            ("x = input.num[x] with input as {\"num\": {\n\t\"a\": \"a\"}}", None),
        ] {
            let text = format!("package n\n\nr contains x if {{ {body} }}\n");
            let compiled = Program::compile(&[Module { key: "n.rego".into(), text }], RegoVersion::V1);
            let found = compiled.err().map(|errors| errors.iter().map(|error| error.location.to_string()).collect::<String>());
            assert_eq!(found.as_deref(), place, "{body}");
        }
    }
}
