//! What a query may say by its short name: `--package` and `--import`.

use std::collections::BTreeMap;

use super::Question;
use crate::cli::failure::{self, Failure};
use crate::rego::outline::outline;
use crate::rego::{Module, Program, RegoVersion};

/// The import statements of the query: one for each rule of the package, and those asked for. Of one name the last counts.
pub(super) fn statements(asked: &Question, program: &Program) -> Result<Vec<String>, Vec<Failure>> {
    let mut imports = BTreeMap::new();
    if let Some(package) = asked.package.as_deref().filter(|package| !package.is_empty()) {
        let path = path(package)?;
        let below: String = path.iter().map(|name| step(name)).collect();
        let rules = program.names_in(&path).into_iter();
        imports.extend(rules.map(|name| (name.clone(), format!("import data{below}{}", step(&name)))));
    }
    for (at, import) in asked.import.iter().enumerate() {
        let name = import.rsplit_once(" as ").map(|(_, name)| name).or_else(|| import.rsplit('.').next());
        let name = name.map_or_else(|| at.to_string(), |name| name.trim().to_owned());
        imports.insert(name, format!("import {import}"));
    }
    Ok(imports.into_values().collect())
}

/// The path of a package, written as after `package`: `data` before it is a part of it.
fn path(package: &str) -> Result<Vec<String>, Vec<Failure>> {
    let module = Module { key: String::new(), text: format!("package {package}\n") };
    module.package(RegoVersion::V1).map_err(|error| failure::all([error]))?;
    let outline = outline(&module, RegoVersion::V1).filter(|outline| outline.rules.is_empty());
    outline.map(|outline| outline.package).ok_or_else(|| vec![Failure::plain("a package is one statement")])
}

/// A name of a path as it is written after others.
fn step(name: &str) -> String {
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match name.chars().all(letter) && !name.starts_with(|c: char| c.is_ascii_digit()) && !name.is_empty() {
        true => format!(".{name}"),
        false => format!("[{}]", serde_json::Value::from(name)),
    }
}
