//! Sixty statements, each of which puts the value of the one before into an array twice, make a value that nobody can go through:
//! the interpreter shares its parts, and then compares, sorts or prints them one by one, without a look at the clock. So what
//! can share parts is measured when it is made: `a1 := [a0, a0]` is `a1 := plimsoll__.sized([a0, a0])`, which ends the evaluation
//! where a value becomes larger than any answer (`builtins/steps.rs`). That is done where a value gets a name: what is assigned,
//! the values of rules and functions, arguments of functions.

use std::collections::BTreeSet;

use regorus::unstable::{AssignOp, BUILTINS, Expr, Literal, LiteralStmt, Module as Tree, Query, Rule, RuleHead};
use regorus::{Engine, Value};

use super::bare::bare;
use super::frames::Frames;
use super::operators::{self, OWN};
use crate::rego::builtins;
use crate::rego::plain::Packages;
use crate::rego::splice::{Spliced, Splices};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

const NAME: &str = "plimsoll__.sized";
/// The same as a statement that always holds.
const STATEMENT: &str = "plimsoll__.is_sized";
/// What gives its operand ([`super::reads()`]).
const SAME: &str = "plimsoll__.same";

/// Makes the function of an engine.
pub(super) fn install(engine: &mut Engine) {
    let sized = |values: &[Value]| builtins::sized(values).map_err(|error| anyhow::anyhow!("limit: a collection {error}"));
    let first = move |values: Vec<Value>| {
        sized(&values)?;
        Ok(values.into_iter().next().unwrap_or(Value::Undefined))
    };
    operators::add(engine, NAME, 1, Box::new(first));
    operators::add(engine, STATEMENT, 1, Box::new(move |values: Vec<Value>| sized(&values).map(|()| Value::from(true))));
}

/// Measures what a module makes, whose names are written out.
pub(in crate::rego) fn name(text: &str, tree: &Tree, packages: &Packages) -> Spliced {
    let mut sizes = Sizes { text, frames: Frames::of(tree, packages), bare: bare(text), splices: Splices::default() };
    for rule in &tree.policy {
        sizes.frames.rule(rule);
        sizes.head(rule);
        walk::rule(rule, &mut sizes);
    }
    sizes.splices.apply(text)
}

struct Sizes<'t> {
    text: &'t str,
    frames: Frames,
    /// Where a body is one statement without braces: nothing comes behind it.
    bare: BTreeSet<usize>,
    splices: Splices,
}

impl Visitor for Sizes<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        if let Expr::Call { fcn, params, .. } = expr
            && is_of_policy(fcn)
        {
            // The last one may be a pattern for the result.
            for param in params.iter().filter(|param| !self.frames.may_go_through(param)).collect::<Vec<_>>() {
                self.value(param);
            }
        }
        self.frames.enter(expr);
        true
    }

    fn leave(&mut self) {
        self.frames.leave();
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        stmt.with_mods.iter().for_each(|with| self.value(&with.r#as));
        let Literal::Expr { expr, .. } = &stmt.literal else { return };
        let Expr::AssignExpr { op, lhs, rhs, .. } = expr.as_ref() else { return };
        match (op, lhs.as_ref(), rhs.as_ref()) {
            (AssignOp::ColEq, Expr::Var { .. }, rhs) => self.value(rhs),
            (AssignOp::Eq, Expr::Var { span, .. }, literal) | (AssignOp::Eq, literal, Expr::Var { span, .. })
                if stmt.with_mods.is_empty() && may_share(literal) =>
            {
                self.equation(span.text(), expr);
            }
            _ => {}
        }
    }
}

impl Sizes<'_> {
    /// The values of a rule, and members of a set.
    fn head(&mut self, rule: &Rule) {
        let Rule::Spec { head, bodies, .. } = rule else { return };
        let own = match head {
            RuleHead::Compr { assign, .. } | RuleHead::Func { assign, .. } => assign.as_ref().map(|assign| &assign.value),
            RuleHead::Set { key, .. } => key.as_ref(),
        };
        own.into_iter().for_each(|value| self.value(value));
        if let Some(value) = own.filter(|_| !is_whole(head)) {
            self.part(value, bodies.first().map(|body| body.query.as_ref()));
        }
        for assign in bodies.iter().filter_map(|body| body.assign.as_ref()) {
            self.value(&assign.value);
        }
    }

    /// What several results of a body, or several rules, put into one collection: the same each time, unless it is what the body
    /// goes through.
    fn part(&mut self, value: &Expr, body: Option<&Query>) {
        let is_named = matches!(value, Expr::Var { .. } | Expr::RefDot { .. } | Expr::RefBrack { .. } | Expr::Call { .. });
        let root = syntax::path(value).and_then(|path| path.names.into_iter().next());
        let is_element = root.is_some_and(|root| body.is_some_and(|body| goes_through_once(body, &root)));
        let range = syntax::range(value, self.text);
        if is_named && may_be_large(value) && !is_element && !self.splices.cover(range.start) {
            self.splices.insert(range.start, range.start, format!("{NAME}("));
            self.splices.insert(range.end, range.end, ")".to_owned());
        }
    }

    /// Which side of a `=` has the value nobody knows here: the variable is measured when it has one.
    fn equation(&mut self, name: &str, equation: &Expr) {
        let range = syntax::range(equation, self.text);
        if name != "_" && !self.bare.contains(&range.start) {
            self.splices.insert(range.end, range.end, format!("; {STATEMENT}({name})"));
        }
    }

    fn value(&mut self, value: &Expr) {
        if let Expr::Call { fcn, params, .. } = value
            && is_called(fcn, SAME)
        {
            // What is assigned already goes through a function, which this one can stand for.
            if params.first().is_some_and(|value| may_share(value)) {
                let name = syntax::range(fcn, self.text);
                self.splices.insert(name.start, name.end, NAME.to_owned());
            }
            return;
        }
        if !may_share(value) {
            return;
        }
        let range = syntax::range(value, self.text);
        let written = self.text.get(range.clone()).unwrap_or_default();
        let is_closed =
            matches!((written.chars().next(), written.chars().last()), (Some('['), Some(']')) | (Some('{'), Some('}')))
                || written.starts_with(OWN) && written.ends_with(')');
        // Of a set that is empty, or in parentheses, the parser says nothing that could be relied upon.
        if is_closed && !self.splices.cover(range.start) {
            self.splices.insert(range.start, range.start, format!("{NAME}("));
            self.splices.insert(range.end, range.end, ")".to_owned());
        }
    }
}

/// Whether the head is a name alone, or that of a function: its value is one, and named by itself.
fn is_whole(head: &RuleHead) -> bool {
    match head {
        RuleHead::Compr { refr, .. } => matches!(refr.as_ref(), Expr::Var { .. }),
        RuleHead::Set { .. } => false,
        RuleHead::Func { .. } => true,
    }
}

/// Whether a body goes through one collection only, whose members this variable names.
fn goes_through_once(body: &Query, name: &str) -> bool {
    let mut iterations = Iterations::default();
    walk::query(body, &mut iterations);
    let is_member = |stmt: &LiteralStmt| match &stmt.literal {
        Literal::SomeIn { key, value, .. } => {
            key.iter().chain([value]).any(|part| matches!(part.as_ref(), Expr::Var { span, .. } if span.text() == name))
        }
        _ => false,
    };
    iterations.0 == 1 && body.stmts.iter().any(is_member)
}

/// How often something may be gone through, in all of a body.
#[derive(Default)]
struct Iterations(usize);

impl Visitor for Iterations {
    fn expr(&mut self, expr: &Expr) -> bool {
        if let Expr::RefBrack { index, .. } = expr {
            let is_constant = syntax::constant_name(index).is_some() || matches!(index.as_ref(), Expr::Number { .. });
            self.0 = self.0.saturating_add(usize::from(!is_constant));
        }
        true
    }

    fn iteration(&mut self) {
        self.0 = self.0.saturating_add(1);
    }
}

/// Whether a value may have one part in several places that was in one place before.
fn may_share(value: &Expr) -> bool {
    match value {
        Expr::ArrayCompr { term, .. } | Expr::SetCompr { term, .. } => may_be_large(term),
        Expr::ObjectCompr { key, value, .. } => may_be_large(key) || may_be_large(value),
        // Objects with computed keys are written so.
        Expr::Call { fcn, params, .. } => {
            is_called(fcn, "plimsoll__.object") && params.iter().map(|param| large(param)).sum::<usize>() > 1
        }
        literal => large(literal) > 1,
    }
}

/// How many expressions in a literal may have large values.
fn large(literal: &Expr) -> usize {
    let count = |expr: &Expr| if is_literal(expr) { large(expr) } else { usize::from(may_be_large(expr)) };
    match literal {
        Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().map(|item| count(item)).sum(),
        Expr::Object { fields, .. } => fields.iter().flat_map(|(_, key, value)| [key, value]).map(|part| count(part)).sum(),
        _ => 0,
    }
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Array { .. } | Expr::Set { .. } | Expr::Object { .. })
}

/// Whether an expression may have a collection for its value.
fn may_be_large(expr: &Expr) -> bool {
    match expr {
        Expr::Var { .. } | Expr::RefDot { .. } | Expr::RefBrack { .. } | Expr::BinExpr { .. } => true,
        Expr::ArrayCompr { .. } | Expr::SetCompr { .. } | Expr::ObjectCompr { .. } => true,
        Expr::Call { fcn, .. } => !syntax::path(fcn).is_some_and(|path| SMALL.contains(&path.names.join(".").as_str())),
        Expr::Array { .. } | Expr::Set { .. } | Expr::Object { .. } => large(expr) > 0,
        _ => false,
    }
}

/// Functions that answer with a number, a text or a truth, and are called often.
const SMALL: [&str; 15] = [
    "concat",
    "contains",
    "count",
    "endswith",
    "format_int",
    "lower",
    "plimsoll__.minus",
    "plimsoll__.plus",
    "plimsoll__.template_string",
    "replace",
    "sprintf",
    "startswith",
    "to_number",
    "trim",
    "upper",
];

fn is_called(fcn: &Expr, name: &str) -> bool {
    syntax::path(fcn).is_some_and(|path| path.names.join(".") == name)
}

fn is_of_policy(fcn: &Expr) -> bool {
    syntax::path(fcn).is_some_and(|path| {
        let name = path.names.join(".");
        !name.starts_with(OWN) && builtins::operands(&name).is_none() && !BUILTINS.contains_key(name.as_str())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use crate::rego::{Limits, Module, Program, RegoVersion, Value};

    /// Statements that double a value, and what is done with it, end at a limit; at once, for nothing was gone through.
    #[test]
    fn a_value_that_nobody_could_go_through_is_not_made() {
        let steps = |step: &str| {
            (1..=60).map(|n| step.replace("$", &n.to_string()).replace('#', &(n - 1).to_string())).collect::<String>()
        };
        for step in [
            "a$ := [a#, a#]\n",
            "a$ := {\"l\": a#, \"r\": a#}\n",
            "a$ := {input.x: a#, \"r\": a#}\n",
            "a$ := [a# | some _ in [1, 2]]\n",
            "a$ := {i: a# | some i in [1, 2]}\n",
            "a$ := array.concat([a#], [a#])\n",
            "a$ := object.union({\"l\": a#}, {\"r\": a#})\n",
            "a$ := json.patch([], [{\"op\": \"add\", \"path\": \"0\", \"value\": a#}, {\"op\": \"add\", \"path\": \"1\", \"value\": a#}])\n",
            "a$ := {[a#, 1]} | {[a#, 2]}\n",
        ] {
            let text = format!("package n\n\nr if {{\na0 := [input.x]\nb0 := a0\n{}a60 == a60\n}}\n", steps(step));
            ends(&text, step);
        }
        let functions = steps("f$(x) := f#([x, x])\n");
        ends(&format!("package n\n\nf0(x) := x\n{functions}r := count(f60(input.x))\n"), "arguments of functions");
        for rule in ["a$ := [a#, a#]\n", "a$ := y if {\ny = [a#, a#]\n}\n", "a$ := y if {\n[a#, a#] = y\n}\n"] {
            ends(&format!("package n\n\na0 := [input.x]\n{}r := count(a60)\n", steps(rule)), rule);
        }
        for rule in [
            "a$[i] := a# if some i in [0, 1]\n",
            "a$.l := a#\na$.r := a#\n",
            "a$[i] := x if {\nsome i in [0, 1]\nx := a#\n}\n",
            "a$[i] := same(a#) if some i in [0, 1]\n",
            "a$[i] := x if {\nsome x in [a#]\nsome i in [0, 1]\n}\n",
            "a$ contains x if {\nsome i in [0, 1]\nx := [i, a#]\n}\n",
        ] {
            ends(&format!("package n\n\nsame(x) := x\n\na0 := [input.x]\n{}r := count(a60)\n", steps(rule)), rule);
        }
    }

    fn ends(text: &str, what: &str) {
        let program = Program::compile(&[Module { key: "n.rego".into(), text: text.into() }], RegoVersion::V1);
        let program = Arc::new(program.unwrap_or_else(|errors| panic!("{what}: {errors:?}")));
        let input = Value::from(serde_json::json!({"x": "x"}));
        let (limits, started) = (Limits { time: Duration::from_millis(200), ..Limits::default() }, Instant::now());
        let answer = program.prepare(Value::object([])).unwrap().document(&["n".into(), "r".into()], Some(&input), &limits);
        let error = answer.expect_err(what).to_string();
        // Whichever comes first: without optimisation that is time.
        assert!(error.contains("more than 16000000 values") || error.contains("time limit of 200ms"), "{what}: {error}");
        assert!(started.elapsed() < limits.time * 20, "{what}: {:?}", started.elapsed());
    }
}
