//! Takes nested calls apart: after this, operands hold no calls, and heads and comprehensions yield plain variables.

use super::builtins;
use super::lower;
use super::names::{DATA, INPUT, Names};
use super::rule::{Rule, Unit};
use super::term::{Body, Call, Comprehension, Expr, ExprKind, Kind, Operator, Term, UNIFY};
use super::tree::display;
use super::walk::{self, Go};

/// Expands all rules.
pub(super) fn expand(units: &mut [Unit], names: &mut Names) {
    for rule in units.iter_mut().flat_map(|unit| &mut unit.rules) {
        rule.for_each_mut(&mut |rule| Expander { names }.rule(rule));
    }
}

struct Expander<'n> {
    names: &'n mut Names,
}

impl Expander<'_> {
    fn rule(&mut self, rule: &mut Rule) {
        let name_len = rule.name_len;
        let mut body = std::mem::take(&mut rule.body);
        for part in rule.path.iter_mut().skip(name_len) {
            if !part.is_scalar() && part.as_var().is_none() {
                body.push(self.bind(part));
            }
        }
        let mut body = self.body(body);
        for part in rule.args.iter_mut().chain([rule.head.term_mut()]) {
            let mut support = Vec::new();
            self.term(part, &mut support);
            body.extend(support);
            if needs_evaluation(part) {
                body.push(self.bind(part));
            }
        }
        rule.body = body;
        self.comprehensions(rule);
    }

    /// Replaces a term by a new variable that a new statement binds.
    fn bind(&mut self, term: &mut Term) -> Expr {
        let at = term.at;
        let var = Term::var(self.names.generate(), at);
        let value = std::mem::replace(term, var.clone());
        let call = Call { operator: Operator::Infix(UNIFY), operands: vec![var, value] };
        Expr { generated: true, ..lower::expr(at, ExprKind::Call(call), self.names) }
    }

    fn body(&mut self, body: Body) -> Body {
        let mut expanded = Vec::with_capacity(body.len());
        for expr in body {
            self.expr(expr, &mut expanded);
        }
        expanded
    }

    fn expr(&mut self, mut expr: Expr, into: &mut Body) {
        let mut support = Vec::new();
        for (_, value) in &mut expr.with {
            self.name_of_function(value);
            self.term(value, into);
        }
        match &mut expr.kind {
            ExprKind::Term(term) => self.term(term, &mut support),
            ExprKind::Call(call) => call.operands.iter_mut().for_each(|operand| self.term(operand, &mut support)),
            ExprKind::Every(every) => {
                let domain = self.bind(&mut every.domain);
                self.expr(domain, &mut support);
                every.body = self.body(std::mem::take(&mut every.body));
            }
            ExprKind::Some(_) | ExprKind::SomeIn(_) => {}
        }
        support.iter_mut().for_each(|extra| extra.with.clone_from(&expr.with));
        into.extend(support);
        for index in 0..expr.with.len() {
            if let Some((_, value)) = expr.with.get_mut(index)
                && needs_evaluation(value)
                && !self.is_builtin(value)
                && !is_constant_path(value)
            {
                into.push(self.bind(value));
            }
        }
        into.push(expr);
    }

    fn is_builtin(&self, value: &Term) -> bool {
        let Kind::Ref(path) = &value.kind else { return false };
        let written = path.first().and_then(Term::as_var).is_some_and(|var| self.names.is_as_written(var));
        written && builtins::builtin(&display(path, self.names)).is_some()
    }

    /// In `with f as count` the value is a function, not a variable.
    fn name_of_function(&self, value: &mut Term) {
        if let Some(var) = value.as_var()
            && self.names.is_as_written(var)
            && builtins::builtin(&self.names.text(var)).is_some()
        {
            value.kind = Kind::Ref(vec![Term::var(var, value.at)]);
        }
    }

    fn term(&mut self, term: &mut Term, support: &mut Vec<Expr>) {
        let at = term.at;
        match &mut term.kind {
            Kind::Scalar(_) | Kind::Var(_) => {}
            Kind::Array(items) | Kind::Set(items) => items.iter_mut().for_each(|item| self.term(item, support)),
            Kind::Object(fields) => fields.iter_mut().for_each(|(key, value)| {
                self.term(key, support);
                self.term(value, support);
            }),
            Kind::Ref(path) => self.path(path, support),
            Kind::Call(call) => {
                call.operands.iter_mut().for_each(|operand| self.term(operand, support));
                let output = Term::var(self.names.generate(), at);
                let Kind::Call(mut call) = std::mem::replace(&mut term.kind, output.kind.clone()) else { return };
                call.operands.push(output);
                support.push(Expr { generated: true, ..lower::expr(at, ExprKind::Call(call), self.names) });
            }
            Kind::Comprehension(compr) => self.comprehension(compr),
        }
    }

    fn path(&mut self, path: &mut [Term], support: &mut Vec<Expr>) {
        path.iter_mut().for_each(|part| self.term(part, support));
        if let Some(head) = path.first_mut()
            && matches!(head.kind, Kind::Array(_) | Kind::Set(_) | Kind::Object(_) | Kind::Comprehension(_))
        {
            support.push(self.bind(head));
        }
    }

    fn comprehension(&mut self, compr: &mut Comprehension) {
        let mut support = Vec::new();
        compr.terms.iter_mut().for_each(|term| self.term(term, &mut support));
        let mut body = std::mem::take(&mut compr.body);
        body.extend(support);
        compr.body = self.body(body);
    }

    /// What a comprehension yields is bound by its body.
    fn comprehensions(&mut self, rule: &mut Rule) {
        let names = &mut *self.names;
        let mut bind = |term: &mut Term| {
            if let Kind::Comprehension(compr) = &mut term.kind {
                for yielded in &mut compr.terms {
                    if needs_evaluation(yielded) {
                        compr.body.push(Expander { names: &mut *names }.bind(yielded));
                    }
                }
            }
            Go::Deeper
        };
        rule.body.iter_mut().for_each(|expr| walk::change_expr(expr, &mut bind));
        walk::change(rule.head.term_mut(), &mut bind);
    }
}

/// Holds references or comprehensions.
fn needs_evaluation(term: &Term) -> bool {
    let mut found = false;
    walk::visit(term, &mut |term| {
        found |= matches!(term.kind, Kind::Ref(_) | Kind::Comprehension(_));
        if found { Go::Over } else { Go::Deeper }
    });
    found
}

/// A path into a document that needs nothing bound; it may name a function.
fn is_constant_path(value: &Term) -> bool {
    let Kind::Ref(path) = &value.kind else { return false };
    let root = path.first().and_then(Term::as_var);
    matches!(root, Some(DATA | INPUT)) && path.iter().skip(1).all(Term::is_constant)
}
