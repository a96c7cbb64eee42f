//! Values of terms, and functions as they are called.

use std::rc::Rc;

use plimsoll_rego::syntax::tree::Term;
use plimsoll_rego::value::Value;

use super::Explainer;
use super::bodies::Aim;
use super::frame::{Frame, Origin, Part};
use super::policies::{Definition, Policies};
use super::reasons::Spot;

/// A function is looked at with so many operands at most, a collection for so many values.
pub(super) const WAYS: usize = 4;

impl<'p> Explainer<'p> {
    /// The definitions of a function that a condition calls, each with the values that it is called with.
    pub(super) fn called_with(&mut self, parts: &'p [Term], spot: Spot<'_, 'p>) -> Vec<(Definition<'p>, Rc<Frame<'p>>)> {
        let part = ground(spot);
        self.called_on(parts, spot.frame, (part, spot.aim))
    }

    /// The same, where a part of the body gives the operands their values.
    pub(super) fn called_on(
        &mut self,
        parts: &'p [Term],
        frame: &Rc<Frame<'p>>,
        (part, aim): (Part, Option<&Aim>),
    ) -> Vec<(Definition<'p>, Rc<Frame<'p>>)> {
        let policies = self.asker.policies;
        let Some((operator, operands)) = parts.split_first() else { return Vec::new() };
        let name = operator.as_ref_parts().unwrap_or(std::slice::from_ref(operator));
        let Some((path, _)) = policies.resolve(name, frame.file) else { return Vec::new() };
        let texts: Vec<_> = operands.iter().map(|operand| policies.text(operand.span)).collect();
        let (expressions, term, _) = self.asked_of(frame, (&part, aim), &texts.join(", "));
        let ways = self.tuples(frame, (&part, aim), &texts.join(", "));
        let Some(calls) = self.asker.calls(frame.question(&expressions), &term) else { return Vec::new() };
        let mut found = Vec::new();
        for definition in policies.rules(&path) {
            for at in ways.iter().take(WAYS).filter_map(|way| calls.places.get(way)) {
                let origin = Origin { caller: Rc::clone(frame), operands, calls: Rc::clone(&calls) };
                found.push((definition, Rc::new(callee(policies, definition, origin, *at))));
            }
        }
        found
    }

    /// The values of a term where a condition is asked.
    pub(super) fn values(&mut self, spot: Spot<'_, 'p>, term: &Term) -> Vec<Value> {
        let part = ground(spot);
        let text = self.asker.policies.text(term.span);
        first_of(&self.tuples(spot.frame, (&part, spot.aim), text))
    }

    /// The values of a term in a body as it is.
    pub(super) fn values_of(&mut self, frame: &Frame<'p>, term: &Term) -> Vec<Value> {
        let part = frame.needs_of(term);
        let text = self.asker.policies.text(term.span);
        first_of(&self.tuples(frame, (&part, None), text))
    }

    /// The values of some terms, in each way in which a part of a body holds and gives the value that is asked for.
    pub(super) fn tuples(&mut self, frame: &Frame<'p>, (part, aim): (&Part, Option<&Aim>), terms: &str) -> Vec<Value> {
        let (expressions, term, value) = self.asked_of(frame, (part, aim), terms);
        self.asker.seconds(frame.question(&expressions), &term, &value)
    }

    /// A part of a body, the term that is asked for there (a key, and some terms), and the key that is meant.
    fn asked_of(&self, frame: &Frame<'p>, (part, aim): (&Part, Option<&Aim>), terms: &str) -> (String, String, Value) {
        let aim = aim.filter(|aim| aim.part.is_subset(part));
        let (key, value) = aim.map_or(("null", &Value::Null), |aim| (aim.text.as_str(), &aim.value));
        (frame.text(self.asker.policies, part), format!("[{key}, [{terms}]]"), value.clone())
    }
}

/// The body of a function that is called so.
fn callee<'p>(policies: &'p Policies, definition: Definition<'p>, origin: Origin<'p>, at: usize) -> Frame<'p> {
    let patterns = definition.rule.head.args.as_deref().unwrap_or_default();
    let mut callee = Frame::of(definition.file, definition.body()).called(policies, patterns, (&origin.calls, at));
    for (pattern, operand) in patterns.iter().zip(origin.operands) {
        if let Some(name) = pattern.as_var() {
            callee.operands.insert(name.clone(), (operand, Rc::clone(&origin.caller)));
        }
    }
    callee.origin = Some(origin);
    callee
}

impl<'p> Frame<'p> {
    /// Another body of the same rule, asked for the same.
    pub(super) fn other(&self, policies: &'p Policies, definition: Definition<'p>) -> Self {
        match self.origin.clone().zip(self.at) {
            Some((origin, at)) => callee(policies, definition, origin, at),
            None => Self::of(definition.file, definition.body()),
        }
    }
}

fn first_of(ways: &[Value]) -> Vec<Value> {
    ways.iter().filter_map(|way| way.as_array()?.first().cloned()).collect()
}

/// Returns the part of the body that an expression needs, with what gives the value that is asked for, if that matters to it.
fn ground(Spot { frame, number, aim, .. }: Spot<'_, '_>) -> Part {
    let mut part = frame.needs(number);
    if let Some(aim) = aim.filter(|aim| part.iter().any(|need| aim.part.contains(need))) {
        part.extend(aim.part.iter().copied());
    }
    part
}
