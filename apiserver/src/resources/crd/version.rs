//! One version of a CustomResourceDefinition: its schema, columns, subresources and selectable fields. Source of rules and
//! texts: `apiextensions-apiserver/pkg/apis/apiextensions/validation`.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::structural;
use crate::resources::validate::peek::{below, field, list, text};
use crate::status::field::{Faults, Path};

const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
/// Versions have at most this many fields to select by.
const MOST_SELECTABLE: u64 = 8;

/// Every fault of one version, but for what all versions say alike.
pub(super) fn validate(version: &Json, shared: &Shared, path: &Path<'_>, faults: &mut Faults) {
    let schema = below(version, "schema.openAPIV3Schema");
    let at = path.child("schema");
    if schema.is_object() && !shared.schema {
        structural::validate(schema, &at.child("openAPIV3Schema"), faults);
    }
    if let Some(warning) = version.get("deprecationWarning").and_then(Json::as_str) {
        let at = path.child("deprecationWarning");
        if field(version, "deprecated") != true {
            faults.invalid_text(&at, warning, "can only be set for deprecated versions");
        } else if warning.is_empty() {
            faults.invalid_text(&at, warning, "must not be an empty string");
        } else if warning.len() > 256 {
            faults.invalid_text(&at, warning, "must be <= 256 characters long");
        }
    }
    if !shared.subresources {
        scale(below(version, "subresources.scale"), &path.child("subresources"), faults);
    }
    if !shared.columns {
        columns(version, &path.child("additionalPrinterColumns"), faults);
    }
    if !shared.selectable {
        selectable(version, schema, &path.child("selectableFields"), faults);
    }
}

/// What all versions say alike. Upstream keeps it once, and tells its faults of that place.
pub(super) struct Shared {
    schema: bool,
    subresources: bool,
    columns: bool,
    selectable: bool,
}

impl Shared {
    pub(super) fn of(spec: &Json) -> Self {
        let all = list(spec, "versions");
        let alike = |name: &str| {
            let first = all.first().map(|version| field(version, name)).filter(|value| !value.is_null());
            first.is_some_and(|first| all.iter().all(|version| field(version, name) == first))
        };
        Shared {
            schema: alike("schema"),
            subresources: alike("subresources"),
            columns: alike("additionalPrinterColumns"),
            selectable: alike("selectableFields"),
        }
    }

    pub(super) fn validate(&self, spec: &Json, path: &Path<'_>, faults: &mut Faults) {
        let Some(version) = list(spec, "versions").first() else { return };
        let schema = below(version, "schema.openAPIV3Schema");
        let at = path.child("validation");
        if self.schema && schema.is_object() {
            structural::validate(schema, &at.child("openAPIV3Schema"), faults);
        }
        if self.subresources {
            scale(below(version, "subresources.scale"), &path.child("subresources"), faults);
        }
        if self.columns {
            columns(version, &path.child("additionalPrinterColumns"), faults);
        }
        if self.selectable {
            selectable(version, schema, &path.child("selectableFields"), faults);
        }
    }
}

fn columns(version: &Json, path: &Path<'_>, faults: &mut Faults) {
    for (index, column) in list(version, "additionalPrinterColumns").iter().enumerate() {
        self::column(column, &path.index(index), faults);
    }
}

fn column(column: &Json, path: &Path<'_>, faults: &mut Faults) {
    if text(column, "name").is_empty() {
        faults.required(&path.child("name"), "");
    }
    let (kind, at) = (text(column, "type"), path.child("type"));
    let known = format!("must be one of {}", COLUMN_TYPES.join(","));
    match kind {
        "" => faults.required(&at, &known),
        _ if !COLUMN_TYPES.contains(&kind) => faults.invalid_text(&at, kind, &known),
        _ => {}
    }
    let format = text(column, "format");
    if !format.is_empty() && !COLUMN_FORMATS.contains(&format) {
        let known = format!("must be one of {}", COLUMN_FORMATS.join(","));
        faults.invalid_text(&path.child("format"), format, &known);
    }
    let (place, at) = (text(column, "jsonPath"), path.child("JSONPath"));
    match place {
        "" => faults.required(&at, ""),
        _ => simple_path(place, &at, faults),
    }
}

fn simple_path(place: &str, path: &Path<'_>, faults: &mut Faults) {
    if !place.starts_with('.') {
        faults.invalid_text(path, place, "must be a simple json path starting with .");
    }
}

fn scale(scale: &Json, path: &Path<'_>, faults: &mut Faults) {
    if scale.is_null() {
        return;
    }
    for (name, roots, told) in [
        ("specReplicasPath", &[".spec."][..], ".spec"),
        ("statusReplicasPath", &[".status."], ".status"),
        ("labelSelectorPath", &[".spec.", ".status."], "either .spec or .status"),
    ] {
        let (place, step) = (text(scale, name), format!("scale.{name}"));
        let at = path.child(&step);
        if place.is_empty() && name != "labelSelectorPath" {
            faults.required(&at, "");
        } else if !place.is_empty() && !place.starts_with('.') {
            simple_path(place, &at, faults);
        } else if !place.is_empty() && !roots.iter().any(|root| place.starts_with(root)) {
            faults.invalid_text(&at, place, &format!("should be a json path under {told}"));
        }
    }
}

fn selectable(version: &Json, schema: &Json, path: &Path<'_>, faults: &mut Faults) {
    let mut seen = HashSet::new();
    for (index, one) in list(version, "selectableFields").iter().enumerate() {
        let here = path.index(index);
        let (place, at) = (text(one, "jsonPath"), here.child("jsonPath"));
        if place.is_empty() {
            faults.required(&at, "");
            continue;
        }
        let mut names = place.strip_prefix('.').into_iter().flat_map(|rest| rest.split('.'));
        let found = names.try_fold(schema, |schema, name| field(schema, "properties").get(name));
        let kind = found.map(|found| text(found, "type")).unwrap_or_default();
        if !place.starts_with('.') || found.is_none() {
            faults.invalid_text(&at, place, "is an invalid path: does not refer to a valid field");
        } else if place.starts_with(".metadata.") {
            faults.invalid_text(&at, place, "must not point to fields in metadata");
        } else if !["string", "boolean", "integer"].contains(&kind) {
            faults.invalid_text(&at, place, "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.");
        } else if !seen.insert(place) {
            faults.duplicate(&at, &place.into());
        }
    }
    if seen.len() as u64 > MOST_SELECTABLE {
        faults.too_many(path, seen.len(), MOST_SELECTABLE);
    }
}
