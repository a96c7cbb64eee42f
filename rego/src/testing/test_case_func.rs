//! Rules with keys in their heads say to which case they have come, as early as they can, so that a case whose body then fails is
//! known: `internal.test_case([key])` (opa `v1/tester/runner.go`, `injectTestCaseFunc`).

use super::name::Name;
use crate::compile::terms::{is_equality, operands};
use crate::compile::{Compiler, Params, VarSet};
use crate::syntax::order::compare;
use crate::syntax::span::Span;
use crate::syntax::tree::{Body, Expr, ExprKind, Kind, Rule, Term, Var};
use crate::syntax::visit::{Node, walk_exprs};

/// What variables are called that the compiler makes.
const LOCAL: &str = "__local";

/// The stage `InjectTestCaseFunc`.
pub(super) fn inject_test_case_func(compiler: &mut Compiler) {
    for module in &mut compiler.modules {
        let package = module.package.path.len();
        for rule in &mut module.rules {
            let name = Name::of(&rule.head, package).filter(|name| !name.todo && !name.keys.is_empty());
            if let Some(keys) = name.map(|name| name.keys.to_vec()) {
                inject(rule, keys);
            }
        }
    }
}

fn inject(rule: &mut Rule, keys: Vec<Term>) {
    if calls_it(&rule.body) {
        return;
    }
    keys.iter().for_each(|key| raise(&mut rule.body, key));
    let first = |key: &Term| rule.body.iter().position(|expr| mentions(expr, key.as_var()));
    let at = keys.iter().filter_map(first).max().map_or(0, |last| last.saturating_add(1));
    rule.body.insert(at, call(keys));
}

/// Moves generated assignments of a key up, to behind the last of the expressions that first mention what it is made of.
fn raise(body: &mut Body, key: &Term) {
    let (mut rest, mut moves) = (body.len(), 0);
    while let Some(at) = rest.checked_sub(1) {
        match body.get(at).filter(|expr| assigns(expr, key)).and_then(|expr| earliest(body, expr, at)) {
            // What stands here now is looked at, too.
            Some(to) if to < at && moves < body.len() => {
                let expr = body.remove(at);
                body.insert(to, expr);
                moves = moves.saturating_add(1);
            }
            _ => rest = at,
        }
    }
}

fn assigns(expr: &Expr, key: &Term) -> bool {
    let is_assignment = || matches!(&expr.kind, ExprKind::Call(parts) if parts.first().is_some_and(is_assign));
    let is_key = operands(expr).first().is_some_and(|target| compare(target, key).is_eq());
    expr.generated && is_key && (is_equality(expr) || is_assignment())
}

fn is_assign(operator: &Term) -> bool {
    matches!(&operator.kind, Kind::Ref(parts) if matches!(parts.as_slice(), [only] if only.as_var().is_some_and(|name| name == "assign")))
}

/// Where an assignment may stand at the earliest.
fn earliest(body: &[Expr], expr: &Expr, at: usize) -> Option<usize> {
    let mut vars = VarSet::default();
    vars.add_terms(operands(expr).get(1), Params::ALL);
    let mut locals = vars.iter().filter(|var| var.starts_with(LOCAL)).peekable();
    if locals.peek().is_none() {
        return Some(0);
    }
    let before = body.get(..at)?;
    let first = |var: &Var| before.iter().position(|expr| mentions(expr, Some(var)));
    Some(locals.filter_map(first).max().unwrap_or(0).saturating_add(1))
}

fn mentions(expr: &Expr, var: Option<&Var>) -> bool {
    let Some(var) = var else { return false };
    let mut vars = VarSet::default();
    vars.add_expr(expr, Params::ALL);
    vars.contains(var)
}

fn calls_it(body: &Body) -> bool {
    let mut found = false;
    walk_exprs(Node::Body(body), |expr| {
        found = found || matches!(&expr.kind, ExprKind::Call(parts) if parts.first().is_some_and(is_it));
        found
    });
    found
}

fn is_it(operator: &Term) -> bool {
    let Some([first, second]) = operator.as_ref_parts() else { return false };
    first.as_var().is_some_and(|name| name == "internal") && second.as_str().is_some_and(|name| name == "test_case")
}

/// It stands nowhere.
fn call(keys: Vec<Term>) -> Expr {
    let span = Span::default();
    let name = vec![Term::var(span, "internal"), Term::string(span, "test_case")];
    let parts = vec![Term::new(span, Kind::Ref(name)), Term::new(span, Kind::Array(keys))];
    let kind = ExprKind::Call(parts);
    Expr { span, kind, negated: false, generated: false, from_assignment: false, with: Vec::new() }
}
