//! `not true`, or `true` under `with`, that is all of a body: OPA's compiler takes it for no body (`isEmptyBody` of opa
//! `v1/ast/compile.go`) once it puts in its place what the head has to evaluate, `r := input.a if not true`. Where the head has
//! nothing to evaluate it stays what it is. So here it becomes `true` in front of such heads.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Tree, Query, Rule, RuleAssign, RuleHead};

use super::frames::Frames;
use super::negation::global;
use super::written::has_template;
use crate::rego::plain::Packages;
use crate::rego::splice::{Spliced, Splices};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

const TEMPLATE: &str = "with this body, OPA evaluates a template-string without expressions, or a string that begins with \\u, otherwise than a string: write the string as it is";

/// Writes such bodies of a module so; nothing if there are none.
pub(super) fn name(text: &str, tree: &Tree, packages: &Packages) -> anyhow::Result<Option<Spliced>> {
    let global = global(tree, &packages.rules_of(&syntax::package(tree)));
    let mut bodies = Bodies { text, global, frames: Frames::of(tree, packages), splices: Splices::default(), refusal: None };
    for rule in &tree.policy {
        bodies.frames.rule(rule);
        bodies.rule(rule);
        walk::rule(rule, &mut bodies);
    }
    match bodies.refusal {
        Some(refusal) => Err(refusal),
        None => Ok((!bodies.splices.is_empty()).then(|| bodies.splices.apply(text))),
    }
}

struct Bodies<'t> {
    text: &'t str,
    /// Names that are references: rules and import aliases.
    global: BTreeSet<String>,
    frames: Frames,
    splices: Splices,
    refusal: Option<anyhow::Error>,
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
                if has_template(refr) {
                    self.refuse(&body.query);
                }
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
        } else if parts.iter().any(|part| has_template(part)) {
            self.refuse(query);
        }
    }

    fn refuse(&mut self, query: &Query) {
        if let Some(stmt) = no_body(query) {
            self.refusal.get_or_insert_with(|| stmt.span.error(TEMPLATE));
        }
    }

    /// Writes `true` for the one statement of a body, if it is that, negated or with replacements.
    fn empty(&mut self, query: &Query) {
        let Some(stmt) = no_body(query) else { return };
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

/// The one statement of a body, if it is `true`, negated or with replacements.
fn no_body(query: &Query) -> Option<&LiteralStmt> {
    let [stmt] = query.stmts.as_slice() else { return None };
    let (Literal::Expr { expr, .. } | Literal::NotExpr { expr, .. }) = &stmt.literal else { return None };
    let is_true = matches!(&**expr, Expr::Bool { value, .. } if value.as_bool().is_ok_and(|value| *value));
    let is_plain = matches!(stmt.literal, Literal::Expr { .. }) && stmt.with_mods.is_empty();
    (is_true && !is_plain).then_some(stmt)
}

fn value(assign: &RuleAssign) -> &Expr {
    &assign.value
}

#[cfg(test)]
mod tests {
    use crate::rego::{Module, Program, RegoVersion};

    #[test]
    fn templates_that_opa_would_evaluate_are_refused() {
        for (rule, refused) in [
            ("r := $\"a\" if not true", true),
            ("r := [$\"a\"] if true with input as 1", true),
            ("r[$\"a\"] := 1 if not true", true),
            ("r := [$\"a\" | not true]", true),
            ("r := \"a\" if not true", false),
            ("r := $\"a\" if true", false),
            ("r := $\"{input.a}\" if not true", false),
        ] {
            let module = Module { key: "n.rego".into(), text: format!("package n\n\n{rule}\n") };
            let message =
                Program::compile(&[module], RegoVersion::V1).err().map(|errors| errors.iter().map(ToString::to_string).collect());
            let is_refused = message.as_ref().is_some_and(|message: &String| message.contains("with this body"));
            assert!(is_refused == refused && message.is_some() == refused, "{rule}: {message:?}");
        }
    }
}
