//! What a query answers: rows of values.

use arcstr::ArcStr;
use foldhash::HashMap;

use crate::compile::lower;
use crate::compile::query::{self, captured};
use crate::ir::Slot;
use crate::syntax::source::{Position, Sources};
use crate::syntax::tree::{Expr, Var};
use crate::value::Value;

/// One way in which a query holds (opa `v1/rego/resultset.go`, `Result`).
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// In the order of evaluation.
    pub expressions: Vec<Expression>,
    /// The variables that somebody wrote, wildcards aside: by name, each once.
    pub bindings: Vec<(ArcStr, Value)>,
}

/// An expression of a query and its value (`ExpressionValue`).
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// `true` for what has no value of its own: what is negated, assigned, unified or declared.
    pub value: Value,
    /// As written, with its `with`.
    pub text: ArcStr,
    /// Where it begins in the query.
    pub location: Position,
}

/// What rows are made of.
#[derive(Debug)]
pub(super) struct Shape {
    /// What a row is made from: variables of the compiled query.
    pub(super) variables: Vec<Var>,
    /// Where those are.
    pub(super) slots: Vec<Slot>,
    /// Which of those values an expression has.
    expressions: Vec<(Option<usize>, ArcStr, Position)>,
    /// Which of those values a variable has.
    bindings: Vec<(ArcStr, usize)>,
}

impl Shape {
    /// Of a compiled query (opa `v1/rego/rego.go`, `generateResult`).
    pub(super) fn of(query: &query::Query, lowered: &lower::Query, sources: &Sources) -> Self {
        let mut shape = Self { variables: Vec::new(), slots: Vec::new(), expressions: Vec::new(), bindings: Vec::new() };
        let slots: HashMap<&Var, Slot> = lowered.variables.iter().map(|(name, slot)| (name, *slot)).collect();
        for expr in query.body.iter().filter(|expr| !expr.generated) {
            let value = captured(expr).and_then(|name| slots.get_key_value(name)).map(|(name, slot)| shape.add(name, *slot));
            let (text, location) = written(expr, sources);
            shape.expressions.push((value, text, location));
        }
        for (variable, slot) in &lowered.variables {
            let name = query.rewritten.get(variable).unwrap_or(variable);
            if !name.starts_with('$') && !name.starts_with("__local") {
                let value = shape.add(variable, *slot);
                shape.bindings.push((name.clone(), value));
            }
        }
        shape.bindings.sort();
        shape.bindings.dedup_by(|(later, _), (earlier, _)| later == earlier);
        shape
    }

    fn add(&mut self, variable: &Var, slot: Slot) -> usize {
        self.variables.push(variable.clone());
        self.slots.push(slot);
        self.slots.len().saturating_sub(1)
    }

    /// A row of the values of the slots.
    pub(super) fn row(&self, values: &[Value]) -> Row {
        let value = |index: usize| values.get(index).cloned().unwrap_or(Value::Null);
        let expression = |(at, text, location): &(Option<usize>, ArcStr, Position)| Expression {
            value: at.map_or(Value::True, value),
            text: text.clone(),
            location: *location,
        };
        Row {
            expressions: self.expressions.iter().map(expression).collect(),
            bindings: self.bindings.iter().map(|(name, at)| (name.clone(), value(*at))).collect(),
        }
    }
}

fn written(expr: &Expr, sources: &Sources) -> (ArcStr, Position) {
    let mut span = expr.span;
    span.end = expr.with.iter().map(|with| with.span.end).fold(span.end, u32::max);
    let location = sources.get(span.source).map(|source| source.position(span.start)).unwrap_or_default();
    (sources.text(span).into(), location)
}
