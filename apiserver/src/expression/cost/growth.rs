//! What makes larger texts and lists than there were: joining, replacing, adding. Each call counts once, however often a loop makes it, for
//! what it is given does not grow by that; what follows it may be given its result.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, LiteralValue};
use serde_json::Value as Json;

use super::{Estimate, Locals};

/// Functions whose results are numbers or booleans, of which sums are no texts or lists.
const SCALARS: [&str; 22] = [
    "size",
    "int",
    "uint",
    "double",
    "bool",
    "indexOf",
    "lastIndexOf",
    "_-_",
    "_*_",
    "_/_",
    "_%_",
    "-_",
    "_==_",
    "_!=_",
    "_<_",
    "_<=_",
    "_>_",
    "_>=_",
    "_&&_",
    "_||_",
    "!_",
    "duration",
];

impl<'a> Estimate<'a> {
    /// Bytes of the text that a call makes at most, and members of the list; nothing for what makes neither.
    pub(super) fn grown(&self, call: &'a CallExpr, locals: &Locals<'a>) -> Option<(usize, usize)> {
        let parts: Vec<&'a IdedExpr> = call.target.as_deref().into_iter().chain(&call.args).collect();
        let text = |index: usize| parts.get(index).map_or(0, |part| self.text(&part.expr, locals));
        match (call.func_name.as_str(), parts.as_slice()) {
            ("_+_", [left, right]) if !is_collected(&left.expr) => {
                if self.is_scalar(&left.expr, locals) || self.is_scalar(&right.expr, locals) {
                    return None;
                }
                let members = |part: &'a IdedExpr| self.size(&part.expr, locals);
                Some((text(0).saturating_add(text(1)), members(left).saturating_add(members(right))))
            }
            ("replace", [_, from, ..]) => {
                let least = match &from.expr {
                    Expr::Literal(LiteralValue::String(text)) => text.inner().len(),
                    _ => 0,
                };
                let places = text(0).checked_div(least).unwrap_or(text(0)).saturating_add(1);
                Some((text(0).saturating_add(places.saturating_mul(text(2))), 0))
            }
            ("join", [list, ..]) => Some((self.joined(list, text(1), locals), 0)),
            _ => None,
        }
    }

    /// Notes it for what follows.
    pub(super) fn grow(&mut self, call: &'a CallExpr, locals: &Locals<'a>) {
        if let Some((text, members)) = self.grown(call, locals)
            && self.counted.insert(std::ptr::from_ref(call))
        {
            (self.longest, self.largest) = (self.longest.max(text), self.largest.max(members));
        }
    }

    /// Bytes of all members together, with what stands between them.
    fn joined(&self, list: &'a IdedExpr, between: usize, locals: &Locals<'a>) -> usize {
        if let Some(Json::Array(members)) = self.value(&list.expr, locals) {
            return members
                .iter()
                .filter_map(Json::as_str)
                .map(|text| text.len().saturating_add(between))
                .fold(0, usize::saturating_add);
        }
        match &list.expr {
            // The parts of a text are no longer than it was.
            Expr::Call(split) if split.func_name == "split" => {
                let whole = split.target.as_deref().map_or(self.longest, |whole| self.text(&whole.expr, locals));
                whole.saturating_add(whole.saturating_add(1).saturating_mul(between))
            }
            expr => self.size(expr, locals).saturating_mul(self.longest.saturating_add(between)),
        }
    }

    /// Whether it is known to be neither a text nor a list.
    pub(super) fn is_scalar(&self, expr: &'a Expr, locals: &Locals<'a>) -> bool {
        match expr {
            Expr::Literal(literal) => !matches!(literal, LiteralValue::String(_) | LiteralValue::Bytes(_)),
            Expr::Call(call) if SCALARS.contains(&call.func_name.as_str()) => true,
            expr => matches!(self.value(expr, locals), Some(Json::Null | Json::Bool(_) | Json::Number(_))),
        }
    }
}

/// What a macro collects its results in: it grows by one member each time, which is counted as its loop.
fn is_collected(expr: &Expr) -> bool {
    matches!(expr, Expr::Ident(name) if name.starts_with('@'))
}
