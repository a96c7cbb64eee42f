//! `z := {z | z = input.b[_]}`: to OPA the `z` inside is another variable than the one that is assigned (opa `v1/ast/compile.go`,
//! `rewriteDeclaredAssignment`), to the interpreter the same. Here it is declared inside: `z := {z | some z; z = input.b[_]}`.

use std::collections::BTreeSet;

use regorus::unstable::{AssignOp, Expr, Literal, LiteralStmt, Module as Tree, Query, Rule, RuleHead};

use super::negation::global;
use crate::rego::plain::{assigned, head_parts, pattern};
use crate::rego::splice::{Spliced, Splices, place};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Declares such variables; nothing if there are none.
pub(super) fn declare(text: &str, tree: &Tree, rules: &BTreeSet<String>) -> Option<Spliced> {
    let mut named = Named { global: global(tree, rules), bodies: Vec::new(), assigned: Vec::new(), splices: Splices::default() };
    tree.policy.iter().for_each(|rule| named.rule(rule));
    (!named.splices.is_empty()).then(|| named.splices.apply(text))
}

type Names = BTreeSet<String>;

struct Named {
    global: Names,
    /// Around the place where the walk is, outermost first.
    bodies: Vec<Body>,
    /// What the assignments around declare, and how many bodies are around those.
    assigned: Vec<(usize, Names)>,
    splices: Splices,
}

#[derive(Default)]
struct Body {
    /// Not inside another body.
    named: Names,
    declared: Names,
}

impl Visitor for Named {
    fn expr(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::ArrayCompr { term, query, .. } | Expr::SetCompr { term, query, .. } => self.body(query, &[term], Names::new()),
            Expr::ObjectCompr { key, value, query, .. } => self.body(query, &[key, value], Names::new()),
            _ => return true,
        }
        false
    }
}

impl Named {
    fn rule(&mut self, rule: &Rule) {
        let Rule::Spec { head, bodies, .. } = rule else { return };
        let mut arguments = Names::new();
        if let RuleHead::Func { args, .. } = head {
            args.iter().for_each(|arg| pattern(arg, &mut arguments));
        }
        self.bodies = vec![Body { declared: arguments, ..Body::default() }];
        let parts = head_parts(head);
        let main = bodies.iter().filter(|body| !body.is_else).count();
        if main != 1 {
            parts.iter().for_each(|part| walk::expr(part, self));
        }
        for body in bodies {
            match &body.assign {
                Some(assign) => self.body(&body.query, &[&assign.value], Names::new()),
                None if main == 1 && !body.is_else => self.body(&body.query, &parts, Names::new()),
                None => self.body(&body.query, &[], Names::new()),
            }
        }
    }

    /// A body, with what is beside it and has its variables.
    fn body(&mut self, query: &Query, beside: &[&Expr], mut declared: Names) {
        let mut direct = Direct::default();
        beside.iter().for_each(|part| walk::expr(part, &mut direct));
        query.stmts.iter().for_each(|stmt| each(stmt, &mut direct));
        declared.extend(assigned(query));
        for stmt in &query.stmts {
            if let Literal::SomeVars { vars, .. } = &stmt.literal {
                declared.extend(vars.iter().map(|var| var.text().to_owned()));
            }
        }
        let missing = self.hidden(&direct.0, &declared);
        self.write(query, &missing);
        self.bodies.push(Body { named: direct.0, declared });
        beside.iter().for_each(|part| walk::expr(part, self));
        query.stmts.iter().for_each(|stmt| self.statement_of(stmt));
        self.bodies.pop();
    }

    /// Which names of a body that declares some are those of an assignment around it, though they mean other variables.
    fn hidden(&self, named: &Names, declared: &Names) -> Names {
        let is_hidden = |name: &&String| {
            !declared.contains(*name)
                && !self.global.contains(*name)
                && self.assigned.iter().any(|around| self.is_other(name, around))
        };
        named.iter().filter(is_hidden).cloned().collect()
    }

    /// Whether an assignment declares a name that no body has but the one that the assignment is in.
    fn is_other(&self, name: &str, (around, names): &(usize, Names)) -> bool {
        let (outer, inner) = self.bodies.split_at_checked(*around).unwrap_or_default();
        let outer = outer.split_last().map_or(outer, |(_, outer)| outer);
        let has = |body: &Body| body.declared.contains(name) || body.named.contains(name);
        names.contains(name) && !outer.iter().chain(inner).any(has)
    }

    fn statement_of(&mut self, stmt: &LiteralStmt) {
        let mut names = Names::new();
        if let Literal::Expr { expr, .. } = &stmt.literal
            && let Expr::AssignExpr { op: AssignOp::ColEq, lhs, .. } = expr.as_ref()
        {
            pattern(lhs, &mut names);
        }
        self.assigned.push((self.bodies.len(), names));
        match &stmt.literal {
            Literal::Every { key, value, domain, query, .. } => {
                walk::expr(domain, self);
                let variables = key.iter().chain([value]).map(|name| name.text().to_owned()).collect();
                self.body(query, &[], variables);
            }
            _ => each(stmt, self),
        }
        self.assigned.pop();
    }

    fn write(&mut self, query: &Query, missing: &Names) {
        if !missing.is_empty() {
            // The span of a body begins with its brace, or the bar of a comprehension.
            let start = place(query.span.start).saturating_add(1);
            let names = missing.iter().cloned().collect::<Vec<_>>().join(", ");
            self.splices.insert(start, start, format!(" some {names};"));
        }
    }
}

/// Walks a statement without the body of `every`.
fn each(stmt: &LiteralStmt, visitor: &mut impl Visitor) {
    match &stmt.literal {
        Literal::Every { domain, .. } => walk::expr(domain, visitor),
        _ => walk::statement(stmt, visitor),
    }
}

/// The variables outside comprehensions.
#[derive(Default)]
struct Direct(Names);

impl Visitor for Direct {
    fn expr(&mut self, expr: &Expr) -> bool {
        if let Expr::Var { .. } = expr {
            pattern(expr, &mut self.0);
        }
        !syntax::is_comprehension(expr)
    }
}
