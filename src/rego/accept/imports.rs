//! Imports and names that would hide others.

use super::Revision;
use super::names::{Names, VarSet};
use super::report::Report;
use super::rule::{Import, Unit};
use super::tree::display;

const CODE: &str = "rego_compile_error";

/// Reports imports and rule names that Rego v1 does not allow.
pub(super) fn check(units: &[Unit], v1: &Revision, names: &Names, report: &mut Report<'_>) {
    for (index, unit) in units.iter().enumerate() {
        if v1.is_v1(index) {
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
                report.mistake(index, import.at, CODE, format!("import must not shadow {}", text(other, names)));
            }
            None => seen.push(import),
        }
    }
}

/// Reports imports whose names nothing used, module by module.
pub(super) fn unused(units: &[Unit], used: &[VarSet], names: &mut Names, report: &mut Report<'_>) {
    for (index, (unit, used)) in units.iter().zip(used).enumerate() {
        for import in unit.imports.iter().filter(|import| !import.is_of_language()) {
            let name = import.alias.as_deref().map(|alias| names.written(alias));
            if name.is_some_and(|name| !used.contains(&name)) {
                report.mistake(index, import.at, CODE, format!("{} unused", text(import, names)));
            }
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
            report.mistake(index, rule.at, CODE, format!("rules must not shadow {name} (use a different rule name)"));
        }
    }
}
