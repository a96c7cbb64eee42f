//! What METADATA says of a rule: its title, and its labels, as OPA merges them (`v1/ast/annotations.go`, `mergeChainLabels`): those of a
//! narrower scope count.

use std::collections::BTreeMap;

use plimsoll_rego::compile::RuleId;
use plimsoll_rego::program::Program;
use plimsoll_rego::syntax::tree::{Annotations, Scope};
use serde_json::Value as Json;

use super::policies::Definition;

/// Of a rule.
#[derive(Default)]
pub(super) struct Metadata {
    pub(super) title: Option<String>,
    pub(super) labels: BTreeMap<String, Json>,
}

impl Metadata {
    /// Of a definition, from what was found when the program was compiled.
    pub(super) fn of(program: &Program, definition: Definition<'_>) -> Self {
        let chain = chain(program, definition);
        let own = chain.iter().find(|annotations| matches!(annotations.scope, Scope::Rule | Scope::Document));
        let title =
            own.and_then(|annotations| annotations.fields.as_object()?.member("title")?.as_str().map(ToString::to_string));
        let mut labels = BTreeMap::new();
        for annotations in chain.iter().rev() {
            let found = annotations.fields.as_object().and_then(|fields| fields.member("labels"));
            let found = found.and_then(|labels| serde_json::from_str::<BTreeMap<_, _>>(&labels.to_string()).ok());
            labels.extend(found.unwrap_or_default());
        }
        Self { title, labels }
    }
}

/// From the rule outwards.
fn chain<'a>(program: &'a Program, definition: Definition<'_>) -> Vec<&'a Annotations> {
    let (compiled, file) = (program.compiled(), definition.file);
    let module = compiled.modules.iter().position(|module| module.source == file.module.source);
    let number = file.module.rules.iter().position(|rule| std::ptr::eq(rule, definition.first));
    let (Some(module), Some(rule)) = (module, number) else { return Vec::new() };
    let Some(found) = compiled.modules.get(module).and_then(|module| module.rules.get(rule)) else { return Vec::new() };
    let is_else = !std::ptr::eq(definition.rule, definition.first);
    let links = compiled.annotations.chain(&compiled.modules, RuleId { module, rule }, found, is_else);
    links.into_iter().filter_map(|link| link.annotations).collect()
}
