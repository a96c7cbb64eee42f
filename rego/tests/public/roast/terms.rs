//! Bodies and terms.

use plimsoll_rego::syntax::parse;
use plimsoll_rego::syntax::tree::{Body, Every, Expr, ExprKind, Kind, Term, With};
use plimsoll_rego::value::Value;

use super::{Members, Roast, keyword};

impl Roast<'_> {
    pub(super) fn body(&self, body: &Body) -> Value {
        Value::array(body.iter().map(|expr| self.expr(expr)))
    }

    fn expr(&self, expr: &Expr) -> Value {
        self.at(expr.span)
            .and_flag("negated", expr.negated)
            .and_flag("generated", expr.generated)
            .and_all("with", expr.with.iter().map(|with| self.with(with)).collect())
            .and_some("terms", self.said(&expr.kind))
            .object()
    }

    fn said(&self, kind: &ExprKind) -> Option<Value> {
        match kind {
            ExprKind::Term(term) => Some(self.term(term)),
            ExprKind::Call(terms) => Some(self.terms(terms)),
            ExprKind::Some(some) => Some(self.at(keyword(some.span, "some")).and("symbols", self.terms(&some.symbols)).object()),
            ExprKind::Every(every) => Some(self.every(every)),
            ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) => None,
        }
    }

    fn every(&self, every: &Every) -> Value {
        self.at(keyword(every.span, "every"))
            .and("key", every.key.as_ref().map_or(Value::Null, |key| self.term(key)))
            .and("value", self.term(&every.value))
            .and("domain", self.term(&every.domain))
            .and("body", self.body(&every.body))
            .object()
    }

    fn with(&self, with: &With) -> Value {
        self.at(with.span).and("target", self.term(&with.target)).and("value", self.term(&with.value)).object()
    }

    pub(super) fn terms(&self, terms: &[Term]) -> Value {
        Value::array(terms.iter().map(|term| self.term(term)))
    }

    pub(super) fn term(&self, term: &Term) -> Value {
        self.typed(self.at(term.span), term)
    }

    /// Without its place.
    pub(super) fn bare(&self, term: &Term) -> Value {
        self.typed(Members(Vec::new()), term)
    }

    fn typed(&self, members: Members, term: &Term) -> Value {
        members.and("type", parse::kind_name(&term.kind)).and("value", self.value(&term.kind)).object()
    }

    fn value(&self, kind: &Kind) -> Value {
        let compr =
            |term: &Term, body: &Body| Members(Vec::new()).and("term", self.term(term)).and("body", self.body(body)).object();
        match kind {
            Kind::Null | Kind::Template(_) => Value::Null,
            Kind::Bool(value) => Value::from(*value),
            Kind::Number(text) => Value::number(text).unwrap_or(Value::Null),
            Kind::String(text) | Kind::Var(text) => Value::string(text),
            Kind::Ref(items) | Kind::Array(items) | Kind::Set(items) | Kind::Call(items) => self.terms(items),
            Kind::Object(members) => {
                Value::array(members.iter().map(|(key, value)| Value::array([self.term(key), self.term(value)])))
            }
            Kind::ArrayCompr(it) | Kind::SetCompr(it) => compr(&it.term, &it.body),
            Kind::ObjectCompr(it) => Members(Vec::new())
                .and("key", self.term(&it.key))
                .and("value", self.term(&it.value))
                .and("body", self.body(&it.body))
                .object(),
        }
    }
}
