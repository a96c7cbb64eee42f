//! How large something is: exactly where it is a part of a variable, at most where it is made on the way.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, LiteralValue};
use serde_json::Value as Json;

use super::super::check::qualified;
use super::{Estimate, Local, Locals, TEXT};

/// Members of `lists.range` at most, as cel-go.
const RANGE: usize = 1_000_000;

impl<'a> Estimate<'a> {
    /// Notes how large the parts of a variable are.
    pub(super) fn measure(&mut self, value: &Json) {
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

    /// Bytes of a text at most.
    pub(super) fn text(&self, expr: &'a Expr, locals: &Locals<'a>) -> usize {
        match expr {
            Expr::Literal(LiteralValue::String(text)) => text.inner().len(),
            expr => self.value(expr, locals).and_then(Json::as_str).map_or(self.longest, str::len),
        }
    }

    /// Members of a list or map at most.
    pub(super) fn size(&self, expr: &'a Expr, locals: &Locals<'a>) -> usize {
        match self.value(expr, locals) {
            Some(Json::Array(members)) => return members.len(),
            Some(Json::Object(fields)) => return fields.len(),
            _ => {}
        }
        match expr {
            Expr::List(list) => list.elements.len(),
            Expr::Map(map) => map.entries.len(),
            Expr::Comprehension(loops) if matches!(&loops.iter_range.expr, Expr::List(list) if list.elements.is_empty()) => {
                self.size(&loops.accu_init.expr, locals).max(self.largest)
            }
            Expr::Comprehension(loops) => self.size(&loops.iter_range.expr, locals),
            Expr::Call(call) => match call.func_name.as_str() {
                "_+_" => call.args.iter().map(|part| self.size(&part.expr, locals)).fold(0, usize::saturating_add),
                _ => match self.made(call, locals) {
                    0 => self.largest,
                    made => made,
                },
            },
            Expr::Ident(name) => locals.iter().rev().find(|local| local.name == name).map_or(self.largest, |local| local.members),
            _ => self.largest,
        }
    }

    /// Members of what a call makes at most; 0 for what makes no list.
    pub(super) fn made(&self, call: &'a CallExpr, locals: &Locals<'a>) -> usize {
        let subject = || call.target.as_deref().or(call.args.first());
        match (call.func_name.as_str(), call.args.as_slice()) {
            ("split" | "findAll", _) => self.longest.saturating_add(1),
            ("flatten", _) => match subject().and_then(|subject| self.value(&subject.expr, locals)) {
                Some(list) => weight(list),
                None => subject().map_or(0, |subject| self.size(&subject.expr, locals)).saturating_mul(self.largest.max(1)),
            },
            ("range", [IdedExpr { expr: Expr::Literal(LiteralValue::Int(most)), .. }]) if qualified(call).is_some() => {
                usize::try_from(*most.inner()).unwrap_or_default().min(RANGE)
            }
            ("range", _) => RANGE,
            _ => 0,
        }
    }

    /// The part of a variable that a path names.
    pub(super) fn value(&self, expr: &'a Expr, locals: &Locals<'a>) -> Option<&'a Json> {
        match expr {
            Expr::Ident(name) => match locals.iter().rev().find(|local| local.name == name) {
                Some(Local { value, .. }) => *value,
                None => self.variables.get(name.as_str()),
            },
            Expr::Select(select) if !select.test => self.value(&select.operand.expr, locals)?.get(&select.field),
            Expr::Call(call) if call.func_name == "_[_]" => self.part(call, locals),
            _ => None,
        }
    }

    /// What `a["b"]`, `a.?b` or `a[?"b"]` names.
    pub(super) fn part(&self, call: &'a CallExpr, locals: &Locals<'a>) -> Option<&'a Json> {
        match call.args.as_slice() {
            [operand, IdedExpr { expr: Expr::Literal(LiteralValue::String(field)), .. }] => {
                self.value(&operand.expr, locals)?.get(field.inner())
            }
            _ => None,
        }
    }
}

/// How many values a value is made of.
pub(super) fn weight(value: &Json) -> usize {
    match value {
        Json::Array(members) => 1 + members.iter().map(weight).sum::<usize>(),
        Json::Object(fields) => 1 + fields.values().map(weight).sum::<usize>(),
        Json::String(text) => 1 + text.len() / TEXT,
        Json::Null | Json::Bool(_) | Json::Number(_) => 1,
    }
}
