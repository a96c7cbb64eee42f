//! One template as a call (`v1/ast/compile.go`, `rewriteTemplateString`).

use super::Templates;
use crate::compile::vars::{SAFETY, VarSet};
use crate::compile::written;
use crate::error::{Code, Error};
use crate::syntax::span::Span;
use crate::syntax::tree::{Expr, ExprKind, Kind, TemplatePart, Term};

impl Templates<'_> {
    /// Rewrites a term that is a template; what does not work stays.
    pub(super) fn direct(&mut self, term: &mut Term) {
        let Kind::Template(template) = &mut term.kind else { return };
        let known = self.errors.len();
        for part in &template.parts {
            if let TemplatePart::Expr(expr) = part {
                self.check(expr);
            }
        }
        if self.errors.len() > known {
            return;
        }
        let mut parts: Vec<Term> = std::mem::take(&mut template.parts).into_iter().map(|part| self.part(part)).collect();
        if parts.is_empty() {
            parts.push(Term::string(term.span, ""));
        }
        let operator = [Term::var(term.span, "internal"), Term::string(term.span, "template_string")];
        let operator = Term::new(term.span, Kind::Ref(operator.into()));
        term.kind = Kind::Call(vec![operator, Term::new(term.span, Kind::Array(parts))]);
    }

    /// Whether an expression of a template is a value, and all that it needs is bound.
    fn check(&mut self, expr: &Expr) {
        let unexpected = match &expr.kind {
            ExprKind::Term(term) if self.is_defined(&term.kind) => return,
            ExprKind::Term(_) => None,
            ExprKind::Call(parts) => {
                let called = parts.first().and_then(|called| self.arity.builtin(called));
                called.filter(|builtin| builtin.relation).map(|builtin| {
                    format!("illegal call to relation built-in '{}' that may cause multiple outputs", builtin.name)
                })
            }
            ExprKind::Some(_) => Some("unexpected template-string expression type: *ast.SomeDecl".into()),
            ExprKind::Every(_) => Some("unexpected template-string expression type: *ast.Every".into()),
            ExprKind::Not(_) => Some("unexpected template-string expression type: *ast.Not".into()),
            ExprKind::And(_) => Some("unexpected template-string expression type: *ast.LogicalAnd".into()),
            ExprKind::Or(_) => Some("unexpected template-string expression type: *ast.LogicalOr".into()),
        };
        if let Some(message) = unexpected {
            return self.errors.push(Error::new(Code::Compile, expr.span, message));
        }
        let mut vars = VarSet::default();
        let span = match &expr.kind {
            ExprKind::Term(term) => {
                vars.add_term(term, SAFETY);
                term.span
            }
            ExprKind::Call(parts) => {
                vars.add_call(parts, SAFETY);
                expr.span
            }
            _ => return,
        };
        vars.retain(|var| !self.safe.contains(var));
        self.errors.extend(written::undeclared(self.rewritten, vars, span));
    }

    fn is_defined(&self, value: &Kind) -> bool {
        match value {
            Kind::Var(_) => true,
            Kind::Ref(parts) => self.arity.is_known_defined(parts),
            _ => false,
        }
    }

    /// What always has a value is a set of it; all else is captured.
    fn part(&mut self, part: TemplatePart) -> Term {
        let (value, with) = match part {
            TemplatePart::Text(text) => return text,
            TemplatePart::Expr(Expr { kind: ExprKind::Term(value), with, .. }) => (value, with),
            TemplatePart::Expr(Expr { kind: ExprKind::Call(parts), with, span, .. }) => {
                (Term::new(span, Kind::Call(parts)), with)
            }
            TemplatePart::Expr(Expr { span, .. }) => return Term::string(span, ""),
        };
        let span = value.span;
        if self.is_defined(&value.kind) {
            return Term::new(span, Kind::Set(vec![value]));
        }
        // The term that OPA makes of a call has no place.
        let span = if matches!(value.kind, Kind::Call(_)) { Span::default() } else { span };
        self.names.capture(Term { span, ..value }, with)
    }
}
