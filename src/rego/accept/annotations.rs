//! Annotations of which there can be one: for a package, for a package and all below it, for a document (opa `v1/ast/annotations.go`,
//! `BuildAnnotationSet`).

use std::collections::BTreeMap;

use super::report::Report;
use crate::rego::parse::{Annotation, ParsedModule, Scope};

/// Reports those that stand twice.
pub(super) fn check(modules: &[ParsedModule], report: &mut Report<'_>) {
    let mut seen = BTreeMap::new();
    for (module, annotation) in
        modules.iter().enumerate().flat_map(|(at, module)| module.annotations.iter().map(move |one| (at, one)))
    {
        let Annotation { at, scope, path } = annotation;
        let at = u32::try_from(*at).unwrap_or(u32::MAX);
        let place = report.place(module, at);
        if let Some(before) = seen.insert((scope, path), place) {
            let name = match scope {
                Scope::Package => "package",
                Scope::Subpackages => "subpackages",
                Scope::Document => "document",
            };
            report.mistake(module, at, "rego_type_error", format!("{name} annotation redeclared: {before}"));
        }
    }
}
