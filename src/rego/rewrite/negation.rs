//! Under `not`, OPA's compiler evaluates the arguments of a call before the negation: `not startswith(c.l.m, "t")` is
//! `x := c.l.m; not startswith(x, "t")`, hence undefined, not true, when `c.l.m` is. The interpreter evaluates them inside
//! and so lets in what OPA keeps out. Here they are written out as OPA does (opa `v1/ast/compile.go`, `rewriteDynamics`).
//!
//! Only a reference that is itself negated, or is an operand of `==` or `=`, stays inside; what stands in its brackets does not.

use std::collections::BTreeSet;
use std::ops::Range;

use regorus::unstable::{AssignOp, BoolOp, Expr, Literal, LiteralStmt, Module as Tree};

use super::super::fresh;
use super::super::splice::{Spliced, Splices, place};
use super::super::syntax;
use super::super::walk::{self, Visitor};
use super::bare::bare;
use crate::rego::parse::Tokens;

/// The beginning of names that the module does not have.
pub(super) fn prefix(text: &str, word: &str) -> String {
    fresh::unused(word, std::iter::once(text))
}

/// Lifts what is to be lifted of the outermost negations; nothing if there is none. `pass` keeps names apart.
pub(super) fn lift(text: &str, tree: &Tree, rules: &BTreeSet<String>, prefix: &str, pass: usize) -> Option<Spliced> {
    let mut lifter = Lifter {
        text,
        global: global(tree, rules),
        prefix,
        pass,
        count: 0,
        splices: Splices::default(),
        bare: bare(text),
        covered: 0,
    };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut lifter));
    (lifter.count > 0).then(|| lifter.splices.apply(text))
}

/// Names that are not local variables: rules of the package and import aliases. They may be undefined.
pub(super) fn global(tree: &Tree, rules: &BTreeSet<String>) -> BTreeSet<String> {
    let imported = tree.imports.iter().filter_map(syntax::import).map(|(name, _)| name);
    rules.iter().cloned().chain(imported).chain(["input".into(), "data".into()]).collect()
}

struct Lifter<'t> {
    text: &'t str,
    global: BTreeSet<String>,
    prefix: &'t str,
    pass: usize,
    count: usize,
    splices: Splices,
    /// Where statements without braces begin.
    bare: BTreeSet<usize>,
    /// Up to here the text is being replaced in this pass.
    covered: usize,
}

/// Ranges of the text that are lifted, and the variables that take their place.
type Parts = Vec<(Range<usize>, String)>;

impl Visitor for Lifter<'_> {
    fn expr(&mut self, _: &Expr) -> bool {
        true
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        let Literal::NotExpr { span, expr } = &stmt.literal else { return };
        let (start, end) = (place(stmt.span.start), syntax::closed(stmt.span.end, self.text));
        if start < self.covered {
            return;
        }
        let mut parts = Vec::new();
        self.negated(expr, &mut parts);
        if parts.is_empty() {
            return;
        }
        let with = self.text.get(syntax::closed(span.end, self.text)..end).unwrap_or_default().to_owned();
        let mut before = String::new();
        for (part, name) in parts {
            let value = self.text.get(part.clone()).unwrap_or_default();
            before.push_str(&format!("{name} := {value}{with}; "));
            self.splices.insert(part.start, part.end, name);
        }
        let bare = self.bare.contains(&start);
        self.splices.insert(start, start, format!("{}{before}", if bare { "{ " } else { "" }));
        if bare {
            self.splices.insert(end, end, " }".into());
        }
        self.covered = end;
    }
}

impl Lifter<'_> {
    /// The expression behind `not`.
    fn negated(&mut self, expr: &Expr, parts: &mut Parts) {
        match expr {
            Expr::BoolExpr { op: BoolOp::Eq, lhs, rhs, .. } | Expr::AssignExpr { op: AssignOp::Eq, lhs, rhs, .. } => {
                [lhs, rhs].into_iter().for_each(|operand| self.operand(operand, parts));
            }
            Expr::BoolExpr { lhs, rhs, .. } | Expr::BinExpr { lhs, rhs, .. } | Expr::ArithExpr { lhs, rhs, .. } => {
                [lhs, rhs].into_iter().for_each(|operand| self.whole(operand, parts));
            }
            Expr::Call { params, .. } => params.iter().for_each(|param| self.whole(param, parts)),
            Expr::Membership { key, value, collection, .. } => {
                key.iter().chain([value, collection]).for_each(|operand| self.whole(operand, parts));
            }
            other => self.operand(other, parts),
        }
    }

    /// An operand of an equation: a reference stays, all else is lifted.
    fn operand(&mut self, expr: &Expr, parts: &mut Parts) {
        match expr {
            Expr::RefDot { refr, .. } => self.operand(refr, parts),
            Expr::RefBrack { refr, index, .. } => {
                self.operand(refr, parts);
                self.whole(index, parts);
            }
            Expr::Var { .. } => {}
            other => self.whole(other, parts),
        }
    }

    fn whole(&mut self, expr: &Expr, parts: &mut Parts) {
        if !self.may_be_undefined(expr) {
            return;
        }
        let range = syntax::range(expr, self.text);
        // The parser leaves parentheses around the first or last operand out of the span: then the parts are lifted.
        if balanced(self.text.get(range.clone()).unwrap_or_default()) {
            let name = format!("{}{}_{}", self.prefix, self.pass, self.count);
            self.count = self.count.saturating_add(1);
            parts.push((range, name));
        } else {
            self.negated_parts(expr, parts);
        }
    }

    fn negated_parts(&mut self, expr: &Expr, parts: &mut Parts) {
        match expr {
            Expr::BoolExpr { lhs, rhs, .. } | Expr::BinExpr { lhs, rhs, .. } | Expr::ArithExpr { lhs, rhs, .. } => {
                [lhs, rhs].into_iter().for_each(|operand| self.whole(operand, parts));
            }
            Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().for_each(|item| self.whole(item, parts)),
            Expr::Object { fields, .. } => {
                fields.iter().flat_map(|(_, key, value)| [key, value]).for_each(|part| self.whole(part, parts));
            }
            other => self.negated(other, parts),
        }
    }

    fn may_be_undefined(&self, expr: &Expr) -> bool {
        match expr {
            Expr::String { .. } | Expr::RawString { .. } | Expr::Number { .. } | Expr::Bool { .. } | Expr::Null { .. } => false,
            Expr::ArrayCompr { .. } | Expr::SetCompr { .. } | Expr::ObjectCompr { .. } => false,
            Expr::Var { span, .. } => self.global.contains(span.text()),
            Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().any(|item| self.may_be_undefined(item)),
            Expr::Object { fields, .. } => {
                fields.iter().any(|(_, key, value)| self.may_be_undefined(key) || self.may_be_undefined(value))
            }
            _ => true,
        }
    }
}

/// Whether every parenthesis is closed in the text; strings and comments are passed over.
fn balanced(text: &str) -> bool {
    let mut open = 0_usize;
    for token in Tokens::new(text) {
        match token.text {
            "(" => open = open.saturating_add(1),
            ")" if open == 0 => return false,
            ")" => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open == 0
}
