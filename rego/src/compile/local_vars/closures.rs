//! Bodies in `not {}`, `and` and `or`, and what is done once more after those of any statement.

use super::rewriter::Rewriter;
use crate::compile::names::ASSIGN;
use crate::compile::terms::calls;
use crate::syntax::tree::{Body, Expr, ExprKind, Logical};

/// OPA rewrites what `every`, `not {}`, `and` and `or` hold once more for each of them that is around it; twice as often with each level.
/// That gives new names to `every` in comprehensions, and to variables that are declared behind their names; and what stands in `and` and
/// `or` was then mentioned outside, too. We follow it so far.
const PASSES: usize = 6;

impl Rewriter<'_> {
    /// `not {}`; without braces it may not assign.
    pub(super) fn not(&mut self, expr: &mut Expr) {
        let (from, known) = (self.repeats, self.errors.len());
        let ExprKind::Not(not) = &mut expr.kind else { return };
        if not.explicit {
            self.scopes.push();
            self.statements(&[], &mut not.body);
            self.after(expr, self.repeats > from);
            return self.scopes.pop();
        }
        self.implicit(&mut not.body, "cannot assign vars inside negated expression");
        if self.errors.len() == known {
            self.after(expr, self.repeats > from);
        }
    }

    /// `and`, `or`. All of it is rewritten once more, but for those that are an operand of one of which that is so.
    pub(super) fn logical(&mut self, expr: &mut Expr, is_operand: bool) {
        let (from, known) = (self.repeats, self.errors.len());
        let word = if matches!(expr.kind, ExprKind::And(_)) { "and" } else { "or" };
        let (ExprKind::And(logical) | ExprKind::Or(logical)) = &mut expr.kind else { return };
        let message = format!("cannot assign vars inside implicit {word} operand");
        let Logical { left, right, explicit_left, explicit_right, .. } = logical.as_mut();
        for (body, explicit) in [(left, *explicit_left), (right, *explicit_right)] {
            if explicit {
                self.scopes.push();
                self.passes = self.passes.saturating_add(1);
                self.statements(&[], body);
                self.passes = self.passes.saturating_sub(1);
                self.scopes.pop();
            } else {
                self.implicit(body, &message);
            }
        }
        if self.errors.len() == known {
            self.after(expr, !is_operand || self.repeats > from);
        }
    }

    /// A body without braces: it may not assign.
    fn implicit(&mut self, body: &mut Body, message: &str) {
        for expr in body {
            match &expr.kind {
                _ if calls(expr, &ASSIGN) => self.error(expr.span, message),
                ExprKind::Not(_) => self.not(expr),
                ExprKind::And(_) | ExprKind::Or(_) => self.logical(expr, true),
                _ => {}
            }
        }
    }

    /// Rewrites a whole statement once more after its bodies, as OPA does, where a second pass gives other names (`is_other`).
    pub(super) fn after(&mut self, expr: &mut Expr, is_other: bool) {
        if is_other && self.passes < PASSES {
            self.passes = self.passes.saturating_add(1);
            self.terms_of(expr);
            self.passes = self.passes.saturating_sub(1);
            return;
        }
        let implicit: &mut [(&mut Body, bool)] = match &mut expr.kind {
            ExprKind::Not(not) => &mut [(&mut not.body, not.explicit)],
            ExprKind::And(logical) | ExprKind::Or(logical) => {
                let Logical { left, right, explicit_left, explicit_right, .. } = logical.as_mut();
                &mut [(left, *explicit_left), (right, *explicit_right)]
            }
            _ => &mut [],
        };
        for (body, _) in implicit.iter_mut().filter(|(_, explicit)| !explicit) {
            let plain = |expr: &&mut Expr| !matches!(expr.kind, ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_));
            body.iter_mut().filter(plain).for_each(|expr| self.terms_of(expr));
        }
        expr.with.iter_mut().for_each(|with| self.shadowed_with(with));
    }
}
