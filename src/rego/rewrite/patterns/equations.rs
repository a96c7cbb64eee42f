//! `pattern = value`, either way round, and `pattern := value`.

use std::collections::BTreeSet;

use regorus::Value;
use regorus::unstable::{Expr, Ref, Span};

use super::{Patterns, exact, shape};
use crate::rego::splice::place;
use crate::rego::syntax;

type Fields = [(Span, Ref<Expr>, Ref<Expr>)];

impl Patterns<'_> {
    /// Both sides of an equation. What both write out is compared part by part.
    pub(super) fn equation(&mut self, declares: bool, lhs: &Expr, rhs: &Expr) {
        match (lhs, rhs) {
            (Expr::Array { items: a, .. }, Expr::Array { items: b, .. }) if a.len() == b.len() => {
                a.iter().zip(b).for_each(|(a, b)| self.equation(declares, a, b));
            }
            (Expr::Object { fields: a, .. }, Expr::Object { fields: b, .. }) => self.objects(declares, (lhs, a), (rhs, b)),
            (Expr::Array { .. } | Expr::Object { .. }, other) => self.pattern(declares, lhs, other),
            (other, Expr::Array { .. } | Expr::Object { .. }) if !declares => self.pattern(false, rhs, other),
            _ => {}
        }
    }

    fn objects(&mut self, declares: bool, (lhs, a): (&Expr, &Fields), (rhs, b): (&Expr, &Fields)) {
        let key = |key: &Expr| match key {
            Expr::String { value, .. }
            | Expr::RawString { value, .. }
            | Expr::Number { value, .. }
            | Expr::Bool { value, .. } => Some(value.clone()),
            Expr::Null { .. } => Some(Value::Null),
            _ => None,
        };
        let keys = |fields: &Fields| fields.iter().map(|(_, name, _)| key(name)).collect::<Option<BTreeSet<_>>>();
        let pairs = || {
            let value = |name: &Option<Value>| b.iter().find(|(_, other, _)| key(other) == *name).map(|(_, _, value)| value);
            a.iter().filter_map(|(_, name, left)| Some((left, value(&key(name))?))).collect::<Vec<_>>()
        };
        match (keys(a), keys(b)) {
            (Some(left), Some(right)) if left == right => {
                pairs().into_iter().for_each(|(left, right)| self.equation(declares, left, right));
            }
            // The interpreter refuses what cannot be equal.
            (Some(_), Some(_)) => {}
            _ if declares || !self.frames.may_go_through(rhs) => self.pattern(declares, lhs, rhs),
            _ if !self.frames.may_go_through(lhs) => self.pattern(false, rhs, lhs),
            _ => self.refuse(lhs),
        }
    }

    /// A pattern and a value that is none, or has no variables without values.
    fn pattern(&mut self, declares: bool, pattern: &Expr, value: &Expr) {
        if !declares && !self.frames.may_go_through(pattern) {
            // Both sides are values, and compared as such.
            return;
        }
        if !declares {
            self.repeated(pattern);
        }
        let Expr::Var { span, .. } = value else {
            if shape::has_object(pattern) {
                self.enclose(pattern, value);
            }
            return;
        };
        let unknown = !declares && self.frames.may_go_through(value) && !self.is_known(span.text());
        // Variables that have a `_` beside them have a value.
        if span.text() == "_" || unknown && !shape::has_wildcard(pattern) {
            if span.text() != "_" && shape::has_object(pattern) {
                // The variable may get its value here.
                self.behind(&format!("{}({}, {})", exact::NAME, span.text(), shape::shape(pattern, self.text)));
            }
            return;
        }
        self.enclose(pattern, value);
    }

    /// The interpreter has no value for a variable that stands twice where its values differ: `{"a": x, "b": x} = v` is
    /// `{"a": x, "b": p} = v; x == p`.
    fn repeated(&mut self, pattern: &Expr) {
        let (mut variables, mut seen) = (Vec::new(), BTreeSet::new());
        shape::variables(pattern, &mut variables);
        if self.current.is_none() {
            return;
        }
        for span in variables {
            if !seen.insert(span.text()) {
                let name = self.fresh();
                self.behind(&format!("{} == {name}", span.text()));
                self.splices.insert(place(span.start), place(span.end), name);
            }
        }
    }

    fn enclose(&mut self, pattern: &Expr, value: &Expr) {
        let (range, shape) = (syntax::range(value, self.text), shape::shape(pattern, self.text));
        self.splices.insert(range.start, range.start, format!("{}(", exact::NAME));
        self.splices.insert(range.end, range.end, format!(", {shape})"));
    }

    /// Under `not` all variables have values, and both sides are compared as such.
    pub(super) fn comparison(&mut self, lhs: &Expr, rhs: &Expr) {
        if ![lhs, rhs].into_iter().any(shape::has_object) {
            return;
        }
        if let Some(at) = syntax::behind(self.text, syntax::range(lhs, self.text).end, "=") {
            self.splices.insert(at, at, "=".into());
        }
    }
}
