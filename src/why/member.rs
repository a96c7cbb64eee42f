//! What puts a value into a collection: from the term that is the collection to the rules and comprehensions that it is made by.

use std::rc::Rc;

use plimsoll_contract::why::{Alternative, Condition, Reached};
use plimsoll_rego::syntax::tree::{Expr, ExprKind, Kind, Term};
use plimsoll_rego::value::Value;

use super::bindings::{called, operator};
use super::frame::Frame;
use super::{DEEPEST, Explainer};

/// Builtins of which the answer has what some operand has.
const KEEPS: [&str; 13] = [
    "or",
    "union",
    "object.union",
    "object.union_n",
    "object.keys",
    "object.get",
    "array.concat",
    "json.marshal",
    "json.unmarshal",
    "cast_set",
    "cast_array",
    "cast_object",
    "to_set",
];

/// The value that is looked for, and the body in which the term stands.
#[derive(Clone, Copy)]
pub(super) struct Sought<'s, 'p> {
    pub(super) frame: &'s Rc<Frame<'p>>,
    pub(super) value: &'s Value,
    pub(super) level: usize,
}

/// The conditions under which a value is in a collection.
#[derive(Default)]
pub(super) struct Found {
    pub(super) alternatives: Vec<Alternative>,
    /// Whether the term itself has it, beside what bodies put there.
    pub(super) gives: Gives,
    /// Something else than a body has a say: what ranks, counts or sums up.
    pub(super) aggregates: Vec<Condition>,
}

/// Whether a term has a value by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gives {
    /// It has not.
    #[default]
    No,
    /// It may: it is taken from documents.
    Unknown,
    /// It is written there.
    Literal,
}

impl Found {
    pub(super) fn unknown() -> Self {
        Self { gives: Gives::Unknown, ..Self::default() }
    }

    pub(super) fn with(mut self, other: Self) -> Self {
        self.gives = self.gives.max(other.gives);
        self.alternatives.extend(other.alternatives);
        self.aggregates.extend(other.aggregates);
        self
    }
}

impl<'s, 'p> Sought<'s, 'p> {
    fn below(self) -> Self {
        Self { level: self.level.saturating_add(1), ..self }
    }

    pub(super) fn within<'f>(self, frame: &'f Rc<Frame<'p>>) -> Sought<'f, 'p>
    where
        's: 'f,
    {
        Sought { frame, value: self.value, level: self.level.saturating_add(1) }
    }
}

impl<'p> Explainer<'p> {
    /// Finds the conditions under which a value is in the collection that a term of a body is.
    pub(super) fn member(&mut self, term: &'p Term, sought: Sought<'_, 'p>) -> Found {
        if sought.level >= DEEPEST || !self.goes_on() {
            return Found::default();
        }
        let below = sought.below();
        match &term.kind {
            Kind::Var(_) => self.of_variable(term, below),
            Kind::Ref(parts) => self.of_reference(parts, below),
            Kind::Array(items) | Kind::Set(items) => self.any(items.iter(), below),
            Kind::Object(members) => {
                let keys = members.iter().map(|(key, _)| written_key(key, below.value)).max().unwrap_or_default();
                let found = self.any(members.iter().map(|(_, member)| member), below);
                Found { gives: found.gives.max(keys), ..found }
            }
            Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => self.comprehended(term, (&inner.term, None), &inner.body, below),
            Kind::ObjectCompr(inner) => self.comprehended(term, (&inner.key, Some(&inner.value)), &inner.body, below),
            Kind::Call(parts) => self.of_call(term, parts, below),
            Kind::String(_) => Found { gives: written_key(term, below.value), ..Found::default() },
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Template(_) => Found::default(),
        }
    }

    fn any(&mut self, terms: impl Iterator<Item = &'p Term>, sought: Sought<'_, 'p>) -> Found {
        terms.fold(Found::default(), |found, term| found.with(self.member(term, sought)))
    }

    /// A variable stands for what it is given, where the function was called, here, or in the body around; else its name may be a rule's.
    fn of_variable(&mut self, term: &'p Term, sought: Sought<'_, 'p>) -> Found {
        let Some(name) = term.as_var() else { return Found::default() };
        if let Some((operand, caller)) = sought.frame.operands.get(name).cloned() {
            return self.member(operand, sought.within(&caller));
        }
        match sought.frame.binder(name).and_then(|number| sought.frame.body.get(number)) {
            Some(expr) => given(expr, term).map_or_else(Found::unknown, |given| self.member(given, sought)),
            None => match sought.frame.around().cloned() {
                Some(around) if around.binder(name).is_some() => self.of_variable(term, sought.within(&around)),
                _ => self.of_rule(std::slice::from_ref(term), sought),
            },
        }
    }

    /// A reference into what a variable, a call or an object gives, or to a rule.
    fn of_reference(&mut self, parts: &'p [Term], sought: Sought<'_, 'p>) -> Found {
        match parts.first() {
            Some(first) if first.as_var().is_some_and(|name| sought.frame.gives(name)) => self.member(first, sought),
            Some(first) if matches!(first.kind, Kind::Call(_) | Kind::Object(_)) => self.member(first, sought),
            _ => self.of_rule(parts, sought),
        }
    }

    fn comprehended(
        &mut self,
        term: &'p Term,
        (key, value): (&'p Term, Option<&'p Term>),
        body: &'p [Expr],
        sought: Sought<'_, 'p>,
    ) -> Found {
        let inside = Rc::new(sought.frame.inside(self.asker.policies, body));
        let aim = self.aim(&inside, key, sought.value);
        let mut judged = self.judge(&inside, Some(&aim), sought.level);
        self.with_value(value, (&inside, &aim), &mut judged);
        let alternative = Alternative {
            rule: self.asker.policies.around(inside.file, term.span),
            location: self.asker.policies.location(term.span),
            title: None,
            labels: Default::default(),
            holds: judged.holds,
            conditions: judged.conditions,
        };
        Found { alternatives: vec![alternative], ..Found::default() }
    }

    fn of_call(&mut self, term: &'p Term, parts: &'p [Term], sought: Sought<'_, 'p>) -> Found {
        let policies = self.asker.policies;
        let name = parts.first().map(|operator| operator.as_ref_parts().unwrap_or(std::slice::from_ref(operator)));
        if name.is_some_and(|name| policies.resolve(name, sought.frame.file).is_some()) {
            let part = sought.frame.needs_of(term);
            let bodies = self.called_on(parts, sought.frame, (part, None));
            return bodies.into_iter().fold(Found::default(), |found, (definition, callee)| {
                found.with(self.through(definition, None, sought.within(&callee)))
            });
        }
        if let Some(found) = self.of_sets(term, parts, sought) {
            return found;
        }
        let found = self.any(parts.iter().skip(1), sought);
        if called(parts).is_some_and(|name| KEEPS.contains(&name.as_str())) {
            return found;
        }
        // What ranks, counts or sums up has a say only of what comes to it.
        let condition = self.written(term.span, Reached::NotSeparable);
        Found { aggregates: [found.aggregates, vec![condition]].concat(), ..found }
    }
}

/// Whether a key, or a member, that is written down is the value.
fn written_key(term: &Term, value: &Value) -> Gives {
    match term.as_str() {
        Some(text) if value.as_str().is_some_and(|value| value == text.as_str()) => Gives::Literal,
        _ => Gives::No,
    }
}

/// Returns the term that an expression assigns to `variable`; `None` if it assigns none.
fn given<'t>(expr: &'t Expr, variable: &Term) -> Option<&'t Term> {
    let ExprKind::Call(parts) = &expr.kind else { return None };
    let (left, right) = (parts.get(1)?, parts.get(2)?);
    match operator(expr)?.as_str() {
        "assign" | "eq" if left.as_var() == variable.as_var() => Some(right),
        "eq" if right.as_var() == variable.as_var() => Some(left),
        _ => None,
    }
}
