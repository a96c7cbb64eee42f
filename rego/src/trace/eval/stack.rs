//! Where an evaluation stands when it ends in an error (opa `v1/topdown/stacktrace.go`).

use std::fmt::{self, Write};

use super::bindings::Bound;
use super::{Query, Traced};
use crate::eval::Suspended;
use crate::syntax::span::Span;
use crate::syntax::tree::{Expr, ExprKind, Kind, Term};
use crate::value::Value;

/// Values that take more bytes are not shown.
const LONGEST: usize = 80;

/// A text that may not become longer than a value is shown.
#[derive(Default)]
struct Short(String);

impl Write for Short {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.0.len().saturating_add(part.len()) > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}

impl<'a> Traced<'a> {
    /// The query and those that wait for it, the innermost first. One that has come to its end stands at its last expression.
    pub(super) fn stack(&self, query: Query<'a>) -> Vec<Suspended> {
        let mut stack = Vec::new();
        let mut next = Some(query);
        while let Some(query) = next {
            let expr = query.expr().or_else(|| query.body.last());
            let values = expr.map(|expr| self.read_values(query, expr)).unwrap_or_default();
            stack.push(Suspended { query_id: query.id, span: expr.map(|expr| expr.span).unwrap_or_default(), values });
            next = self.around.get(query.around).and_then(|around| around.query);
        }
        stack
    }

    /// What stands in the text of an expression, and has a value that is short.
    fn read_values(&self, query: Query<'a>, expr: &'a Expr) -> Vec<(Span, String)> {
        let mut read = Vec::new();
        read_in(expr, &mut read);
        let inside = |span: Span| span.source == expr.span.source && span.start >= expr.span.start && span.end <= expr.span.end;
        let shown = |term: &'a Term| {
            let value = self.plug(&Bound::tree(term, query.frame))?;
            Some((term.span, short(&value)?))
        };
        let mut values: Vec<_> =
            read.into_iter().filter(|term| term.span.start < term.span.end && inside(term.span)).filter_map(shown).collect();
        values.sort_by_key(|(span, _)| span.start);
        values
    }
}

fn short(value: &Value) -> Option<String> {
    let most = u32::try_from(LONGEST).unwrap_or(u32::MAX);
    if value.depth().max(value.nodes()) > most {
        return None;
    }
    let mut text = Short::default();
    write!(text, "{value}").ok()?;
    Some(text.0)
}

/// The variables that an expression reads: not those that it declares, nor those of a comprehension, which has its own.
fn read_in<'e>(expr: &'e Expr, read: &mut Vec<&'e Term>) {
    match &expr.kind {
        ExprKind::Term(term) => variables(term, read),
        // What stands for the answer of a query's call is at the name of what is called.
        ExprKind::Call(parts) => {
            let name = parts.first().map(|name| name.span);
            parts.iter().skip(1).filter(|part| Some(part.span) != name).for_each(|part| variables(part, read));
        }
        ExprKind::Every(every) => {
            variables(&every.domain, read);
            every.body.iter().for_each(|expr| stacker::maybe_grow(64 << 10, 1 << 20, || read_in(expr, read)));
        }
        _ => {}
    }
    expr.with.iter().for_each(|with| variables(&with.value, read));
}

fn variables<'e>(term: &'e Term, read: &mut Vec<&'e Term>) {
    stacker::maybe_grow(64 << 10, 1 << 20, || match &term.kind {
        Kind::Var(_) => read.push(term),
        Kind::Ref(parts) | Kind::Array(parts) | Kind::Set(parts) => parts.iter().for_each(|part| variables(part, read)),
        Kind::Call(parts) => parts.iter().skip(1).for_each(|part| variables(part, read)),
        Kind::Object(members) => members.iter().for_each(|(key, value)| {
            variables(key, read);
            variables(value, read);
        }),
        _ => {}
    });
}
