//! `not true`, or `true` under `with`, that is all of a body: OPA's compiler takes it for no body (`isEmptyBody` of opa
//! `v1/ast/compile.go`) once it puts in its place what the head has to evaluate, `r := input.a if not true`. Where the head has
//! nothing to evaluate it stays what it is. So here it becomes `true` in front of such heads.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Literal, Module as Tree, Query, Rule, RuleAssign, RuleHead};

use super::frames::Frames;
use super::negation::global;
use crate::rego::plain::Packages;
use crate::rego::splice::{Spliced, Splices};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Writes such bodies of a module so; nothing if there are none.
pub(super) fn name(text: &str, tree: &Tree, packages: &Packages) -> Option<Spliced> {
    let global = global(tree, &packages.rules_of(&syntax::package(tree)));
    let mut bodies = Bodies { text, global, frames: Frames::of(tree, packages), splices: Splices::default() };
    for rule in &tree.policy {
        bodies.frames.rule(rule);
        bodies.rule(rule);
        walk::rule(rule, &mut bodies);
    }
    (!bodies.splices.is_empty()).then(|| bodies.splices.apply(text))
}

struct Bodies<'t> {
    text: &'t str,
    /// Names that are references: rules and import aliases.
    global: BTreeSet<String>,
    frames: Frames,
    splices: Splices,
}

impl Visitor for Bodies<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::ArrayCompr { term, query, .. } | Expr::SetCompr { term, query, .. } => self.body(&[term], query),
            Expr::ObjectCompr { key, value, query, .. } => self.body(&[key, value], query),
            _ => {}
        }
        self.frames.enter(expr);
        true
    }

    fn leave(&mut self) {
        self.frames.leave();
    }
}

impl Bodies<'_> {
    fn rule(&mut self, rule: &Rule) {
        let Rule::Spec { head, bodies, .. } = rule else { return };
        let (refr, args, last) = match head {
            RuleHead::Compr { refr, assign, .. } => (refr, &[][..], assign.as_ref().map(value)),
            RuleHead::Func { refr, args, assign, .. } => (refr, args.as_slice(), assign.as_ref().map(value)),
            RuleHead::Set { refr, key, .. } => (refr, &[][..], key.as_deref()),
        };
        let computed = self.computes(refr);
        for body in bodies {
            let last = if body.is_else { body.assign.as_ref().map(value) } else { last };
            if computed {
                self.empty(&body.query);
            } else {
                let parts: Vec<&Expr> = args.iter().map(|arg| &**arg).chain(last).collect();
                self.parts(&parts, &body.query);
            }
        }
    }

    /// A body whose head has these parts.
    fn body(&mut self, parts: &[&regorus::unstable::Ref<Expr>], query: &Query) {
        let parts: Vec<&Expr> = parts.iter().map(|part| &***part).collect();
        self.parts(&parts, query);
    }

    fn parts(&mut self, parts: &[&Expr], query: &Query) {
        if parts.iter().any(|part| self.evaluates(part)) {
            self.empty(query);
        }
    }

    /// Writes `true` for the one statement of a body, if it is that, negated or with replacements.
    fn empty(&mut self, query: &Query) {
        let [stmt] = query.stmts.as_slice() else { return };
        let (Literal::Expr { expr, .. } | Literal::NotExpr { expr, .. }) = &stmt.literal else { return };
        let is_true = matches!(&**expr, Expr::Bool { value, .. } if value.as_bool().is_ok_and(|value| *value));
        let is_plain = matches!(stmt.literal, Literal::Expr { .. }) && stmt.with_mods.is_empty();
        if !is_true || is_plain {
            return;
        }
        let (start, end) = (syntax::opened(stmt.span.start, self.text), syntax::closed(stmt.span.end, self.text));
        let breaks = self.text.get(start..end).map_or(0, |text| text.matches('\n').count());
        self.splices.insert(start, end, format!("true{}", "\n".repeat(breaks)));
    }

    /// Whether brackets of a head's reference have more in them than a constant or a variable.
    fn computes(&self, reference: &Expr) -> bool {
        let mut rest = reference;
        while let Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } = rest {
            if let Expr::RefBrack { index, .. } = rest
                && (matches!(&**index, Expr::Array { .. } | Expr::Set { .. } | Expr::Object { .. }) || self.evaluates(index))
            {
                return true;
            }
            rest = refr;
        }
        false
    }

    /// Whether there is a reference, a call or a comprehension in a part of a head.
    fn evaluates(&self, part: &Expr) -> bool {
        match part {
            Expr::String { .. } | Expr::RawString { .. } | Expr::Number { .. } | Expr::Bool { .. } | Expr::Null { .. } => false,
            Expr::Var { span, .. } => self.global.contains(span.text()) && !self.frames.has(span.text()),
            Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().any(|item| self.evaluates(item)),
            Expr::Object { fields, .. } => fields.iter().any(|(_, key, value)| self.evaluates(key) || self.evaluates(value)),
            Expr::UnaryExpr { expr, .. } => !matches!(&**expr, Expr::Number { .. }),
            _ => true,
        }
    }
}

fn value(assign: &RuleAssign) -> &Expr {
    &assign.value
}
