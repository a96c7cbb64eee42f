//! Names that are there more than once: only the first is asked, which the author of the others should know.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::admission::{Attributes, text};
use crate::resources::validate::initializers::COLLECTION;

/// What to tell who writes an InitializerConfiguration.
pub(super) fn warnings(request: &Attributes) -> Vec<String> {
    let Some(object) = &request.object else { return Vec::new() };
    let own = text(object, "/metadata/name");
    let records = request.configuration.stored.list(COLLECTION, None, None).filter(|record| &*record.key.name != own);
    let stored: Vec<Json> = records.filter_map(|record| serde_json::from_slice(&record.value).ok()).collect();
    let mut elsewhere = BTreeMap::new();
    for (configuration, name) in stored.iter().flat_map(|other| names(other).map(|name| (text(other, "/metadata/name"), name))) {
        elsewhere.entry(name).or_insert(configuration);
    }
    let own_names: Vec<&str> = names(object).collect();
    let repeated = |index: usize, name: &str| own_names.iter().take(index).any(|before| *before == name);
    let told = own_names.iter().enumerate().filter_map(|(index, name)| match elsewhere.get(name) {
        _ if repeated(index, name) => {
            Some(format!("initializers[{index}].name: {name:?} is there already: only the first is asked"))
        }
        Some(other) => Some(format!(
            "initializers[{index}].name: {name:?} is in the configuration {other:?} too: only the first in order is asked"
        )),
        None => None,
    });
    told.collect()
}

fn names(object: &Json) -> impl Iterator<Item = &str> {
    let all = object.get("initializers").and_then(Json::as_array);
    all.into_iter().flatten().filter_map(|one| one.get("name")?.as_str())
}
