//! What a negated expression names is bound outside it (OPA refuses it otherwise as unsafe), and so is what the body of `every` names
//! of the body around it. The interpreter binds the first there and then, and looks for no value of the second before it
//! begins: `not bad[x]` goes through `bad`, and comes before the statement that gives `x` its value.
//!
//! So that they can only be read, `not bad[x]` is `not bad[plimsoll__.same(x)]`, and `every y in ys { y < x }` is
//! `every y in plimsoll__.beside(ys, [x]) { y < x }`. What is assigned is taken for bound too, in `z := x`: it is only read.

use std::collections::BTreeSet;
use std::ops::Range;

use regorus::unstable::{AssignOp, Expr, Literal, LiteralStmt, Module as Tree, Query, Span};
use regorus::{Engine, Value};

use super::operators;
use crate::rego::parse::Tokens;
use crate::rego::plain::{Packages, pattern};
use crate::rego::splice::{Spliced, Splices, place};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Makes what rewritten modules call functions of an engine: both give their first operand.
pub(super) fn install(engine: &mut Engine) {
    for (name, operands) in [("plimsoll__.same", 1), ("plimsoll__.beside", 2)] {
        let first = move |values: Vec<Value>| Ok(values.into_iter().next().unwrap_or(Value::Undefined));
        operators::add(engine, name, operands, Box::new(first));
    }
}

/// Writes a module so, whose names are written out.
pub(in crate::rego) fn name(text: &str, tree: &Tree, packages: &Packages) -> Spliced {
    let rules = packages.rules_of(&syntax::package(tree));
    let mut reads = Reads { text, rules, splices: Splices::default() };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut reads));
    reads.splices.apply(text)
}

struct Reads<'t> {
    text: &'t str,
    /// Local variables have other names.
    rules: BTreeSet<String>,
    splices: Splices,
}

impl Visitor for Reads<'_> {
    fn expr(&mut self, _: &Expr) -> bool {
        true
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        match &stmt.literal {
            Literal::Expr { expr, .. } => {
                self.assigned(expr);
            }
            Literal::NotExpr { span, expr } if is_matched_walk(expr) => self.walk(span, expr),
            Literal::NotExpr { expr, .. } => {
                walk::expr(expr, &mut Negated { text: self.text, splices: &mut self.splices });
            }
            _ => {}
        }
    }

    fn body(&mut self, query: &Query) {
        if !query.stmts.iter().any(|stmt| matches!(stmt.literal, Literal::Every { .. })) {
            return;
        }
        let mut around = names(query, false);
        around.retain(|name| !self.rules.contains(name) && !matches!(name.as_str(), "_" | "data" | "input"));
        for stmt in &query.stmts {
            self.every(stmt, &around);
        }
    }
}

/// The interpreter has `not walk(x, [path, value])` false whatever there is.
fn is_matched_walk(expr: &Expr) -> bool {
    matches!(expr, Expr::Call { fcn, params, .. } if params.len() == 2 && syntax::path(fcn).is_some_and(|path| path.names == ["walk"]))
}

impl Reads<'_> {
    /// `z := x` is `z := plimsoll__.same(x)`: `:=` binds nothing on its right.
    fn assigned(&mut self, expr: &Expr) -> Option<()> {
        let Expr::AssignExpr { op: AssignOp::ColEq, rhs, .. } = expr else { return None };
        let mut names = BTreeSet::new();
        pattern(rhs, &mut names);
        if names.is_empty() {
            return None;
        }
        let (start, end) = (place(expr.span().start), syntax::closed(expr.span().end, self.text));
        let mut tokens = Tokens::new(self.text.get(start..end)?).skip_while(|token| token.text != ":=");
        let value = start.checked_add(tokens.nth(1)?.start)?;
        self.splices.insert(value, value, "plimsoll__.same(".into());
        self.splices.insert(end, end, ")".into());
        Some(())
    }

    /// `not walk(x, pattern)` is `[1 | walk(x, pattern)] == []`.
    fn walk(&mut self, not: &Span, walk: &Expr) {
        let (start, end) = (place(not.start), syntax::range(walk, self.text).end);
        self.splices.insert(start, start.saturating_add("not".len()), "[1 |".into());
        self.splices.insert(end, end, "] == []".into());
    }

    /// Reads those of the variables around that the body of an `every` names.
    fn every(&mut self, stmt: &LiteralStmt, around: &BTreeSet<String>) -> Option<()> {
        let Literal::Every { value, query, .. } = &stmt.literal else { return None };
        let read: Vec<_> = names(query, true).intersection(around).cloned().collect();
        if read.is_empty() {
            return None;
        }
        let (head, body) = (place(value.end), place(query.span.start));
        // What follows the variables is `in`.
        let domain = head.checked_add(Tokens::new(self.text.get(head..body)?).next()?.end())?;
        self.splices.insert(domain, domain, " plimsoll__.beside(".into());
        self.splices.insert(body, body, format!(", [{}]) ", read.join(", ")));
        Some(())
    }
}

struct Negated<'s, 't> {
    text: &'t str,
    splices: &'s mut Splices,
}

impl Visitor for Negated<'_, '_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::RefBrack { index, .. } => self.pattern(index),
            Expr::AssignExpr { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(|side| self.pattern(side)),
            // What is negated in there is a statement of its own.
            Expr::ArrayCompr { .. } | Expr::SetCompr { .. } | Expr::ObjectCompr { .. } => return false,
            _ => {}
        }
        true
    }
}

impl Negated<'_, '_> {
    /// The variables that the interpreter would bind here.
    fn pattern(&mut self, expr: &Expr) {
        match expr {
            Expr::Var { span, .. } if matches!(span.text(), "_" | "data" | "input") => {}
            Expr::Var { .. } => {
                let Range { start, end } = syntax::range(expr, self.text);
                self.splices.insert(start, start, "plimsoll__.same(".into());
                self.splices.insert(end, end, ")".into());
            }
            Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().for_each(|item| self.pattern(item)),
            Expr::Object { fields, .. } => fields.iter().for_each(|(_, _, value)| self.pattern(value)),
            _ => {}
        }
    }
}

/// The variables of a body, with or without those of comprehensions and of bodies of `every`.
fn names(query: &Query, closures: bool) -> BTreeSet<String> {
    let mut names = Names { closures, names: BTreeSet::new() };
    for stmt in &query.stmts {
        match &stmt.literal {
            Literal::Every { domain, .. } if !closures => {
                walk::expr(domain, &mut names);
                stmt.with_mods.iter().for_each(|with| walk::expr(&with.r#as, &mut names));
            }
            _ => walk::statement(stmt, &mut names),
        }
    }
    names.names
}

struct Names {
    closures: bool,
    names: BTreeSet<String>,
}

impl Visitor for Names {
    fn expr(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::Var { span, .. } => {
                self.names.insert(span.text().to_owned());
            }
            Expr::ArrayCompr { .. } | Expr::SetCompr { .. } | Expr::ObjectCompr { .. } => return self.closures,
            _ => {}
        }
        true
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        if let Literal::SomeVars { vars, .. } = &stmt.literal {
            self.names.extend(vars.iter().map(|var| var.text().to_owned()));
        }
    }
}
