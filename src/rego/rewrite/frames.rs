//! The expressions around the one that a walk has come to, and which variables have values there.

use std::collections::{BTreeMap, BTreeSet};

use regorus::unstable::{Expr, Literal, Module as Tree, Query, Rule, RuleHead};

use crate::rego::plain::{Packages, assigned, pattern};
use crate::rego::syntax;

/// What is around an expression, outermost first.
pub(super) struct Frames {
    rules: BTreeSet<String>,
    frames: Vec<Frame>,
    /// Array comprehensions to come that are no [`Kind::Ordered`], and what they are.
    passed: BTreeMap<*const Expr, Kind>,
}

struct Frame {
    kind: Kind,
    /// Variables that have a value before anything is gone through by them.
    bound: BTreeSet<String>,
    /// Variables that `some` declares and nothing has given a value yet; they hide others of the same name.
    open: BTreeSet<String>,
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
        Self { rules: packages.rules_of(&syntax::package(tree)), frames: Vec::new(), passed: BTreeMap::new() }
    }

    /// Has an array comprehension to come, of which all members are gone through, be as what is around it.
    pub(super) fn pass(&mut self, list: &Expr) {
        self.passed.insert(std::ptr::from_ref(list), Kind::Inside);
    }

    /// Has an array comprehension to come that is only counted have no order.
    pub(super) fn count(&mut self, list: &Expr) {
        self.passed.insert(std::ptr::from_ref(list), Kind::Unordered);
    }

    /// Begins with a rule.
    pub(super) fn rule(&mut self, rule: &Rule) {
        self.frames = vec![Frame { kind: Kind::Unordered, bound: in_rule(rule), open: open_in_rule(rule) }];
    }

    pub(super) fn enter(&mut self, expr: &Expr) {
        let (kind, query) = match expr {
            Expr::ArrayCompr { query, .. } => {
                (self.passed.remove(&std::ptr::from_ref(expr)).unwrap_or(Kind::Ordered), Some(query))
            }
            Expr::SetCompr { query, .. } | Expr::ObjectCompr { query, .. } => (Kind::Unordered, Some(query)),
            _ => (Kind::Inside, None),
        };
        let bound = query.map(|query| assigned(query)).unwrap_or_default();
        self.frames.push(Frame { kind, bound, open: query.map(|query| open(query)).unwrap_or_default() });
    }

    /// Has a variable of `every`, whose body the walk comes to next, bound there.
    pub(super) fn bind(&mut self, name: &str) {
        if let Some(frame) = self.frames.last_mut() {
            frame.bound.insert(name.to_owned());
        }
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
                match self.nearest(name) {
                    Some(frame) => frame.open.contains(name),
                    None => !self.rules.contains(name) && name != "input" && name != "data",
                }
            }
            Expr::Array { items, .. } => items.iter().any(|item| self.may_go_through(item)),
            Expr::Object { fields, .. } => fields.iter().any(|(_, _, value)| self.may_go_through(value)),
            _ => false,
        }
    }
}

impl Frames {
    /// Whether a name is that of a variable which `some` declares.
    pub(super) fn is_open(&self, name: &str) -> bool {
        self.nearest(name).is_some_and(|frame| frame.open.contains(name))
    }

    /// Whether a variable of this name is declared around.
    pub(super) fn has(&self, name: &str) -> bool {
        self.nearest(name).is_some()
    }

    fn nearest(&self, name: &str) -> Option<&Frame> {
        self.frames.iter().rev().find(|frame| frame.bound.contains(name) || frame.open.contains(name))
    }
}

fn open(query: &Query) -> BTreeSet<String> {
    let declared = query.stmts.iter().filter_map(|stmt| match &stmt.literal {
        Literal::SomeVars { vars, .. } => Some(vars),
        _ => None,
    });
    declared.flatten().map(|var| var.text().to_owned()).collect()
}

fn open_in_rule(rule: &Rule) -> BTreeSet<String> {
    match rule {
        Rule::Spec { bodies, .. } => match bodies.as_slice() {
            [body] => open(&body.query),
            _ => BTreeSet::new(),
        },
        Rule::Default { .. } => BTreeSet::new(),
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
