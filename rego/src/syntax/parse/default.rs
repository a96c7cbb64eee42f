//! `default` (`v1/ast/parser.go`, `validateDefaultRuleValue`, `validateDefaultRuleArgs`).

use foldhash::HashSet;

use super::rule::{Draft, Words, implicit_body, written};
use super::state::{Parser, Tall};
use super::words::kind_name;
use crate::syntax::span::Span;
use crate::syntax::tree::{Expr, ExprKind, Head, Kind, Rule, TemplatePart, Term};

impl Parser<'_> {
    /// A default rule of a head.
    pub(super) fn default_rule(&mut self, begin: Span, head: Tall<Head>) -> Option<Draft> {
        let Some(value) = &head.node.value else {
            return self.fail(begin, "illegal default rule (must have a value)");
        };
        let mut found = Vec::new();
        variable_parts(value, &mut found);
        for name in &found {
            self.error(begin, format!("illegal default rule (value cannot contain {name})"));
        }
        let arguments = self.default_arguments(begin, head.node.args.as_deref().unwrap_or_default());
        if !found.is_empty() || !arguments {
            return None;
        }
        let rule = Rule { default: true, ..written(begin, head.node, implicit_body(begin)) };
        Some(Draft { rule, words: vec![Words::default()], height: head.height.saturating_add(1) })
    }

    fn default_arguments(&mut self, begin: Span, args: &[Term]) -> bool {
        let mut seen = HashSet::default();
        let mut valid = true;
        for arg in args {
            let message = match arg.as_var() {
                Some(name) if seen.insert(name) => continue,
                Some(name) => format!("illegal default rule (arguments cannot be repeated {name})"),
                None => format!("illegal default rule (arguments cannot contain {})", kind_name(&arg.kind)),
            };
            self.error(begin, message);
            valid = false;
        }
        valid
    }
}

/// What of a value is only known when it is evaluated; what stands in comprehensions is allowed.
fn variable_parts(term: &Term, found: &mut Vec<&'static str>) {
    match &term.kind {
        Kind::Var(_) | Kind::Ref(_) | Kind::Call(_) => found.push(kind_name(&term.kind)),
        Kind::Array(items) | Kind::Set(items) => items.iter().for_each(|item| variable_parts(item, found)),
        Kind::Object(members) => {
            members.iter().flat_map(|(key, value)| [key, value]).for_each(|item| variable_parts(item, found))
        }
        Kind::Template(template) => {
            for part in &template.parts {
                if let TemplatePart::Expr(expr) = part {
                    of_expression(expr, found);
                }
            }
        }
        _ => {}
    }
}

fn of_expression(expr: &Expr, found: &mut Vec<&'static str>) {
    match &expr.kind {
        ExprKind::Term(term) => variable_parts(term, found),
        ExprKind::Call(terms) => terms.iter().for_each(|term| variable_parts(term, found)),
        _ => {}
    }
}
