//! Calls of functions and builtins.

use smallvec::SmallVec;

use super::cache::Operands;
use super::error::{EvalCode, EvalError};
use super::val::Val;
use super::with::Mock;
use super::{Evaluation, Flow, Found, Stop};
use crate::builtins::error::Answer;
use crate::builtins::table::Comparison;
use crate::builtins::{Builtin, BuiltinError};
use crate::ir::{Call, Target};
use crate::limits::Halt;
use crate::syntax::span::Span;
use crate::value::Value;

impl Call {
    /// Whether it may have several answers.
    pub(super) fn is_relation(&self) -> bool {
        matches!(self.target, Target::Builtin(builtin) if builtin.relation)
    }
}

impl<'a> Evaluation<'a> {
    /// The answer of a call; `None` when it has none.
    #[inline]
    pub(super) fn call(&mut self, call: &'a Call, span: Span, base: usize) -> Result<Option<Val<'a>>, Stop> {
        match self.scope.mock(&call.name) {
            None => self.target(&call.target, call, span, base),
            Some(Mock::Value(value)) => Ok(Some(Val::Ref(value))),
            Some(Mock::Target(target)) => {
                let mocks = self.scope.without_mocks();
                let answer = self.target(target, call, span, base);
                self.scope.restore_mocks(mocks);
                answer
            }
        }
    }

    fn target(&mut self, target: &'a Target, call: &'a Call, span: Span, base: usize) -> Result<Option<Val<'a>>, Stop> {
        match target {
            Target::Function(id) => {
                let Some(operands) = self.operands(call, base)? else { return Ok(None) };
                self.function(*id, &operands)
            }
            Target::Builtin(builtin @ Builtin { comparison: Some(comparison), .. }) => {
                let holds = self.compared((builtin, *comparison), call, span, base)?;
                Ok(holds.map(|holds| Val::Own(Value::Bool(holds))))
            }
            Target::Builtin(builtin) => {
                let mut operands = SmallVec::<[Value; 4]>::with_capacity(call.operands.len());
                for operand in &call.operands {
                    match self.term(operand, base)? {
                        Some(value) => operands.push(value.into_value()),
                        None => return Ok(None),
                    }
                }
                Ok(self.builtin(builtin, &operands, span)?.map(Val::Own))
            }
        }
    }

    /// Whether a comparison holds.
    pub(super) fn compared(
        &mut self,
        (builtin, comparison): (&Builtin, Comparison),
        call: &'a Call,
        span: Span,
        base: usize,
    ) -> Result<Option<bool>, Stop> {
        let [a, b] = call.operands.as_ref() else { return Ok(None) };
        let (Some(a), Some(b)) = (self.term(a, base)?, self.term(b, base)?) else { return Ok(None) };
        match comparison(&mut self.context, a.value(), b.value()) {
            Ok(holds) => Ok(Some(holds)),
            Err(error) => Ok(self.answered(builtin, Err(error), span)?.map(|_| false)),
        }
    }

    /// The values of all operands, if all are defined.
    pub(super) fn operands(&mut self, call: &'a Call, base: usize) -> Result<Option<Operands<'a>>, Stop> {
        let mut operands = Operands::with_capacity(call.operands.len());
        for operand in &call.operands {
            match self.term(operand, base)? {
                Some(value) => operands.push(value),
                None => return Ok(None),
            }
        }
        Ok(Some(operands))
    }

    fn builtin(&mut self, builtin: &Builtin, operands: &[Value], span: Span) -> Result<Option<Value>, Stop> {
        let Some(function) = builtin.function else { return self.own(builtin, operands, span) };
        let answer = function(&mut self.context, operands);
        self.answered(builtin, answer, span)
    }

    /// What a builtin answered; the first error is remembered, and the call then has no answer.
    fn answered(&mut self, builtin: &Builtin, answer: Answer, span: Span) -> Result<Option<Value>, Stop> {
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
            ("eq", [a, b]) => Ok(Some((a == b).into())),
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

    /// Calls back with `[path, value]` for a value and each one inside it, outermost first (opa `v1/topdown/walk.go`).
    pub(super) fn walk(&mut self, value: Val<'a>, found: &mut dyn FnMut(&mut Self, Value) -> Found) -> Found {
        self.walk_from(&mut Vec::new(), value.value(), found)
    }

    fn walk_from(&mut self, path: &mut Vec<Value>, value: &Value, found: &mut dyn FnMut(&mut Self, Value) -> Found) -> Found {
        self.context.account.charge(path.len().saturating_add(4).saturating_mul(size_of::<Value>()))?;
        let pair = Value::array([Value::array(path.iter().cloned()), value.clone()]);
        if found(self, pair)? == Flow::Enough {
            return Ok(Flow::Enough);
        }
        let whole = Val::Own(value.clone());
        for index in 0..whole.len() {
            let Some((key, part)) = whole.entry(index) else { break };
            path.push(key.into_value());
            let flow = self.deeper(|eval| eval.walk_from(path, part.value(), found))?;
            path.pop();
            if flow == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        Ok(Flow::Next)
    }
}

/// The error of a builtin that has none but an error to give.
pub(crate) fn failure(builtin: &Builtin, error: BuiltinError, span: Span) -> Result<EvalError, Halt> {
    let (code, message) = match error {
        BuiltinError::Halt(halt) => return Err(halt),
        BuiltinError::Operand(message) => (EvalCode::Type, message),
        BuiltinError::Failed(message) => (EvalCode::Builtin, message),
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
