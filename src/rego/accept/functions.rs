//! Calls: the function must exist, be allowed, and get as many operands as it takes, or one more for its output.

use super::Revision;
use super::builtins;
use super::names::{DATA, Names, Var};
use super::report::Report;
use super::rule::{Rule, Unit};
use super::term::{Body, Call, Expr, ExprKind, Kind, Operator, Term};
use super::tree::{Tree, display};
use super::walk::{self, Go};

const CODE: &str = "rego_type_error";

/// The name of a function that is no rule.
pub(super) fn builtin_name(operator: &Operator, names: &Names) -> Option<String> {
    match operator {
        Operator::Infix(name) => Some((*name).to_string()),
        Operator::Path(path) => {
            let head: Var = path.first()?.as_var()?;
            let plain = names.is_as_written(head) && path.iter().skip(1).all(|part| matches!(&part.kind, Kind::Scalar(_)));
            plain.then(|| display(path, names))
        }
    }
}

/// How many operands a function takes.
pub(super) fn arity(operator: &Operator, tree: &Tree<'_>, names: &Names) -> Option<usize> {
    let builtin = builtin_name(operator, names).and_then(|name| builtins::builtin(&name));
    builtin.map(|builtin| builtin.arity).or_else(|| tree.called(operator).first().map(|rule| rule.args.len()))
}

/// Reports calls that cannot be made.
pub(super) fn check(units: &[Unit], tree: &Tree<'_>, names: &Names, v1: &Revision, report: &mut Report<'_>) {
    for rule in units.iter().flat_map(|unit| &unit.rules).flat_map(Rule::chain) {
        let v1 = v1.is_v1(rule.module);
        let mut errors = Vec::new();
        let mut checker = Checker { tree, names, v1, errors: &mut errors };
        checker.body(&rule.body);
        for (at, message, why) in errors {
            match why {
                Some(why) => report.explained(rule.module, at, CODE, (message, why)),
                None => report.error(rule.module, at, CODE, message),
            }
        }
    }
}

struct Checker<'c, 'r> {
    tree: &'c Tree<'r>,
    names: &'c Names,
    v1: bool,
    errors: &'c mut Vec<(u32, String, Option<String>)>,
}

impl Checker<'_, '_> {
    fn body(&mut self, body: &Body) {
        body.iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(call) = &expr.kind {
            self.call(expr, call);
        }
        walk::closures(expr, &mut |_, body| self.body(body));
        self.references(expr);
    }

    /// A function is no value.
    fn references(&mut self, expr: &Expr) {
        let mut used = None;
        let mut see = |term: &Term| {
            if let Kind::Ref(path) = &term.kind
                && path.first().and_then(Term::as_var) == Some(DATA)
            {
                let names_function = |len: usize| {
                    let node = self.tree.find(path.get(..len).unwrap_or_default());
                    node.and_then(|node| node.rules.first()).is_some_and(|rule| rule.is_function())
                };
                if (2..=path.len()).any(names_function) {
                    used.get_or_insert_with(|| display(path, self.names));
                }
            }
            if matches!(term.kind, Kind::Comprehension(_)) { Go::Over } else { Go::Deeper }
        };
        match &expr.kind {
            ExprKind::Term(term) => walk::visit(term, &mut see),
            ExprKind::Call(call) => call.operands.iter().for_each(|operand| walk::visit(operand, &mut see)),
            ExprKind::Every(every) => walk::visit(&every.domain, &mut see),
            ExprKind::Some(_) | ExprKind::SomeIn(_) => {}
        }
        if let Some(name) = used {
            self.errors.push((expr.at, format!("function {name} used as reference, not called"), None));
        }
    }

    fn call(&mut self, expr: &Expr, call: &Call) {
        let given = call.operands.len() - usize::from(expr.generated && !call.operands.is_empty());
        let name = builtin_name(&call.operator, self.names).and_then(|name| Some((builtins::builtin(&name)?, name)));
        let path = matches!(call.operator, Operator::Path(_));
        let (message, why) = match (arity(&call.operator, self.tree, self.names), name) {
            (None, _) => (format!("undefined function {}", self.name(&call.operator)), None),
            (Some(0), None) => (format!("undefined function {}", self.name(&call.operator)), None),
            (_, Some((builtin, name))) if builtin.deprecated && self.v1 => {
                (format!("deprecated built-in function calls in expression: {name}"), None)
            }
            (_, Some((_, name))) if path && builtins::is_operator(&name) => {
                (format!("built-in function {name} is not available: write the operator"), None)
            }
            (Some(arity), name) if !fits(expr, given, arity) => {
                let arguments = if given == 1 { "argument" } else { "arguments" };
                match name {
                    Some((_, name)) => {
                        (format!("{name}: arity mismatch"), Some(format!("have {given} {arguments}, want {arity}")))
                    }
                    None => (format!("function {} has arity {arity}, got {given} {arguments}", self.name(&call.operator)), None),
                }
            }
            (_, Some((_, name))) => match builtins::refusal(&name) {
                Some(reason) => (format!("built-in function {name} is not available: {reason}"), None),
                None => return,
            },
            (Some(_), None) => return,
        };
        self.errors.push((expr.at, message, why));
    }

    fn name(&self, operator: &Operator) -> String {
        match operator {
            Operator::Infix(name) => (*name).to_string(),
            Operator::Path(path) => display(path, self.names),
        }
    }
}

/// The right number of operands, or one more that takes the output.
fn fits(expr: &Expr, given: usize, arity: usize) -> bool {
    given == arity || !expr.generated && given == arity + 1 || expr.generated && expr.equality().is_some()
}

/// Statements that print, at any depth.
pub(super) fn is_print(expr: &Expr, names: &Names) -> bool {
    match &expr.kind {
        ExprKind::Call(Call { operator: Operator::Path(path), .. }) => match path.as_slice() {
            [head] => head.as_var().is_some_and(|var| names.is_as_written(var) && names.text(var).as_ref() == "print"),
            _ => false,
        },
        _ => false,
    }
}
