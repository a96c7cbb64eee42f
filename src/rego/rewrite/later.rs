//! What a comprehension, or the body of `every`, names above `some x in xs` is another variable than the `x` declared there: OPA goes
//! from statement to statement (opa `v1/ast/compile.go`, `rewriteDeclaredVarsInBody`). To the interpreter it is the same. It refuses
//! that itself where `x` is declared by `:=` or `some x`; the rest is refused here.

use std::collections::BTreeSet;

use anyhow::Result;
use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Tree, Query, Span};

use crate::rego::plain::{assigned, pattern};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

const MESSAGE: &str = "this variable is named by a comprehension or `every` above, which OPA takes for another one: declare it first, \
                       or give one of them another name";

/// Refuses a module that names a variable so.
pub(super) fn refuse(tree: &Tree) -> Result<()> {
    let mut bodies = Bodies { refusal: None };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut bodies));
    bodies.refusal.map_or(Ok(()), Err)
}

struct Bodies {
    refusal: Option<anyhow::Error>,
}

impl Visitor for Bodies {
    fn expr(&mut self, _: &Expr) -> bool {
        self.refusal.is_none()
    }

    fn body(&mut self, query: &Query) {
        let last = query.stmts.iter().rposition(|stmt| matches!(stmt.literal, Literal::SomeIn { .. })).unwrap_or_default();
        if last == 0 {
            return;
        }
        let mut above = Closures::default();
        for stmt in query.stmts.iter().take(last.saturating_add(1)) {
            if let Literal::SomeIn { key, value, .. } = &stmt.literal {
                let mut declared = Vec::new();
                key.iter().chain([value]).for_each(|part| spans(part, &mut declared));
                let named = declared.into_iter().find(|span| above.names.contains(span.text()));
                self.refusal = self.refusal.take().or_else(|| named.map(|span| span.error(MESSAGE)));
            }
            above.of(stmt);
        }
    }
}

/// The variables of a pattern, where they are.
fn spans<'a>(expr: &'a Expr, found: &mut Vec<&'a Span>) {
    match expr {
        Expr::Var { span, .. } if span.text() != "_" => found.push(span),
        Expr::Array { items, .. } => items.iter().for_each(|item| spans(item, found)),
        Expr::Object { fields, .. } => fields.iter().for_each(|(_, _, value)| spans(value, found)),
        _ => {}
    }
}

/// What comprehensions and bodies of `every` name, and do not declare.
#[derive(Default)]
struct Closures {
    names: BTreeSet<String>,
}

impl Closures {
    fn of(&mut self, stmt: &LiteralStmt) {
        // What the domain of `every` names directly, OPA refuses to be declared below.
        match &stmt.literal {
            Literal::Every { .. } => self.inside(|inside| walk::statement(stmt, inside)),
            _ => walk::statement(stmt, self),
        }
    }

    fn inside(&mut self, walk: impl FnOnce(&mut Inside)) {
        let mut inside = Inside::default();
        walk(&mut inside);
        let Inside { named, declared } = inside;
        self.names.extend(named.difference(&declared).cloned());
    }
}

impl Visitor for Closures {
    fn expr(&mut self, expr: &Expr) -> bool {
        if !syntax::is_comprehension(expr) {
            return true;
        }
        self.inside(|inside| walk::expr(expr, inside));
        false
    }
}

#[derive(Default)]
struct Inside {
    named: BTreeSet<String>,
    declared: BTreeSet<String>,
}

impl Visitor for Inside {
    fn expr(&mut self, expr: &Expr) -> bool {
        if let Expr::Var { .. } = expr {
            pattern(expr, &mut self.named);
        }
        true
    }

    fn body(&mut self, query: &Query) {
        self.declared.extend(assigned(query));
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        match &stmt.literal {
            Literal::SomeVars { vars, .. } => self.declared.extend(vars.iter().map(|var| var.text().to_owned())),
            Literal::Every { key, value, .. } => {
                self.declared.extend(key.iter().chain([value]).map(|var| var.text().to_owned()));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rego::{Module, Program, RegoVersion};

    #[test]
    fn what_is_named_above_its_declaration_is_refused() {
        for (body, refused) in [
            ("count([1 | input.al[_] = x]) == 0; some x in input.l", Some("n.rego:3:59")),
            ("every q in [\"z\"] { q = x }; some [x, _] in input.l", Some("n.rego:3:53")),
            ("c := {y | y := input.al[_]; y = x}; count(c) == 1; some x, _ in input.m", Some("n.rego:3:75")),
            ("some x in input.l; count([1 | input.al[_] = x]) == 0", None),
            ("count([x | some x in input.al]) == 0; some x in input.l", None),
            ("count([x | x := input.al[_]]) == 0; some x in input.l", None),
            ("every x in [1] { x == 1 }; some x in input.l", None),
            ("count([y | y = input.al[_]]) == 0; some x in input.l", None),
        ] {
            let text = format!("package n\n\nr contains x if {{ {body} }}\n");
            let compiled = Program::compile(&[Module { key: "n.rego".into(), text }], RegoVersion::V1);
            let place = compiled.err().map(|errors| errors.iter().map(|error| error.location.to_string()).collect::<String>());
            assert_eq!(place.as_deref(), refused, "{body}");
        }
    }
}
