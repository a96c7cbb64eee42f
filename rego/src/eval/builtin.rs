//! Builtins: their operands, what they answer, and what the evaluator answers itself.

use smallvec::SmallVec;

use super::cache::Operands;
use super::error::{EvalCode, EvalError};
use super::quick::Quick;
use super::val::{Val, slot_of};
use super::{Evaluation, Stop};
use crate::builtins::error::{Answer, Fault};
use crate::builtins::table::Selection;
use crate::builtins::{Builtin, BuiltinError};
use crate::ir::Term;
use crate::limits::Halt;
use crate::syntax::span::Span;
use crate::value::Value;

/// How many operands nearly all builtins have at most: so many are not collected on the heap.
const FEW: usize = 4;

impl<'a> Evaluation<'a> {
    /// The answer of a builtin. Constants, and what variables have, stay where they are.
    #[inline(never)]
    pub(super) fn builtin(
        &mut self,
        builtin: &Builtin,
        terms: &'a [Term],
        span: Span,
        base: usize,
    ) -> Result<Option<Value>, Stop> {
        if let Some(answer) = self.at_once(builtin, terms, base) {
            return match answer {
                Ok(answer) => Ok(answer),
                failed => self.answered(builtin, failed, span),
            };
        }
        let mut quick = [None; FEW];
        let mut made = Operands::new();
        for (at, term) in terms.iter().enumerate().filter(|(_, term)| !matches!(term, Term::Constant(_) | Term::Slot(_))) {
            let known = self.quick(term, base)?;
            match (known, quick.get_mut(at)) {
                (Quick::Is(value), Some(place)) => *place = Some(value),
                (known, _) => match self.completed(known, term, base)? {
                    Some(value) => made.push(value),
                    None => return Ok(None),
                },
            }
        }
        let (slots, mut others) = (&self.slots, made.iter().map(Val::value));
        let mut operand = |at: usize, term: &'a Term| match term {
            Term::Constant(value) => value,
            Term::Slot(slot) => slot_of(slots, base, *slot).value(),
            _ => quick.get(at).copied().flatten().or_else(|| others.next()).unwrap_or(&Value::Null),
        };
        let (mut few, many);
        let operands = if terms.len() <= FEW {
            few = [&Value::Null; FEW];
            for (at, (place, term)) in few.iter_mut().zip(terms).enumerate() {
                *place = operand(at, term);
            }
            few.get(..terms.len()).unwrap_or_default()
        } else {
            many = terms.iter().enumerate().map(|(at, term)| operand(at, term)).collect::<Vec<_>>();
            &many
        };
        let Some(function) = builtin.function else {
            let operands: Vec<_> = operands.iter().copied().cloned().collect();
            return self.own(builtin, &operands, span);
        };
        match function(&mut self.context, operands) {
            Ok(answer) => Ok(answer),
            failed => self.answered(builtin, failed, span),
        }
    }

    /// The answer of a builtin with at most three operands, none of which has to be made: most calls, and nothing is collected for them.
    #[inline]
    fn at_once(&mut self, builtin: &Builtin, terms: &'a [Term], base: usize) -> Option<Answer> {
        let (function, slots, context) = (builtin.function?, &self.slots, &mut self.context);
        let here = |term: &'a Term| match term {
            Term::Constant(value) => Some(value),
            Term::Slot(slot) => Some(slot_of(slots, base, *slot).value()),
            _ => None,
        };
        Some(match terms {
            [a] => function(context, &[here(a)?]),
            [a, b] => function(context, &[here(a)?, here(b)?]),
            [a, b, c] => function(context, &[here(a)?, here(b)?, here(c)?]),
            _ => return None,
        })
    }

    /// The part of an operand that is the answer of a builtin: not copied, where it lives until the evaluation ends.
    pub(super) fn selected(
        &mut self,
        (builtin, selection): (&Builtin, Selection),
        terms: &'a [Term],
        span: Span,
        base: usize,
    ) -> Result<Option<Val<'a>>, Stop> {
        let (mut borrowed, mut others) = (SmallVec::<[&'a Value; 4]>::new(), Operands::new());
        for term in terms {
            let known = self.quick(term, base)?;
            match self.completed(known, term, base)? {
                Some(Val::Ref(value)) if others.is_empty() => borrowed.push(value),
                Some(value) => others.push(value),
                None => return Ok(None),
            }
        }
        let answer = if others.is_empty() {
            selection(&mut self.context, &borrowed).map(|answer| answer.map(Val::Ref))
        } else {
            let mut operands = SmallVec::<[&Value; 4]>::new();
            borrowed.into_iter().for_each(|value| operands.push(value));
            operands.extend(others.iter().map(Val::value));
            selection(&mut self.context, &operands).map(|answer| answer.cloned().map(Val::Own))
        };
        match answer {
            Ok(answer) => Ok(answer),
            Err(error) => Ok(self.answered(builtin, Err(error), span)?.map(Val::Own)),
        }
    }

    /// What a builtin answered; the first error is remembered, and the call then has no answer.
    pub(super) fn answered(&mut self, builtin: &Builtin, answer: Answer, span: Span) -> Result<Option<Value>, Stop> {
        match answer {
            Ok(answer) => Ok(answer),
            Err(error) => {
                let error = failure(builtin, error, span).map_err(|halt| Stop::at(halt, span))?;
                self.failed.get_or_insert(error);
                Ok(None)
            }
        }
    }

    /// What the evaluator answers itself.
    fn own(&mut self, builtin: &Builtin, operands: &[Value], span: Span) -> Result<Option<Value>, Stop> {
        match (builtin.name, operands) {
            ("internal.print", [parts]) => {
                self.print(parts, span);
                Ok(Some(true.into()))
            }
            ("internal.test_case", [keys]) => {
                self.test_case(keys)?;
                Ok(Some(true.into()))
            }
            ("trace", [Value::String(message)]) => {
                if let Some(hook) = self.options.note.clone() {
                    (*hook.lock())(span, message.to_string());
                }
                Ok(Some(true.into()))
            }
            ("trace" | "print", _) => Ok(Some(true.into())),
            _ => {
                let message = format!("unsupported built-in: {}", builtin.name);
                Err(EvalError::new(EvalCode::Internal, message, span).into())
            }
        }
    }

    fn print(&mut self, parts: &Value, span: Span) {
        let Some(hook) = self.options.print.clone() else { return };
        let mut hear = hook.lock();
        printed(parts).into_iter().for_each(|line| (*hear)(span, line));
    }
}

/// The error of a builtin that has none but an error to give.
pub(crate) fn failure(builtin: &Builtin, error: BuiltinError, span: Span) -> Result<EvalError, Halt> {
    let (code, message) = match error.into_fault() {
        Fault::Halt(halt) => return Err(halt),
        Fault::Operand(message) => (EvalCode::Type, message),
        Fault::Failed(message) => (EvalCode::Builtin, message),
    };
    Ok(EvalError::new(code, format!("{}: {message}", builtin.name), span))
}

/// The lines of a print. Each operand is a set of the values it has: all combinations are printed (opa `v1/topdown/print.go`).
pub(crate) fn printed(parts: &Value) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (index, part) in parts.as_array().unwrap_or_default().iter().enumerate() {
        let gap = if index == 0 { "" } else { " " };
        let texts: Vec<String> = match part {
            Value::Set(set) if set.is_empty() => vec!["<undefined>".to_owned()],
            Value::Set(set) => set.members().iter().map(shown).collect(),
            scalar => vec![shown(scalar)],
        };
        lines = lines.iter().flat_map(|line| texts.iter().map(move |text| format!("{line}{gap}{text}"))).collect();
    }
    lines
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        other => other.to_string(),
    }
}
