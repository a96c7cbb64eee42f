//! What an expression will cost at most: its tree, walked over the actual values. A loop over a part of a variable costs what
//! its members cost; a loop over something made on the way costs as if every variable's largest list were looped over.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue};
use serde_json::Value as Json;

use super::Variables;
use super::library::reads_text;

/// Characters of a text that are read for one unit, as upstream.
const TEXT: usize = 10;

struct Estimate<'a> {
    variables: &'a Variables,
    limit: u64,
    spent: u64,
    /// Members of the largest list or map, and bytes of the longest text.
    largest: usize,
    longest: usize,
}

/// A variable of a loop; its value, where that is known.
type Locals<'a> = Vec<(&'a str, Option<&'a Json>)>;

/// The cost; more than `limit` as soon as it is more.
pub(super) fn estimate(expression: &IdedExpr, variables: &Variables, limit: u64) -> u64 {
    let mut estimate = Estimate { variables, limit, spent: 0, largest: 0, longest: 0 };
    for value in variables.values() {
        estimate.measure(value);
    }
    estimate.walk(&expression.expr, &mut Vec::new());
    estimate.spent
}

impl<'a> Estimate<'a> {
    fn measure(&mut self, value: &Json) {
        match value {
            Json::String(text) => self.longest = self.longest.max(text.len()),
            Json::Array(members) => {
                self.largest = self.largest.max(members.len());
                members.iter().for_each(|member| self.measure(member));
            }
            Json::Object(fields) => {
                self.largest = self.largest.max(fields.len());
                fields.values().for_each(|field| self.measure(field));
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }

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
            Expr::Call(call) => self.call(call, locals),
            Expr::List(list) => list.elements.iter().for_each(|element| self.walk(&element.expr, locals)),
            Expr::Map(map) => map.entries.iter().for_each(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => {
                    self.walk(&entry.key.expr, locals);
                    self.walk(&entry.value.expr, locals);
                }
                EntryExpr::StructField(field) => self.walk(&field.value.expr, locals),
            }),
            Expr::Comprehension(loops) => self.comprehension(loops, locals),
        }
    }

    fn call(&mut self, call: &'a CallExpr, locals: &mut Locals<'a>) {
        let subject = call.target.as_deref().or(call.args.first());
        if reads_text(&call.func_name) {
            let known = subject.and_then(|subject| self.value(&subject.expr, locals)).and_then(Json::as_str);
            self.spend(known.map_or(self.longest, str::len) / TEXT);
        }
        // Equality and membership look at whole values.
        if matches!(call.func_name.as_str(), "_==_" | "_!=_" | "@in") {
            let sizes = call.args.iter().map(|argument| self.value(&argument.expr, locals).map_or(0, weight));
            let size = sizes.max().unwrap_or_default();
            self.spend(size);
        }
        if let Some(target) = call.target.as_deref() {
            self.walk(&target.expr, locals);
        }
        for argument in &call.args {
            self.walk(&argument.expr, locals);
        }
    }

    fn comprehension(&mut self, loops: &'a ComprehensionExpr, locals: &mut Locals<'a>) {
        self.walk(&loops.iter_range.expr, locals);
        self.walk(&loops.accu_init.expr, locals);
        let members: Vec<Option<&'a Json>> = match self.value(&loops.iter_range.expr, locals) {
            Some(Json::Array(members)) => members.iter().map(Some).collect(),
            Some(Json::Object(fields)) => vec![None; fields.len()],
            _ => vec![None; self.size(&loops.iter_range.expr)],
        };
        let before = locals.len();
        for member in members {
            locals.extend([(loops.accu_var.as_str(), None), (loops.iter_var.as_str(), member)]);
            locals.extend(loops.iter_var2.as_deref().map(|name| (name, None)));
            self.walk(&loops.loop_cond.expr, locals);
            self.walk(&loops.loop_step.expr, locals);
            locals.truncate(before);
            if self.is_over() {
                return;
            }
        }
        locals.push((loops.accu_var.as_str(), None));
        self.walk(&loops.result.expr, locals);
        locals.truncate(before);
    }

    /// How many members something has at most that is made on the way.
    fn size(&self, expr: &Expr) -> usize {
        match expr {
            Expr::List(list) => list.elements.len(),
            Expr::Map(map) => map.entries.len(),
            Expr::Comprehension(loops) => self.size(&loops.iter_range.expr),
            Expr::Call(call) if call.func_name == "split" => self.longest + 1,
            Expr::Call(call) if call.func_name == "_+_" => {
                call.args.iter().map(|argument| self.size(&argument.expr)).fold(0, usize::saturating_add)
            }
            _ => self.largest,
        }
    }

    /// The part of a variable that a path names.
    fn value(&self, expr: &'a Expr, locals: &Locals<'a>) -> Option<&'a Json> {
        match expr {
            Expr::Ident(name) => match locals.iter().rev().find(|(local, _)| local == name) {
                Some((_, value)) => *value,
                None => self.variables.get(name.as_str()),
            },
            Expr::Select(select) if !select.test => self.value(&select.operand.expr, locals)?.get(&select.field),
            Expr::Call(call) if call.func_name == "_[_]" => match call.args.as_slice() {
                [operand, IdedExpr { expr: Expr::Literal(LiteralValue::String(field)), .. }] => {
                    self.value(&operand.expr, locals)?.get(field.inner())
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// How many values a value is made of.
fn weight(value: &Json) -> usize {
    match value {
        Json::Array(members) => 1 + members.iter().map(weight).sum::<usize>(),
        Json::Object(fields) => 1 + fields.values().map(weight).sum::<usize>(),
        Json::String(text) => 1 + text.len() / TEXT,
        Json::Null | Json::Bool(_) | Json::Number(_) => 1,
    }
}
