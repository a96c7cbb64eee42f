//! Bodies, condition by condition.

use std::rc::Rc;

use plimsoll_contract::why::{Alternative, Condition, Reached};
use plimsoll_rego::syntax::span::Span;
use plimsoll_rego::syntax::tree::{ExprKind, Kind, Term};
use plimsoll_rego::value::Value;

use super::Explainer;
use super::bindings::{is_declaration, written};
use super::frame::{Frame, Part};
use super::metadata::Metadata;
use super::policies::Definition;
use super::reasons::Spot;

/// The value that a body is to give.
pub(super) struct Aim {
    /// The text of the term that gives it.
    pub(super) text: String,
    /// What that term needs.
    pub(super) part: Part,
    pub(super) value: Value,
}

/// The conditions of a body that have been found so far.
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
                if !holds {
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
            _ if !self.may_tell(condition.text.len()) => (Vec::new(), empty),
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
            // A part of what is drawn is no member of what it is drawn from.
            (Some(true), Some(false)) if is_given && !self.is_direct(frame, number, aim) => Reached::NotSeparable,
            (Some(true), Some(false)) => Reached::Fails,
            (Some(false), Some(false)) => Reached::NotReached,
            _ => Reached::NotSeparable,
        }
    }

    /// Whether an expression draws the very value that is asked for, or its key.
    fn is_direct(&self, frame: &Frame<'p>, number: usize, aim: Option<&Aim>) -> bool {
        let (Some(expr), Some(aim)) = (frame.body.get(number), aim) else { return true };
        match &expr.kind {
            ExprKind::Some(some) => some.symbols.iter().any(|symbol| match &symbol.kind {
                Kind::Call(parts) => {
                    let drawn = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
                    drawn.iter().any(|item| self.asker.policies.term(item) == aim.text)
                }
                _ => true,
            }),
            _ => true,
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
        let held = asked.iter().zip(conditions).filter(|(_, condition)| condition.result == Reached::Holds);
        // Those that fail by themselves are said already.
        let all: Part = aim.map(|aim| aim.part.clone()).unwrap_or_default();
        if aim.is_some_and(|_| self.reaches(frame, aim, &all) == Some(false)) {
            return;
        }
        for (number, condition) in held {
            part.extend(frame.needs(*number));
            part.insert(*number);
            if self.reaches(frame, aim, &part) != Some(true) {
                (condition.result, condition.together) = (Reached::Fails, true);
                return;
            }
        }
    }

    /// The bodies of a rule or a function that is asked only whether it is defined, or, if it is `truth` that is asked for, not false.
    pub(super) fn whether(
        &mut self,
        definitions: Vec<(Definition<'p>, Rc<Frame<'p>>)>,
        truth: bool,
        level: usize,
    ) -> Vec<Alternative> {
        let mut found = Vec::new();
        for (definition, frame) in definitions {
            if !self.goes_on() {
                break;
            }
            let mut judged = self.judge(&frame, None, level.saturating_add(1));
            self.after_others(definition, (&frame, level.saturating_add(1)), &mut judged);
            if truth {
                self.truth(definition, &frame, &mut judged);
            }
            found.push(self.alternative(definition, judged));
        }
        found
    }

    /// A rule whose value is false, or undefined, does not hold.
    fn truth(&mut self, definition: Definition<'p>, frame: &Frame<'p>, judged: &mut Judged) {
        let Some(term) = definition.value().filter(|_| judged.holds) else { return };
        let text = frame.text(self.asker.policies, &(0..frame.body.len()).collect());
        let values = self.asker.of(frame.question(&text), &self.asker.policies.term(term));
        if values.is_none_or(|values| values.iter().all(|value| *value == Value::False)) {
            judged.holds = false;
            judged.conditions.push(self.written(term.span, Reached::Fails));
        }
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

    /// Returns the aim of a body whose term `term` is to give `value`.
    pub(super) fn aim(&self, frame: &Frame<'p>, term: &'p Term, value: &Value) -> Aim {
        let text = self.asker.policies.term(term);
        Aim { text, part: frame.needs_of(term), value: value.clone() }
    }
}
