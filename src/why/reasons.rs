//! Why one condition fails, or by what it holds: the bodies that it asks, and what its operands are.

use std::collections::BTreeMap;
use std::rc::Rc;

use plimsoll_contract::why::Alternative;
use plimsoll_rego::syntax::tree::{Expr, Kind, Term};
use serde_json::Value as Json;

use super::asks::{Ask, What, asks, compared, drawn, is_member, is_not};
use super::bodies::Aim;
use super::calls::WAYS;
use super::frame::{Frame, Part};
use super::member::Sought;
use super::policies::Definition;
use super::{DEEPEST, Explainer};

/// Longer values are not shown.
const SHORT: usize = 60;
/// Larger values are not even written.
const SMALL: u32 = 64;

/// A condition in its place.
#[derive(Clone, Copy)]
pub(super) struct Spot<'s, 'p> {
    pub(super) frame: &'s Rc<Frame<'p>>,
    /// Of the expression in its body.
    pub(super) number: usize,
    /// What the body is asked for.
    pub(super) aim: Option<&'s Aim>,
    pub(super) level: usize,
}

/// Bodies, and what operands are.
pub(super) type Reasons = (Vec<Alternative>, BTreeMap<String, Json>);

impl<'s, 'p> Spot<'s, 'p> {
    fn expr(self) -> Option<&'p Expr> {
        self.frame.body.get(self.number)
    }

    /// What is sought in what the condition asks.
    fn sought<'v>(self, value: &'v plimsoll_rego::value::Value) -> Sought<'v, 'p>
    where
        's: 'v,
    {
        Sought { frame: self.frame, value, level: self.level.saturating_add(1) }
    }
}

impl<'p> Explainer<'p> {
    /// The bodies that a failing condition asks, and the values of its operands.
    pub(super) fn reasons(&mut self, spot: Spot<'_, 'p>) -> Reasons {
        let Some(expr) = spot.expr().filter(|_| spot.level < DEEPEST) else { return Reasons::default() };
        if let Some(aim) = spot.aim.filter(|aim| aim.part.contains(&spot.number)) {
            let sought = spot.sought(&aim.value);
            let found = match drawn(expr) {
                Some((_, from)) => self.member(from, sought),
                None => self.at_keys(expr, sought),
            };
            return (found.alternatives, BTreeMap::new());
        }
        let mut alternatives = Vec::new();
        for ask in asks(expr) {
            let bodies = self.proven(is_not(expr), |explainer| explainer.bodies_of(&ask, spot));
            // An operand that is defined is what it is: nothing that it asks failed.
            if ask.is_all || !bodies.iter().any(|body| body.holds) {
                alternatives.extend(bodies);
            }
        }
        if is_not(expr) {
            alternatives.retain(|alternative| alternative.holds);
        }
        (alternatives, self.found(spot))
    }

    /// The bodies by which a condition holds, or, where it is a `not`, those of which none does, and the values of its operands.
    pub(super) fn proof(&mut self, spot: Spot<'_, 'p>) -> Reasons {
        let Some(expr) = spot.expr().filter(|_| spot.level < DEEPEST) else { return Reasons::default() };
        let is_not = is_not(expr);
        let mut alternatives = match drawn(expr) {
            Some((item, from)) => self.drawn_from(item, from, spot),
            None => {
                let whole = asks(expr).into_iter().filter(|ask| ask.is_all);
                let bodies = whole.map(|ask| self.proven(!is_not, |explainer| explainer.bodies_of(&ask, spot)));
                bodies.collect::<Vec<_>>().concat()
            }
        };
        alternatives.retain(|alternative| alternative.holds != is_not);
        (alternatives, self.found(spot))
    }

    /// The bodies that put what is drawn from a collection into it, in the ways in which all of the body holds.
    fn drawn_from(&mut self, item: &'p Term, from: &'p Term, spot: Spot<'_, 'p>) -> Vec<Alternative> {
        let all: Part = (0..spot.frame.body.len()).collect();
        let text = self.asker.policies.text(item.span);
        let ways = self.tuples(spot.frame, (&all, spot.aim), text);
        let values = ways.iter().take(WAYS).filter_map(|way| way.as_array()?.first());
        values.flat_map(|value| self.member(from, spot.sought(value)).alternatives).collect()
    }

    /// The bodies of a rule or function that is asked.
    fn bodies_of(&mut self, ask: &Ask<'p>, spot: Spot<'_, 'p>) -> Vec<Alternative> {
        match ask.what {
            What::Call(parts) if is_member(parts) => {
                let Some((from, [.., item])) = parts.split_last() else { return Vec::new() };
                let values = self.values(spot, item);
                values.iter().take(WAYS).flat_map(|value| self.member(from, spot.sought(value)).alternatives).collect()
            }
            What::Call(parts) => {
                let definitions = self.called_with(parts, spot);
                self.whether(definitions, ask.is_all, spot.level)
            }
            What::Reference(term) => self.referred(term, ask.is_all, spot),
        }
    }

    /// The bodies of the rule that a reference leads to: of those with keys, what is at the key.
    fn referred(&mut self, term: &'p Term, truth: bool, spot: Spot<'_, 'p>) -> Vec<Alternative> {
        let terms = term.as_ref_parts().unwrap_or(std::slice::from_ref(term));
        let policies = self.asker.policies;
        if spot.frame.is_local(terms) {
            return Vec::new();
        }
        let Some((path, named)) = policies.resolve(terms, spot.frame.file) else { return Vec::new() };
        let definitions = policies.rules(&path);
        if definitions.iter().any(Definition::is_deep) {
            return Vec::new();
        }
        match terms.get(named).filter(|_| definitions.iter().any(|definition| definition.key().is_some())) {
            Some(key) => {
                let keys = self.values(spot, key);
                let each = keys.iter().take(WAYS);
                each.flat_map(|key| self.keyed(&definitions, key, spot.level.saturating_add(1))).collect()
            }
            None => {
                let bodies = definitions.into_iter().map(|definition| (definition, frame_of(definition))).collect();
                self.whether(bodies, truth, spot.level)
            }
        }
    }

    /// Returns the values of the operands of a condition, as far as they are short and no constants.
    fn found(&mut self, spot: Spot<'_, 'p>) -> BTreeMap<String, Json> {
        let operands = spot.expr().map(compared).unwrap_or_default();
        let mut found = BTreeMap::new();
        for term in operands.into_iter().filter(|term| matches!(term.kind, Kind::Var(_) | Kind::Ref(_) | Kind::Call(_))) {
            let values = self.values(spot, term);
            let one = values.first().filter(|value| values.len() == 1 && value.nodes() <= SMALL);
            let shown = one.map(ToString::to_string).filter(|text| text.len() <= SHORT);
            if let Some(value) = shown.and_then(|text| serde_json::from_str(&text).ok()) {
                found.insert(self.asker.policies.text(term.span).to_owned(), value);
            }
        }
        found
    }
}

/// The frame of a rule without operands.
pub(super) fn frame_of(definition: Definition<'_>) -> Rc<Frame<'_>> {
    Rc::new(Frame::of(definition.file, definition.body()))
}
