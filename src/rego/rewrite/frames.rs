//! The expressions around the one that a walk has come to, and which variables have values there.

use std::collections::BTreeSet;

use regorus::unstable::{Expr, Module as Tree, Rule, RuleHead};

use crate::rego::plain::{Packages, assigned, pattern};
use crate::rego::syntax;

/// What is around an expression, outermost first.
pub(super) struct Frames {
    rules: BTreeSet<String>,
    frames: Vec<Frame>,
}

struct Frame {
    kind: Kind,
    /// Variables that have a value before anything is gone through by them.
    bound: BTreeSet<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// An array comprehension.
    Ordered,
    /// A comprehension whose result has no order, or a rule.
    Unordered,
    /// Anything else is as what is around it.
    Inside,
}

impl Frames {
    pub(super) fn of(tree: &Tree, packages: &Packages) -> Self {
        Self { rules: packages.rules_of(&syntax::package(tree)), frames: Vec::new() }
    }

    /// Begins with a rule.
    pub(super) fn rule(&mut self, rule: &Rule) {
        self.frames = vec![Frame { kind: Kind::Unordered, bound: in_rule(rule) }];
    }

    pub(super) fn enter(&mut self, expr: &Expr) {
        let (kind, query) = match expr {
            Expr::ArrayCompr { query, .. } => (Kind::Ordered, Some(query)),
            Expr::SetCompr { query, .. } | Expr::ObjectCompr { query, .. } => (Kind::Unordered, Some(query)),
            _ => (Kind::Inside, None),
        };
        self.frames.push(Frame { kind, bound: query.map(|query| assigned(query)).unwrap_or_default() });
    }

    pub(super) fn leave(&mut self) {
        self.frames.pop();
    }

    /// Whether an array comprehension is the nearest one around.
    pub(super) fn is_ordered(&self) -> bool {
        self.frames.iter().rev().map(|frame| frame.kind).find(|kind| *kind != Kind::Inside) == Some(Kind::Ordered)
    }

    /// Whether an index is, or has inside, a variable that may get its value from what it selects.
    pub(super) fn may_go_through(&self, index: &Expr) -> bool {
        match index {
            Expr::Var { span, .. } => {
                let name = span.text();
                let known = |frame: &Frame| frame.bound.contains(name);
                !self.rules.contains(name) && name != "input" && name != "data" && !self.frames.iter().any(known)
            }
            Expr::Array { items, .. } => items.iter().any(|item| self.may_go_through(item)),
            Expr::Object { fields, .. } => fields.iter().any(|(_, _, value)| self.may_go_through(value)),
            _ => false,
        }
    }
}

/// What has a value in all of a rule.
fn in_rule(rule: &Rule) -> BTreeSet<String> {
    let Rule::Spec { head, bodies, .. } = rule else { return BTreeSet::new() };
    let mut names = BTreeSet::new();
    if let RuleHead::Func { args, .. } = head {
        args.iter().for_each(|arg| pattern(arg, &mut names));
    }
    if let [body] = bodies.as_slice() {
        names.extend(assigned(&body.query));
    }
    names
}
