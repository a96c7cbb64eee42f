//! What an expression will cost at most: its tree, walked over the actual values. A loop over a part of a variable costs what
//! its members cost; a loop over something made on the way costs as if the largest list were looped over. Questions to the
//! authorizer are not in it: they are counted as they are asked.

mod growth;
mod price;
mod size;

use std::collections::HashSet;

use cel::IdedExpr;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr};
use serde_json::Value as Json;

use super::Variables;

/// Characters of a text that are read for one unit, as upstream.
const TEXT: usize = 10;

struct Estimate<'a> {
    variables: &'a Variables,
    limit: u64,
    spent: u64,
    /// Members of the largest list or map, and bytes of the longest text.
    largest: usize,
    longest: usize,
    /// The calls whose results are counted in these already: in a loop one does not grow by being made again.
    counted: HashSet<*const CallExpr>,
}

/// A variable of a loop.
struct Local<'a> {
    name: &'a str,
    /// Its value, where that is known.
    value: Option<&'a Json>,
    /// Its members at most, where it is not.
    members: usize,
}

type Locals<'a> = Vec<Local<'a>>;

/// The cost; more than `limit` as soon as it is more.
pub(super) fn estimate(expression: &IdedExpr, variables: &Variables, limit: u64) -> u64 {
    let mut estimate = Estimate { variables, limit, spent: 0, largest: 0, longest: 0, counted: HashSet::new() };
    for value in variables.values() {
        estimate.measure(value);
    }
    estimate.walk(&expression.expr, &mut Vec::new());
    estimate.spent
}

impl<'a> Estimate<'a> {
    fn is_over(&self) -> bool {
        self.spent > self.limit
    }

    fn spend(&mut self, units: usize) {
        self.spent = self.spent.saturating_add(u64::try_from(units).unwrap_or(u64::MAX));
    }

    fn walk(&mut self, expr: &'a Expr, locals: &mut Locals<'a>) {
        self.spend(1);
        if self.is_over() {
            return;
        }
        match expr {
            Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_) | Expr::Struct(_) => {}
            Expr::Select(select) => self.walk(&select.operand.expr, locals),
            Expr::Call(call) => {
                let price = self.price(call, locals);
                self.spend(price);
                let parts = call.target.as_deref().into_iter().chain(&call.args);
                parts.for_each(|part| self.walk(&part.expr, locals));
                self.largest = self.largest.max(self.made(call, locals));
                self.grow(call, locals);
            }
            Expr::List(list) => list.elements.iter().for_each(|element| self.copy(&element.expr, locals)),
            Expr::Map(map) => map.entries.iter().for_each(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => {
                    self.walk(&entry.key.expr, locals);
                    self.copy(&entry.value.expr, locals);
                }
                EntryExpr::StructField(field) => self.walk(&field.value.expr, locals),
            }),
            Expr::Comprehension(loops) => self.comprehension(loops, locals),
        }
    }

    /// A member of something that is made: a copy.
    fn copy(&mut self, expr: &'a Expr, locals: &mut Locals<'a>) {
        self.spend(self.value(expr, locals).map_or(0, size::weight));
        self.walk(expr, locals);
    }

    fn comprehension(&mut self, loops: &'a ComprehensionExpr, locals: &mut Locals<'a>) {
        self.walk(&loops.iter_range.expr, locals);
        self.walk(&loops.accu_init.expr, locals);
        let members: Vec<Option<&'a Json>> = match self.value(&loops.iter_range.expr, locals) {
            Some(Json::Array(members)) => members.iter().map(Some).collect(),
            Some(Json::Object(fields)) => vec![None; fields.len()],
            _ => vec![None; self.size(&loops.iter_range.expr, locals)],
        };
        let before = locals.len();
        let (value, size) = (self.value(&loops.accu_init.expr, locals), self.size(&loops.accu_init.expr, locals));
        let accumulator = |value| Local { name: loops.accu_var.as_str(), value, members: size.saturating_add(members.len()) };
        for member in &members {
            locals.push(accumulator(None));
            locals.push(Local { name: loops.iter_var.as_str(), value: *member, members: self.largest });
            locals.extend(loops.iter_var2.as_deref().map(|name| Local { name, value: None, members: self.largest }));
            self.walk(&loops.loop_cond.expr, locals);
            self.walk(&loops.loop_step.expr, locals);
            locals.truncate(before);
            if self.is_over() {
                return;
            }
        }
        // What loops over nothing binds a name.
        locals.push(accumulator(value.filter(|_| members.is_empty())));
        self.walk(&loops.result.expr, locals);
        locals.truncate(before);
    }
}
