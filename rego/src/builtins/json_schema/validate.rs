//! A document against a schema (`internal/gojsonschema`, `validation.go`).

use super::finding::{Finding, Findings, Place};
use super::schema::{Dependency, Id, Part, Schema};
use super::{array, object, scalar};
use crate::builtins::BuiltinError;
use crate::limits::{Account, Halt};
use crate::value::Value;

/// Stack that must be there for a level, and what is added where it is not.
const STACK: (usize, usize) = (256 << 10, 2 << 20);
/// Levels that are gone through on the stack as it is.
const SHALLOW: u32 = 16;
/// Steps of looking at a value with a part.
const LOOK: u64 = 8;

/// All that is wrong with a document.
pub(super) fn validate(account: &mut Account, schema: &Schema, document: &Value) -> Result<Vec<Finding>, BuiltinError> {
    let mut findings = Findings::default();
    let root = Place { name: "(Root)", above: None };
    Validator { account, schema, depth: 0 }.part(0, document, &mut findings, &root)?;
    Ok(findings.list)
}

/// Goes one level down, on a stack that grows for what is deep.
pub(super) fn level<T>(depth: u32, down: impl FnOnce() -> T) -> T {
    if depth < SHALLOW { down() } else { stacker::maybe_grow(STACK.0, STACK.1, down) }
}

/// A validation: what it may cost, what with, how deep it is.
pub(super) struct Validator<'s> {
    pub(super) account: &'s mut Account,
    pub(super) schema: &'s Schema,
    depth: u32,
}

impl<'s> Validator<'s> {
    /// What a part says of a value.
    pub(super) fn apart(&mut self, id: Id, value: &Value, place: &Place<'_>) -> Result<Findings, BuiltinError> {
        let mut findings = Findings::default();
        self.part(id, value, &mut findings, place)?;
        Ok(findings)
    }

    /// Adds what a part says of a value.
    pub(super) fn part(&mut self, id: Id, value: &Value, out: &mut Findings, place: &Place<'_>) -> Result<(), BuiltinError> {
        self.account.step(LOOK)?;
        let deepest = self.account.limits().depth;
        if self.depth >= deepest {
            return Err(Halt::Depth(deepest).into());
        }
        self.depth = self.depth.saturating_add(1);
        let done = level(self.depth, || self.within(id, value, out, place));
        self.depth = self.depth.saturating_sub(1);
        done
    }

    fn within(&mut self, id: Id, value: &Value, out: &mut Findings, place: &Place<'_>) -> Result<(), BuiltinError> {
        let Some(part) = self.schema.parts.get(id) else { return Ok(()) };
        if let Some(pass) = part.pass {
            if !pass {
                out.add("false", place, "False always fails validation");
            }
            return Ok(());
        }
        if let Some(reference) = part.reference {
            return self.part(reference, value, out, place);
        }
        if let Some(given) = wrong_type(part, value) {
            let expected = match part.types.as_slice() {
                [one] => one.clone(),
                several => format!("[{}]", several.join(",")),
            };
            out.add("invalid_type", place, format!("Invalid type. Expected: {expected}, given: {given}"));
            return Ok(());
        }
        self.combined(part, value, out, place)?;
        match value {
            Value::Array(items) => array::validate(self, part, items.items(), out, place)?,
            Value::Object(members) => object::validate(self, part, members, out, place)?,
            _ => {}
        }
        scalar::validate(self, part, value, out, place)?;
        if let Value::Object(members) = value {
            object::properties(self, part, members, out, place)?;
        }
        out.count();
        Ok(())
    }

    /// `anyOf`, `oneOf`, `allOf`, `not`, `dependencies`, `if`.
    fn combined(&mut self, part: &'s Part, value: &Value, out: &mut Findings, place: &Place<'_>) -> Result<(), BuiltinError> {
        self.any_of(part, value, out, place)?;
        self.one_of(part, value, out, place)?;
        self.all_of(part, value, out, place)?;
        if let Some(not) = part.not
            && self.apart(not, value, place)?.is_valid()
        {
            out.add("number_not", place, "Must not validate the schema (not)");
        }
        self.dependencies(part, value, out, place)?;
        self.condition(part, value, out, place)?;
        out.count();
        Ok(())
    }

    fn any_of(&mut self, part: &Part, value: &Value, out: &mut Findings, place: &Place<'_>) -> Result<(), BuiltinError> {
        let mut best: Option<Findings> = None;
        for id in &part.any_of {
            let findings = self.apart(*id, value, place)?;
            if findings.is_valid() {
                return Ok(());
            }
            best = better(best, findings);
        }
        if let Some(best) = best {
            out.add("number_any_of", place, "Must validate at least one schema (anyOf)");
            out.merge(best);
        }
        Ok(())
    }

    fn one_of(&mut self, part: &Part, value: &Value, out: &mut Findings, place: &Place<'_>) -> Result<(), BuiltinError> {
        let (mut best, mut valid) = (None, 0_usize);
        for id in &part.one_of {
            let findings = self.apart(*id, value, place)?;
            if findings.is_valid() {
                valid = valid.saturating_add(1);
            } else if valid == 0 {
                best = better(best, findings);
            }
        }
        if !part.one_of.is_empty() && valid != 1 {
            out.add("number_one_of", place, "Must validate one and only one schema (oneOf)");
            if let Some(best) = best.filter(|_| valid == 0) {
                out.merge(best);
            }
        }
        Ok(())
    }

    fn all_of(&mut self, part: &Part, value: &Value, out: &mut Findings, place: &Place<'_>) -> Result<(), BuiltinError> {
        let mut all = true;
        for id in &part.all_of {
            let findings = self.apart(*id, value, place)?;
            all &= findings.is_valid();
            out.merge(findings);
        }
        if !all {
            out.add("number_all_of", place, "Must validate all the schemas (allOf)");
        }
        Ok(())
    }

    fn dependencies(&mut self, part: &'s Part, value: &Value, out: &mut Findings, place: &Place<'_>) -> Result<(), BuiltinError> {
        let Value::Object(members) = value else { return Ok(()) };
        let has = |key: &str| members.get(&Value::from(key)).is_some();
        for (_, dependency) in part.dependencies.iter().filter(|(key, _)| has(key)) {
            match dependency {
                Dependency::Schema(id) => self.part(*id, value, out, place)?,
                Dependency::Keys(keys) => {
                    for missing in keys.iter().filter(|key| !has(key)) {
                        out.add("missing_dependency", place, format!("Has a dependency on {missing}"));
                    }
                }
            }
        }
        Ok(())
    }

    fn condition(&mut self, part: &Part, value: &Value, out: &mut Findings, place: &Place<'_>) -> Result<(), BuiltinError> {
        let Some(condition) = part.condition else { return Ok(()) };
        let holds = self.apart(condition, value, place)?.is_valid();
        let (branch, kind, message) = if holds {
            (part.then, "condition_then", "Must validate \"then\" as \"if\" was valid")
        } else {
            (part.otherwise, "condition_else", "Must validate \"else\" as \"if\" was not valid")
        };
        let Some(branch) = branch else { return Ok(()) };
        let findings = self.apart(branch, value, place)?;
        if !findings.is_valid() {
            out.add(kind, place, message);
            out.merge(findings);
        }
        Ok(())
    }
}

/// The findings of what fits best; of equals the first.
pub(super) fn better(best: Option<Findings>, findings: Findings) -> Option<Findings> {
    match best {
        Some(best) if best.score >= findings.score => Some(best),
        _ => Some(findings),
    }
}

/// The type of a value that is none of those wanted.
fn wrong_type(part: &Part, value: &Value) -> Option<&'static str> {
    let wanted = |name: &str| part.types.iter().any(|wanted| wanted == name);
    let given = match value {
        Value::Int(_) | Value::Number(_) if value.as_integer().is_some() => "integer",
        other => other.type_name(),
    };
    let fits = part.types.is_empty() || wanted(given) || given == "integer" && wanted("number");
    (!fits).then_some(given)
}
