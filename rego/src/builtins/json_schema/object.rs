//! Members (`validateObject`). OPA goes through them in no order; here it is that of their names.

use super::finding::{Findings, Place};
use super::schema::{Additional, Part};
use super::validate::Validator;
use crate::builtins::BuiltinError;
use crate::value::{Object, Value};

pub(super) fn validate(
    validator: &mut Validator<'_>,
    part: &Part,
    members: &Object,
    out: &mut Findings,
    place: &Place<'_>,
) -> Result<(), BuiltinError> {
    let count = i64::try_from(members.len()).unwrap_or(i64::MAX);
    if let Some(min) = part.limits.properties.min.filter(|min| count < *min) {
        out.add("array_min_properties", place, format!("Must have at least {min} properties"));
    }
    if let Some(max) = part.limits.properties.max.filter(|max| count > *max) {
        out.add("array_max_properties", place, format!("Must have at most {max} properties"));
    }
    for required in &part.required {
        if members.get(&Value::from(required.as_str())).is_some() {
            out.count();
        } else {
            out.add("required", place, format!("{required} is required"));
        }
    }
    for (key, value) in members.iter() {
        let name = key.as_str().map_or("", |key| key);
        let matched = patterns(validator, part, (name, value), out, place)?;
        if !matched && !part.properties.iter().any(|(known, _)| known == name) {
            additional(validator, part, (name, value), out, place)?;
        }
    }
    names(validator, part, members, out, place)?;
    out.count();
    Ok(())
}

/// The members that the schema names.
pub(super) fn properties(
    validator: &mut Validator<'_>,
    part: &Part,
    members: &Object,
    out: &mut Findings,
    place: &Place<'_>,
) -> Result<(), BuiltinError> {
    for (name, schema) in &part.properties {
        if let Some(value) = members.get(&Value::from(name.as_str())) {
            validator.part(*schema, value, out, &Place { name, above: Some(place) })?;
        }
    }
    Ok(())
}

fn patterns(
    validator: &mut Validator<'_>,
    part: &Part,
    (name, value): (&str, &Value),
    out: &mut Findings,
    place: &Place<'_>,
) -> Result<bool, BuiltinError> {
    let mut matched = false;
    for (pattern, schema) in &part.pattern_properties {
        validator.account.step(u64::try_from(name.len()).unwrap_or(u64::MAX))?;
        pattern.has_time_for(validator.account, name)?;
        if pattern.regex.is_match(name) {
            matched = true;
            let findings = validator.apart(*schema, value, &Place { name, above: Some(place) })?;
            out.merge(findings);
        }
    }
    if matched {
        out.count();
    }
    Ok(matched)
}

fn additional(
    validator: &mut Validator<'_>,
    part: &Part,
    (name, value): (&str, &Value),
    out: &mut Findings,
    place: &Place<'_>,
) -> Result<(), BuiltinError> {
    match part.additional_properties {
        Additional::Anything => {}
        Additional::Nothing => {
            out.add("additional_property_not_allowed", place, format!("Additional property {name} is not allowed"));
        }
        Additional::Fitting(schema) => {
            let findings = validator.apart(schema, value, &Place { name, above: Some(place) })?;
            out.merge(findings);
        }
    }
    Ok(())
}

fn names(
    validator: &mut Validator<'_>,
    part: &Part,
    members: &Object,
    out: &mut Findings,
    place: &Place<'_>,
) -> Result<(), BuiltinError> {
    let Some(schema) = part.property_names else { return Ok(()) };
    for (key, _) in members.iter() {
        let findings = validator.apart(schema, key, place)?;
        if !findings.is_valid() {
            let name = key.as_str().map_or("", |key| key);
            out.add("invalid_property_name", place, format!("Property name of \"{name}\" does not match"));
            out.merge(findings);
        }
    }
    Ok(())
}
