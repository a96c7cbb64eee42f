//! Arguments of functions that are patterns with objects, and variables that stand in several places of them: the interpreter
//! takes larger objects too, and the last value of such a variable. `f({"a": x}, x) := y` is `f(p0, x) := y`, and every body
//! begins with `{"a": p1} := plimsoll__.exact(p0, {"a": null}); x == p1`.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Rule, RuleBody, RuleHead};

use super::{Patterns, shape};
use crate::rego::splice::place;
use crate::rego::syntax;

impl Patterns<'_> {
    /// Writes the arguments of a rule's head so.
    pub(super) fn arguments(&mut self, rule: &Rule) {
        let Rule::Spec { head: head @ RuleHead::Func { args, assign, .. }, bodies, .. } = rule else { return };
        let (mut seen, mut statements) = (BTreeSet::new(), Vec::new());
        // What stays in the head is declared there.
        let (moved, staying): (Vec<&Expr>, Vec<&Expr>) = args.iter().map(|arg| &**arg).partition(|arg| shape::has_object(arg));
        staying.into_iter().chain(moved).for_each(|arg| self.declare(arg, &mut seen, &mut statements));
        if statements.is_empty() {
            return;
        }
        let statements = statements.join("; ");
        let RuleHead::Func { span, .. } = head else { return };
        let end = assign.as_ref().map_or(span.end, |assign| assign.span.end);
        if !bodies.iter().any(|body| !body.is_else) {
            self.empty(syntax::closed(end, self.text), &statements);
        }
        for body in bodies {
            self.begin(body, end, &statements);
        }
    }

    /// Puts statements at the beginning of a body; `head` is where the head ends.
    fn begin(&mut self, body: &RuleBody, head: u32, statements: &str) {
        match (body.query.stmts.first(), body.query.stmts.last()) {
            (Some(first), Some(last)) => {
                let around = self.around.entry((self.start(first), syntax::closed(last.span.end, self.text))).or_default();
                around.0 = format!("{statements}; ");
            }
            _ => {
                let end = if body.is_else { body.assign.as_ref().map_or(body.span.end, |assign| assign.span.end) } else { head };
                self.empty(syntax::closed(end, self.text), statements);
            }
        }
    }

    /// Writes a body where there is none.
    fn empty(&mut self, at: usize, statements: &str) {
        let keyword = if self.v1 { "if " } else { "" };
        self.splices.insert(at, at, format!(" {keyword}{{ {statements} }}"));
    }

    /// Replaces what declares variables, but cannot stay as it is, and adds statements for it.
    pub(super) fn declare(&mut self, pattern: &Expr, seen: &mut BTreeSet<String>, statements: &mut Vec<String>) {
        let (mut variables, mut repeated) = (Vec::new(), Vec::new());
        shape::variables(pattern, &mut variables);
        for span in &variables {
            if !seen.insert(span.text().to_owned()) {
                repeated.push((*span, self.fresh()));
            }
        }
        if shape::has_object(pattern) {
            let operator = if variables.is_empty() { "=" } else { ":=" };
            let moved = shape::renamed(pattern, self.text, &repeated);
            statements.push(self.moved(pattern, &moved, operator));
        } else {
            for (span, name) in &repeated {
                self.splices.insert(place(span.start), place(span.end), name.clone());
            }
        }
        statements.extend(repeated.iter().map(|(span, name)| format!("{} == {name}", span.text())));
    }
}
