//! Imports and names that would hide others.

use super::names::Names;
use super::report::Report;
use super::rule::{Import, Unit};
use super::tree::display;
use crate::rego::parse::{ParsedModule, Version};

const CODE: &str = "rego_compile_error";

/// Reports imports and rule names that Rego v1 does not allow.
pub(super) fn check(units: &[Unit], modules: &[ParsedModule], names: &Names, report: &mut Report<'_>) {
    for (index, unit) in units.iter().enumerate() {
        let v1 = modules.get(index).is_some_and(|module| module.ast.rego_v1 || module.version == Version::V1);
        if v1 {
            twice(index, unit, names, report);
            roots(index, unit, report);
        }
    }
}

fn twice(index: usize, unit: &Unit, names: &Names, report: &mut Report<'_>) {
    let mut seen: Vec<&Import> = Vec::new();
    for import in &unit.imports {
        match seen.iter().find(|other| other.alias == import.alias) {
            Some(other) => {
                report.error(index, import.at, CODE, format!("import must not shadow {}", text(other, names)));
            }
            None => seen.push(import),
        }
    }
}

fn text(import: &Import, names: &Names) -> String {
    let path = display(&import.path, names);
    match &import.alias {
        Some(alias) if !path.ends_with(alias.as_str()) => format!("import {path} as {alias}"),
        _ => format!("import {path}"),
    }
}

fn roots(index: usize, unit: &Unit, report: &mut Report<'_>) {
    for rule in &unit.rules {
        if let Some(name) = rule.path.get(rule.name_len.saturating_sub(1))
            && let super::term::Kind::Scalar(regorus::Value::String(name)) = &name.kind
            && matches!(name.as_ref(), "data" | "input")
        {
            report.error(index, rule.at, CODE, format!("rules must not shadow {name} (use a different rule name)"));
        }
    }
}
