//! Where the parts of a rule stand in the text: those of its head, and the statements of its bodies.

use regorus::unstable::{AssignOp, Expr, RuleAssign, RuleBody, RuleHead};

use super::{Inner, Range, Shape, Writer};
use crate::rego::splice::place;
use crate::rego::syntax;

impl Writer<'_> {
    pub(super) fn shape(&self, head: &RuleHead) -> Option<Shape> {
        let (span, refr, last) = match head {
            RuleHead::Compr { span, refr, assign } => (span, refr, assign.as_ref().map(|assign| self.value(assign))),
            RuleHead::Func { span, refr, assign, .. } => (span, refr, assign.as_ref().map(|assign| self.value(assign))),
            RuleHead::Set { span, refr, .. } => (span, refr, Some(self.set_key(refr, syntax::closed(span.end, self.text))?)),
        };
        let mut parts = self.indexes(refr)?;
        parts.extend(last);
        (!parts.is_empty())
            .then_some(Shape { head: Range { start: place(span.start), end: syntax::closed(span.end, self.text) }, parts })
    }

    /// The ranges inside the brackets of a head reference that are not constant.
    fn indexes(&self, refr: &Expr) -> Option<Vec<Range>> {
        let mut ranges = Vec::new();
        let mut rest = refr;
        while let Expr::RefDot { refr: inner, .. } | Expr::RefBrack { refr: inner, .. } = rest {
            if let Expr::RefBrack { span, index, .. } = rest
                && syntax::constant_name(index).is_none()
            {
                // In heads, the span of a bracket ends with the index.
                let start = self.after(place(syntax::end(inner, self.text)), "[")?;
                let end = syntax::closed(span.end, self.text);
                self.after(end, "]")?;
                ranges.push(Range { start, end });
            }
            rest = inner;
        }
        ranges.reverse();
        Some(ranges)
    }

    /// `s contains key` or, in Rego v0, `s[key]`.
    fn set_key(&self, refr: &Expr, end: usize) -> Option<Range> {
        let behind = place(syntax::end(refr, self.text));
        match self.after(behind, "contains") {
            Some(start) => Some(Range { start, end }),
            None => Some(Range { start: self.after(behind, "[")?, end: end.checked_sub(1)? }),
        }
    }

    /// Where the statements of a body stand; `head` is where the head ends.
    pub(super) fn inner(&self, head: usize, body: Option<&RuleBody>) -> Option<Inner> {
        let Some(body) = body.filter(|body| !body.query.stmts.is_empty()) else { return Some(Inner::None) };
        let end = syntax::closed(body.span.end, self.text);
        let keyword = if self.v1 { self.after(head, "if")? } else { self.after(head, "if").unwrap_or(head) };
        let start = self.skip(keyword);
        let first = place(body.query.stmts.first()?.span.start);
        match self.after(start, "{") {
            Some(start) if first >= start => Some(Inner::Braces(Range { start, end: end.checked_sub(1)? })),
            _ => Some(Inner::Literal(Range { start: first, end })),
        }
    }

    /// The range of the value that is assigned.
    pub(super) fn value(&self, assign: &RuleAssign) -> Range {
        let operator = match assign.op {
            AssignOp::Eq => 1,
            AssignOp::ColEq => 2,
        };
        Range { start: place(assign.span.start).saturating_add(operator), end: syntax::closed(assign.span.end, self.text) }
    }

    /// The place behind a token, if it comes next.
    fn after(&self, at: usize, token: &str) -> Option<usize> {
        let at = self.skip(at);
        self.text.get(at..)?.starts_with(token).then(|| at.saturating_add(token.len()))
    }

    /// Skips blanks and comments.
    fn skip(&self, at: usize) -> usize {
        let mut rest = self.text.get(at..).unwrap_or_default();
        loop {
            rest = rest.trim_start();
            match rest.strip_prefix('#') {
                Some(comment) => rest = comment.split_once('\n').map_or("", |(_, after)| after),
                None => return self.text.len().saturating_sub(rest.len()),
            }
        }
    }
}

/// The expressions of a head that are evaluated for each binding.
pub(in crate::rego) fn head_parts(head: &RuleHead) -> Vec<&Expr> {
    let last = match head {
        RuleHead::Compr { assign, .. } | RuleHead::Func { assign, .. } => assign.as_ref().map(|assign| &*assign.value),
        RuleHead::Set { key, .. } => key.as_deref(),
    };
    last.into_iter().chain(head_keys(head)).collect()
}

/// The expressions in the brackets of a head reference, last first.
pub(super) fn head_keys(head: &RuleHead) -> Vec<&Expr> {
    let (RuleHead::Compr { refr, .. } | RuleHead::Func { refr, .. } | RuleHead::Set { refr, .. }) = head;
    let mut parts: Vec<&Expr> = Vec::new();
    let mut rest: &Expr = refr;
    while let Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } = rest {
        if let Expr::RefBrack { index, .. } = rest {
            parts.push(index);
        }
        rest = refr;
    }
    parts
}
