//! One template as a call (`v1/ast/compile.go`, `rewriteTemplateString`).

use super::Templates;
use crate::compile::names::equality;
use crate::compile::vars::{SAFETY, VarSet, shown};
use crate::error::{Code, Error};
use crate::syntax::span::Span;
use crate::syntax::tree::{Comprehension, Expr, ExprKind, Kind, Template, TemplatePart, Term};

impl Templates<'_> {
    /// Rewrites a term that is a template; what does not work stays.
    pub(super) fn direct(&mut self, safe: &VarSet, term: &mut Term) {
        let Kind::Template(template) = &mut term.kind else { return };
        let known = self.errors.len();
        let parts = self.parts(safe, term.span, template);
        if self.errors.len() == known {
            let operator = [Term::var(term.span, "internal"), Term::string(term.span, "template_string")];
            let operator = Term::new(term.span, Kind::Ref(operator.into()));
            let operand = Term::new(term.span, Kind::Array(parts));
            term.kind = Kind::Call(vec![operator, operand]);
        }
    }

    fn parts(&mut self, safe: &VarSet, span: Span, template: &Template) -> Vec<Term> {
        if template.parts.is_empty() {
            return vec![Term::string(span, "")];
        }
        let mut terms = Vec::with_capacity(template.parts.len());
        for part in &template.parts {
            match part {
                TemplatePart::Text(term) => terms.push(term.clone()),
                TemplatePart::Expr(expr) => terms.extend(self.value(expr).and_then(|value| self.part(safe, expr, value))),
            }
        }
        terms
    }

    /// What an expression of a template is.
    fn value(&mut self, expr: &Expr) -> Option<Term> {
        let message = match &expr.kind {
            ExprKind::Term(term) => return Some(term.clone()),
            ExprKind::Call(parts) => {
                let relation = parts.first().and_then(|called| self.arity.builtin(called)).filter(|builtin| builtin.relation);
                match relation {
                    None => return Some(Term::new(expr.span, Kind::Call(parts.clone()))),
                    Some(builtin) => {
                        format!("illegal call to relation built-in '{}' that may cause multiple outputs", builtin.name)
                    }
                }
            }
            ExprKind::Some(_) => "unexpected template-string expression type: *ast.SomeDecl".into(),
            ExprKind::Every(_) => "unexpected template-string expression type: *ast.Every".into(),
            ExprKind::Not(_) => "unexpected template-string expression type: *ast.Not".into(),
            ExprKind::And(_) => "unexpected template-string expression type: *ast.LogicalAnd".into(),
            ExprKind::Or(_) => "unexpected template-string expression type: *ast.LogicalOr".into(),
        };
        self.errors.push(Error::new(Code::Compile, expr.span, message));
        None
    }

    /// What always has a value is a set of it; all else is captured.
    fn part(&mut self, safe: &VarSet, expr: &Expr, value: Term) -> Option<Term> {
        let span = value.span;
        let defined = match &value.kind {
            Kind::Var(_) => true,
            Kind::Ref(parts) => self.arity.is_known_defined(parts),
            _ => false,
        };
        if defined {
            return Some(Term::new(span, Kind::Set(vec![value])));
        }
        self.check(safe, &value);
        // The term that OPA makes of a call has no place.
        let span = if matches!(value.kind, Kind::Call(_)) { Span::default() } else { span };
        let local = Term::var(span, self.names.generate());
        let mut capture = equality(local.clone(), Term { span, ..value });
        capture.with.clone_from(&expr.with);
        let inner = Comprehension { term: local, body: vec![capture] };
        Some(Term::new(span, Kind::SetCompr(Box::new(inner))))
    }

    fn check(&mut self, safe: &VarSet, value: &Term) {
        let mut vars = VarSet::default();
        vars.add_term(value, SAFETY);
        for var in vars.diff(safe).sorted() {
            let name = self.rewritten.get(&var).unwrap_or(&var);
            self.errors.push(Error::new(Code::Compile, value.span, format!("var {} is undeclared", shown(name))));
        }
    }
}
