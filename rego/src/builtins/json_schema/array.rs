//! Items (`validateArray`).

use std::collections::HashMap;

use super::finding::{Findings, Place};
use super::keywords::plain;
use super::schema::{Additional, Part};
use super::validate::{Validator, better};
use crate::builtins::BuiltinError;
use crate::value::Value;

pub(super) fn validate(
    validator: &mut Validator<'_>,
    part: &Part,
    items: &[Value],
    out: &mut Findings,
    place: &Place<'_>,
) -> Result<(), BuiltinError> {
    each(validator, part, items, out, place)?;
    let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
    if let Some(min) = part.limits.items.min.filter(|min| count < *min) {
        out.add("array_min_items", place, format!("Array must have at least {min} items"));
    }
    if let Some(max) = part.limits.items.max.filter(|max| count > *max) {
        out.add("array_max_items", place, format!("Array must have at most {max} items"));
    }
    if part.unique_items {
        unique(validator, items, out, place)?;
    }
    contains(validator, part, items, out, place)?;
    out.count();
    Ok(())
}

fn each(
    validator: &mut Validator<'_>,
    part: &Part,
    items: &[Value],
    out: &mut Findings,
    place: &Place<'_>,
) -> Result<(), BuiltinError> {
    if part.items.is_empty() {
        return Ok(());
    }
    for (index, item) in items.iter().enumerate() {
        let schema = match (part.items_are_alike, part.items.get(index), part.additional_items) {
            (true, _, _) => part.items.first().copied(),
            (false, Some(schema), _) => Some(*schema),
            (false, None, Additional::Fitting(schema)) => Some(schema),
            (false, None, _) => None,
        };
        let Some(schema) = schema else { break };
        let below = Place { name: &index.to_string(), above: Some(place) };
        let findings = validator.apart(schema, item, &below)?;
        out.merge(findings);
    }
    let more = !part.items_are_alike && items.len() > part.items.len();
    if more && matches!(part.additional_items, Additional::Nothing) {
        out.add("array_no_additional_items", place, "No additional items allowed on array");
    }
    Ok(())
}

fn unique(validator: &mut Validator<'_>, items: &[Value], out: &mut Findings, place: &Place<'_>) -> Result<(), BuiltinError> {
    let mut seen = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let text = plain(item)?;
        validator.account.charge(text.len())?;
        if let Some(before) = seen.insert(text, index) {
            out.add("unique", place, format!("array items[{before},{index}] must be unique"));
        }
    }
    Ok(())
}

fn contains(
    validator: &mut Validator<'_>,
    part: &Part,
    items: &[Value],
    out: &mut Findings,
    place: &Place<'_>,
) -> Result<(), BuiltinError> {
    let Some(schema) = part.contains else { return Ok(()) };
    let mut best = None;
    for (index, item) in items.iter().enumerate() {
        let findings = validator.apart(schema, item, &Place { name: &index.to_string(), above: Some(place) })?;
        if findings.is_valid() {
            return Ok(());
        }
        best = better(best, findings);
    }
    out.add("contains", place, "At least one of the items must match");
    if let Some(best) = best {
        out.merge(best);
    }
    Ok(())
}
