//! Which terms are equal as they are written: what OPA takes for one key of an object before it evaluates anything (opa `v1/ast/term.go`,
//! `KeyHashEqual`).

use regorus::Value;
use regorus::unstable as ast;

use super::lower;
use super::names::Names;
use super::term::{Body, Call, Comprehension, Expr, ExprKind, Kind, Operator, Term};

/// Tells terms of one module.
pub(in crate::rego) struct Terms<'t> {
    names: Names,
    /// What the names begin with that templates have: each has its own.
    templates: &'t str,
}

impl<'t> Terms<'t> {
    pub(in crate::rego) fn new(templates: &'t str) -> Self {
        Self { names: Names::new(), templates }
    }

    /// A value that equal terms, and no others, have in common. A `_` is equal to nothing.
    pub(in crate::rego) fn form(&mut self, expr: &ast::Expr) -> Value {
        let term = lower::term(expr, &mut self.names);
        self.term(&term)
    }

    fn term(&self, term: &Term) -> Value {
        match &term.kind {
            Kind::Scalar(value) => tagged("scalar", [value.clone()]),
            Kind::Var(var) => {
                let name = self.names.text(*var);
                let name = if name.starts_with(self.templates) { self.templates.to_owned() } else { format!("{var:?}") };
                tagged("var", [Value::from(name)])
            }
            Kind::Ref(parts) => tagged("ref", self.terms(parts)),
            Kind::Array(items) => tagged("array", self.terms(items)),
            Kind::Set(items) => {
                let mut items: Vec<_> = self.terms(items).collect();
                items.sort();
                items.dedup();
                tagged("set", items)
            }
            Kind::Object(fields) => self.object(fields),
            Kind::Call(call) => self.call(call),
            Kind::Comprehension(comprehension) => self.comprehension(comprehension),
        }
    }

    fn terms(&self, terms: &[Term]) -> impl Iterator<Item = Value> {
        terms.iter().map(|term| self.term(term)).collect::<Vec<_>>().into_iter()
    }

    fn object(&self, fields: &[(Term, Term)]) -> Value {
        // The last of equal keys counts.
        let fields: std::collections::BTreeMap<_, _> =
            fields.iter().map(|(key, value)| (self.term(key), self.term(value))).collect();
        tagged("object", fields.into_iter().flat_map(|(key, value)| [key, value]))
    }

    fn call(&self, call: &Call) -> Value {
        let operator = match &call.operator {
            Operator::Infix(name) => Value::from(*name),
            Operator::Path(path) => match path.as_slice() {
                [Term { kind: Kind::Var(var), .. }] => Value::from(&*self.names.text(*var)),
                path => tagged("ref", self.terms(path)),
            },
        };
        tagged("call", std::iter::once(operator).chain(self.terms(&call.operands)))
    }

    fn comprehension(&self, comprehension: &Comprehension) -> Value {
        let form = Value::from(format!("{:?}", comprehension.form));
        tagged("comprehension", [form, tagged("", self.terms(&comprehension.terms)), self.body(&comprehension.body)])
    }

    fn body(&self, body: &Body) -> Value {
        tagged("body", body.iter().map(|expr| self.statement(expr)))
    }

    fn statement(&self, expr: &Expr) -> Value {
        let optional = |term: &Option<Term>| term.as_ref().map_or(Value::Null, |term| self.term(term));
        let kind = match &expr.kind {
            ExprKind::Term(term) => self.term(term),
            ExprKind::Call(call) => self.call(call),
            ExprKind::Some(vars) => tagged("some", self.terms(vars)),
            ExprKind::SomeIn(some) => tagged("in", [optional(&some.key), self.term(&some.value), self.term(&some.collection)]),
            ExprKind::Every(every) => {
                let parts = [optional(&every.key), self.term(&every.value), self.term(&every.domain), self.body(&every.body)];
                tagged("every", parts)
            }
        };
        let with = expr.with.iter().flat_map(|(target, value)| [self.term(target), self.term(value)]);
        tagged("statement", [Value::from(expr.negated), kind].into_iter().chain(with))
    }
}

fn tagged(tag: &str, parts: impl IntoIterator<Item = Value>) -> Value {
    Value::from(std::iter::once(Value::from(tag)).chain(parts).collect::<Vec<_>>())
}
