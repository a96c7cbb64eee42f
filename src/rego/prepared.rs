//! A program with its data: documents as OPA shows them, base and virtual merged.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use regorus::Value as Rego;

use super::interpreter::{Interpreter, guard};
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
        // Inside a rule's value the rest of the path may index an array, hence the walk.
        let rule = self.program.definitions.rule_above(path).unwrap_or(path);
        let input = input.map(|input| input.0.clone());
        let ready = self.interpreter(modules).map_err(|e| self.program.fault(name, &e))?;
        let value = self.program.evaluate(&ready, name, &self.reference(rule), input, limits)?;
        let inside = path.get(rule.len()..).unwrap_or_default();
        let value = value.and_then(|value| walk(&value, inside).cloned());
        // A package without a defined rule is an empty object.
        let empty = || (self.program.defines(path) == Definition::Package).then(Rego::new_object);
        Ok(value.or_else(empty))
    }

    /// What to ask the interpreter for.
    fn reference(&self, path: &[String]) -> String {
        let path: Vec<_> = std::iter::once("data".to_owned()).chain(path.iter().cloned()).collect();
        self.program.packages.whole(&path).unwrap_or_else(|| syntax::write(&path))
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

/// Follows names through objects, and indexes through arrays.
fn walk<'a>(value: &'a Rego, path: &[String]) -> Option<&'a Rego> {
    path.iter().try_fold(value, |value, name| match value {
        Rego::Object(members) => members.get(&Rego::String(name.as_str().into())).filter(|v| **v != Rego::Undefined),
        Rego::Array(items) => items.get(name.parse().ok()?),
        _ => None,
    })
}

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;
