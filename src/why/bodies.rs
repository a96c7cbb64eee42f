//! Bodies, condition by condition.

use std::rc::Rc;

use plimsoll_contract::why::{Alternative, Condition, Reached};
use plimsoll_rego::syntax::span::Span;
use plimsoll_rego::syntax::tree::Term;
use plimsoll_rego::value::Value;

use super::Explainer;
use super::bindings::{is_declaration, written};
use super::frame::{Frame, Part};
use super::metadata::Metadata;
use super::policies::Definition;
use super::reasons::Spot;

/// What a body is asked for: that it gives a value.
pub(super) struct Aim {
    /// The text of the term that gives it.
    pub(super) text: String,
    /// What that term needs.
    pub(super) part: Part,
    pub(super) value: Value,
}

/// What is known of a body so far.
pub(super) struct Judged {
    pub(super) conditions: Vec<Condition>,
    pub(super) holds: bool,
}

impl<'p> Explainer<'p> {
    /// Each condition of a body: for a value that it shall give, or at all.
    pub(super) fn judge(&mut self, frame: &Rc<Frame<'p>>, aim: Option<&Aim>, level: usize) -> Judged {
        let all: Part = (0..frame.body.len()).collect();
        let asked: Vec<usize> =
            all.iter().copied().filter(|number| frame.body.get(*number).is_some_and(|e| !is_declaration(e))).collect();
        let mut conditions: Vec<_> = asked.iter().map(|number| self.condition(frame, *number, aim, level)).collect();
        let holds = self.reaches(frame, aim, &all);
        match holds {
            Some(holds) => {
                if !holds && conditions.iter().all(|condition| condition.result == Reached::Holds) {
                    self.together(frame, aim, &asked, &mut conditions);
                }
            }
            None => conditions.iter_mut().filter(|c| c.result == Reached::Holds).for_each(|c| c.result = Reached::NotSeparable),
        }
        Judged { conditions, holds: holds.unwrap_or(false) }
    }

    fn condition(&mut self, frame: &Rc<Frame<'p>>, number: usize, aim: Option<&Aim>, level: usize) -> Condition {
        let result = self.reached(frame, number, aim);
        let empty = Default::default();
        let mut condition = match frame.body.get(number) {
            Some(expr) => Condition { text: written(self.asker.policies, expr), ..self.written(expr.span, result) },
            None => self.written(Span::default(), result),
        };
        (condition.alternatives, condition.found) = match result {
            _ if self.spend() => (Vec::new(), empty),
            Reached::Fails => self.reasons(Spot { frame, number, aim, level }),
            Reached::Holds if self.proving => self.proof(Spot { frame, number, aim, level }),
            _ => (Vec::new(), empty),
        };
        condition
    }

    /// A condition as it is written.
    pub(super) fn written(&self, span: Span, result: Reached) -> Condition {
        let text = self.asker.policies.text(span).to_owned();
        let location = self.asker.policies.location(span);
        Condition { text, location, result, together: false, found: Default::default(), alternatives: Vec::new() }
    }

    fn reached(&mut self, frame: &Frame<'p>, number: usize, aim: Option<&Aim>) -> Reached {
        let mut part = frame.needs(number);
        let aim = aim.filter(|aim| aim.part.contains(&number) || part.iter().any(|need| aim.part.contains(need)));
        // What gives the value itself is reached by itself.
        if let Some(aim) = aim.filter(|aim| !aim.part.contains(&number)) {
            part.extend(aim.part.iter().copied());
        }
        let is_given = aim.is_some_and(|aim| aim.part.contains(&number));
        let before = if is_given { Some(true) } else { self.reaches(frame, aim, &part) };
        part.insert(number);
        if let Some(aim) = aim {
            part.extend(aim.part.iter().copied().filter(|need| *need <= number || !is_given));
        }
        let after = match aim {
            Some(aim) if is_given && !aim.part.is_subset(&part) => self.reaches(frame, None, &part),
            aim => self.reaches(frame, aim, &part),
        };
        match (before, after) {
            (_, Some(true)) => Reached::Holds,
            (Some(true), Some(false)) => Reached::Fails,
            (Some(false), Some(false)) => Reached::NotReached,
            _ => Reached::NotSeparable,
        }
    }

    /// Whether a part of a body holds, and gives the value.
    fn reaches(&mut self, frame: &Frame<'p>, aim: Option<&Aim>, part: &Part) -> Option<bool> {
        let text = frame.text(self.asker.policies, part);
        match aim {
            Some(aim) => Some(self.asker.of(frame.question(&text), &aim.text)?.contains(&aim.value)),
            None if text.is_empty() => Some(true),
            None => self.asker.holds(frame.question(&text)),
        }
    }

    /// Each holds for some value, and no value satisfies all: the first that fails for what satisfies those before it.
    fn together(&mut self, frame: &Frame<'p>, aim: Option<&Aim>, asked: &[usize], conditions: &mut [Condition]) {
        let mut part = aim.map(|aim| aim.part.clone()).unwrap_or_default();
        for (number, condition) in asked.iter().zip(conditions) {
            part.extend(frame.needs(*number));
            part.insert(*number);
            if self.reaches(frame, aim, &part) != Some(true) {
                (condition.result, condition.together) = (Reached::Fails, true);
                return;
            }
        }
    }

    /// The bodies of a rule or a function that is asked only whether it holds.
    pub(super) fn whether(&mut self, definitions: Vec<(Definition<'p>, Rc<Frame<'p>>)>, level: usize) -> Vec<Alternative> {
        let each = definitions.into_iter().map(|(definition, frame)| {
            let judged = self.judge(&frame, None, level.saturating_add(1));
            self.alternative(definition, judged)
        });
        each.collect()
    }

    pub(super) fn alternative(&self, definition: Definition<'p>, judged: Judged) -> Alternative {
        let Metadata { title, labels } = Metadata::of(&self.asker.policies.program, definition);
        Alternative {
            rule: definition.name(),
            location: self.asker.policies.location(definition.rule.head.span),
            title,
            labels,
            holds: judged.holds,
            conditions: judged.conditions,
        }
    }

    /// What a body is asked for, where a term of it gives a value.
    pub(super) fn aim(&self, frame: &Frame<'p>, term: &'p Term, value: &Value) -> Aim {
        let text = self.asker.policies.text(term.span).to_owned();
        Aim { text, part: frame.needs_of(term), value: value.clone() }
    }
}
