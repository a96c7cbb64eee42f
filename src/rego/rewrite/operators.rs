//! Operators on operands of a wrong type, and division by zero: OPA's are undefined, the interpreter ends the evaluation; and
//! `x in undefined` is undefined, not false; and in comparisons sets come before objects. So operators are written as calls of our
//! own functions, `a + b` as `plimsoll__.plus(a, b)`, which answer as OPA's do (opa `v1/topdown/arithmetic.go`, `sets.go`, `casts.go`).

use std::collections::BTreeSet;
use std::ops::Range;

use regorus::unstable::{ArithOp, BinOp, Expr, Literal, LiteralStmt, Module as Tree};
use regorus::{Engine, Value};

use super::negation::global;
use crate::rego::builtins;
use crate::rego::splice::{Spliced, Splices};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

mod compare;
mod compute;
mod decimal;
mod documents;
mod near;
mod steps;

pub(super) use compute::{integer, product, sum};
pub(in crate::rego) use decimal::{Long, held};
pub(super) use steps::stepped;

/// Makes the operators functions of an engine.
pub(super) fn install(engine: &mut Engine) {
    for (name, operands, call) in compute::OPERATORS {
        let answer = move |values: Vec<Value>| match call(&values) {
            Ok(value) => Ok(value),
            Err(compute::Failure::Opas(_)) if !builtins::is_strict() => Ok(Value::Undefined),
            Err(error) => Err(anyhow::anyhow!("{error}")),
        };
        add(engine, name, operands, Box::new(answer));
    }
    for (name, call) in compare::COMPARISONS {
        add(engine, name, 2, Box::new(move |values: Vec<Value>| call(&values)));
    }
    for (name, call) in compare::COLLECTIONS {
        add(engine, name, 1, Box::new(move |values: Vec<Value>| call(&values)));
    }
    for (name, operands, call) in documents::DOCUMENTS {
        add(engine, name, operands, Box::new(move |values: Vec<Value>| call(&values)));
    }
}

/// What goes through a collection in place of it, by the name of its function.
pub(super) fn collection(name: &str, collection: &Value) -> anyhow::Result<Value> {
    match compare::COLLECTIONS.iter().find(|(own, _)| *own == name) {
        Some((_, call)) => call(std::slice::from_ref(collection)),
        None => anyhow::bail!("`{name}` goes through nothing"),
    }
}

/// What operators are called by name, the function for it, and its operands. (`eq` and `assign` are no functions: they bind variables.)
const NAMED: [(&str, &str, usize); 15] = [
    ("plus", "plimsoll__.plus", 2),
    ("minus", "plimsoll__.minus", 2),
    ("mul", "plimsoll__.mul", 2),
    ("div", "plimsoll__.div", 2),
    ("rem", "plimsoll__.rem", 2),
    ("and", "plimsoll__.and", 2),
    ("or", "plimsoll__.or", 2),
    ("equal", "plimsoll__.equal", 2),
    ("neq", "plimsoll__.neq", 2),
    ("lt", "plimsoll__.lt", 2),
    ("lte", "plimsoll__.lte", 2),
    ("gt", "plimsoll__.gt", 2),
    ("gte", "plimsoll__.gte", 2),
    ("internal.member_2", "plimsoll__.member_2", 2),
    ("internal.member_3", "plimsoll__.member_3", 3),
];

/// How many operands an operator that can be called by name takes.
pub(in crate::rego) fn operands(name: &str) -> Option<usize> {
    NAMED.iter().find_map(|(called, _, operands)| (*called == name).then_some(*operands))
}

/// What the names of these functions begin with; no module may have it.
pub(in crate::rego) const OWN: &str = "plimsoll__";

/// Whether a function of ours has this name.
pub(super) fn provides(name: &str) -> bool {
    documents::DOCUMENTS.iter().any(|(own, ..)| *own == name)
}

pub(super) fn add(engine: &mut Engine, name: &'static str, operands: u8, function: Box<dyn regorus::Extension>) {
    // Refused only for a second extension of the name, and the tables have each once.
    if let Err(error) = engine.add_extension(name.to_owned(), operands, function) {
        tracing::error!(%error, name, "operator is not installed");
    }
}

/// Writes the operators of a module as calls; nothing if there are none.
pub(super) fn name(text: &str, tree: &Tree, rules: &BTreeSet<String>) -> Option<Spliced> {
    let mut operators = Operators {
        text,
        global: global(tree, rules),
        splices: Splices::default(),
        found: false,
        statement: None,
        within: BTreeSet::new(),
    };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut operators));
    operators.found.then(|| operators.splices.apply(text))
}

struct Operators<'t> {
    text: &'t str,
    /// What a name stands for first: a policy may have a function `plus`.
    global: BTreeSet<String>,
    splices: Splices,
    found: bool,
    /// Where a statement begins that is a membership itself: whether false or undefined, it fails.
    statement: Option<u32>,
    /// What is computed for another operator.
    within: BTreeSet<(u32, u32)>,
}

impl Visitor for Operators<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::ArithExpr { op, span, lhs, rhs, .. } => {
                let within = if self.within.remove(&(span.start, span.end)) { "_within" } else { "" };
                self.hand_over([lhs, rhs]);
                self.infix(expr, lhs, &format!("{}{within}", arithmetic(op)), symbol(op));
            }
            Expr::BinExpr { op, lhs, .. } => match op {
                BinOp::Union => self.infix(expr, lhs, "plimsoll__.or", "|"),
                BinOp::Intersection => self.infix(expr, lhs, "plimsoll__.and", "&"),
            },
            Expr::BoolExpr { op, lhs, rhs, .. } => {
                if let Some((function, symbol)) = compare::function(op, lhs, rhs) {
                    self.hand_over([lhs, rhs]);
                    self.infix(expr, lhs, function, symbol);
                }
            }
            // An element of a set is its own key: that form is always written so.
            Expr::Membership { span, key, value, .. } if self.statement.take() != Some(span.start) || key.is_some() => {
                let function = if key.is_some() { "plimsoll__.member_3" } else { "plimsoll__.member_2" };
                self.infix(expr, value, function, "in");
            }
            Expr::Call { fcn, .. } => {
                self.named(fcn);
            }
            _ => {}
        }
        true
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        let (Literal::Expr { expr, .. } | Literal::NotExpr { expr, .. }) = &stmt.literal else { return };
        self.statement = match expr.as_ref() {
            Expr::Membership { span, .. } => Some(span.start),
            _ => None,
        };
    }
}

impl Operators<'_> {
    /// `plus(a, b)` is `a + b`.
    fn named(&mut self, fcn: &Expr) -> Option<()> {
        let path = syntax::path(fcn)?;
        let name = path.names.join(".");
        let (_, function, _) = NAMED.iter().find(|(called, ..)| *called == name)?;
        if !self.global.contains(path.names.first()?) {
            let Range { start, end } = syntax::range(fcn, self.text);
            self.splices.insert(start, end, (*function).to_owned());
            self.found = true;
        }
        Some(())
    }

    /// Operands that are computed keep all their bits.
    fn hand_over(&mut self, operands: [&Expr; 2]) {
        self.within.extend(operands.into_iter().filter_map(|operand| match operand {
            Expr::ArithExpr { op: ArithOp::Mod, .. } => None,
            Expr::ArithExpr { span, .. } => Some((span.start, span.end)),
            _ => None,
        }));
    }

    /// `lhs op rhs` becomes `function(lhs, rhs)`.
    fn infix(&mut self, whole: &Expr, lhs: &Expr, function: &str, op: &str) {
        let Range { start, end } = syntax::range(whole, self.text);
        let Some(at) = syntax::behind(self.text, syntax::range(lhs, self.text).end, op) else { return };
        self.splices.insert(start, start, format!("{function}("));
        self.splices.insert(at, at.saturating_add(op.len()), if op == "in" { " , ".into() } else { ",".into() });
        self.splices.insert(end, end, ")".into());
        self.found = true;
    }
}

fn arithmetic(op: &ArithOp) -> &'static str {
    match op {
        ArithOp::Add => "plimsoll__.plus",
        ArithOp::Sub => "plimsoll__.minus",
        ArithOp::Mul => "plimsoll__.mul",
        ArithOp::Div => "plimsoll__.div",
        ArithOp::Mod => "plimsoll__.rem",
    }
}

fn symbol(op: &ArithOp) -> &'static str {
    match op {
        ArithOp::Add => "+",
        ArithOp::Sub => "-",
        ArithOp::Mul => "*",
        ArithOp::Div => "/",
        ArithOp::Mod => "%",
    }
}
