//! A program with its data: documents as OPA shows them, base and virtual merged.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use regorus::Value as Rego;

use super::interpreter::{Interpreter, guard};
use super::program::Asked;
use super::reach::Modules;
use super::{Definition, EvalError, Limits, Program, Value, answer, fault, syntax};

/// A program with its data, ready to evaluate from many threads.
pub struct Prepared {
    program: Arc<Program>,
    data: Rego,
    /// Interpreters with data, by the modules they hold. Those who need the same one wait for the first of them.
    ready: Mutex<BTreeMap<Modules, Arc<Mutex<Option<Interpreter>>>>>,
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared").field("program", &self.program).finish_non_exhaustive()
    }
}

impl Prepared {
    pub(super) fn new(program: Arc<Program>, data: Rego) -> Self {
        Self { program, data, ready: Mutex::default() }
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Makes what evaluates the document at `data.<path>` beforehand: some milliseconds for a large set, and once.
    pub fn warm(&self, path: &[String]) -> Result<(), EvalError> {
        let name = display(path);
        guard(&name, self.program.stack, || {
            self.interpreter(self.program.reach.of_document(path)).map(drop).map_err(|e| self.program.fault(&name, &e))
        })
    }

    /// The document at `data.<path>`; `None` when undefined. Panics inside are caught.
    pub fn document(
        &self,
        path: &[String],
        input: Option<&Value>,
        limits: &Limits,
    ) -> Result<Option<serde_json::Value>, EvalError> {
        let name = display(path);
        guard(&name, self.program.stack, || {
            let value = self.value(&name, path, input, limits)?;
            let Some(value) = value else { return Ok(None) };
            answer::encode(&value, limits.output).map_err(|e| fault::answer(&name, &e))
        })
    }

    fn value(&self, name: &str, path: &[String], input: Option<&Value>, limits: &Limits) -> Result<Option<Rego>, EvalError> {
        let modules = self.program.reach.of_document(path);
        if modules.is_empty() {
            return Ok(walk(&self.data, path).cloned());
        }
        // Inside a rule's value the rest of the path may index an array, hence the walk. No name of a rule or package is a number.
        let names = path.iter().take_while(|segment| integer(segment).is_none()).count();
        let names = path.get(..names).unwrap_or_default();
        let rule = match self.program.definitions.rule_above(names) {
            None if names.len() < path.len() => return Ok(walk(&self.data, path).cloned()),
            rule => rule.unwrap_or(names),
        };
        let input = input.map(|input| input.0.clone());
        let ready = self.interpreter(modules).map_err(|e| self.program.fault(name, &e))?;
        let value = self.program.evaluate(&ready, Asked { document: name, reference: &self.reference(rule) }, input, limits)?;
        let inside = path.get(rule.len()..).unwrap_or_default();
        let value = value.and_then(|value| walk_virtual(&value, inside).cloned());
        // A package without a defined rule is an empty object.
        let empty = || (self.program.defines(path) == Definition::Package).then(Rego::new_object);
        Ok(value.or_else(empty))
    }

    /// What to ask the interpreter for.
    fn reference(&self, path: &[String]) -> String {
        let plain = || syntax::write(&std::iter::once("data".to_owned()).chain(path.iter().cloned()).collect::<Vec<_>>());
        self.program.packages.asked(path).unwrap_or_else(plain)
    }

    /// An interpreter with these modules and the data.
    pub(super) fn interpreter(&self, modules: Modules) -> Result<Interpreter, anyhow::Error> {
        let slot = self.ready.lock().entry(modules.clone()).or_default().clone();
        let mut slot = slot.lock();
        if let Some(ready) = slot.as_ref() {
            return Ok(ready.clone());
        }
        let ready = self.program.part(&modules)?.with_data(self.data.clone())?;
        *slot = Some(ready.clone());
        Ok(ready)
    }
}

/// The name for messages.
fn display(path: &[String]) -> String {
    std::iter::once("data").chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join(".")
}

/// The number that a segment of a path is for OPA: `7`, `+7`, `07` and `7.0` are one (`v1/util/performance.go`, `Atoi64`).
pub fn integer(segment: &str) -> Option<i64> {
    let digits = segment.strip_prefix(['-', '+']).unwrap_or(segment);
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if !whole.bytes().all(|byte| byte.is_ascii_digit()) || !fraction.bytes().all(|byte| byte == b'0') {
        return None;
    }
    let number = if whole.is_empty() { 0 } else { whole.parse::<i64>().ok()? };
    Some(if segment.starts_with('-') { number.checked_neg()? } else { number })
}

/// Follows a path into the value of a rule: a segment that is a number selects by that number alone, as in OPA.
fn walk_virtual<'a>(value: &'a Rego, path: &[String]) -> Option<&'a Rego> {
    path.iter().try_fold(value, |value, segment| {
        let number = integer(segment);
        let key = || number.map_or_else(|| Rego::String(segment.as_str().into()), Rego::from);
        match value {
            Rego::Object(members) => members.get(&key()).filter(|v| **v != Rego::Undefined),
            Rego::Array(items) => items.get(usize::try_from(number?).ok()?),
            Rego::Set(items) => items.get(&key()),
            _ => None,
        }
    })
}

/// Follows names through objects and sets, and indexes through arrays.
fn walk<'a>(value: &'a Rego, path: &[String]) -> Option<&'a Rego> {
    path.iter().try_fold(value, |value, name| match value {
        Rego::Object(members) => members.get(&Rego::String(name.as_str().into())).filter(|v| **v != Rego::Undefined),
        Rego::Array(items) => items.get(name.parse().ok()?),
        Rego::Set(items) => items.iter().find(|item| **item == Rego::String(name.as_str().into())),
        _ => None,
    })
}

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;
