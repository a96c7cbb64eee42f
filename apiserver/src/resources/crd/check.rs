//! Whether a CustomResourceDefinition can be served. Source of rules and texts: `apiextensions-apiserver/pkg/apis/
//! apiextensions/validation`. What this server cannot do (validation rules in CEL, webhook conversion) is refused, never
//! passed over.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::names::condition_holds;
use super::structural;
use crate::resources::field::{Faults, Path};
use crate::resources::validate::names::label_1035;
use crate::resources::validate::peek::{below, field, given, list, text};
use crate::resources::validate::{immutable, names, one_of};

const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const APPROVAL: &str = "api-approved.kubernetes.io";

/// Versions have at most this many fields to select by.
const MOST_SELECTABLE: u64 = 8;

/// Every fault of a definition; of the change from `old` too.
pub(crate) fn validate(object: &Json, old: Option<&Json>, faults: &mut Faults) {
    let (spec, path) = (field(object, "spec"), Path::ROOT.child("spec"));
    name(object, faults);
    group(spec, &path, faults);
    match text(spec, "scope") {
        "" => faults.required(&path.child("scope"), ""),
        _ => one_of(spec, "scope", &["Cluster", "Namespaced"], &path, faults),
    }
    versions(spec, &path, faults);
    own_names(field(spec, "names"), &path.child("names"), faults);
    conversion(spec, &path, faults);
    if let Some(old) = old {
        changed(spec, old, &path, faults);
    }
    stored(object, faults);
    approval(object, old, faults);
}

/// `metadata.name` says plural and group again.
fn name(object: &Json, faults: &mut Faults) {
    let (spec, given) = (field(object, "spec"), below(object, "metadata.name").as_str().unwrap_or_default());
    let wanted = format!("{}.{}", below(spec, "names.plural").as_str().unwrap_or_default(), text(spec, "group"));
    if !given.is_empty() && given != wanted {
        let path = Path::ROOT.child("metadata");
        faults.invalid_text(&path.child("name"), given, "must be spec.names.plural+\".\"+spec.group");
    }
}

fn group(spec: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (group, at) = (text(spec, "group"), path.child("group"));
    let wrong = names::subdomain(group);
    if group.is_empty() {
        faults.required(&at, "");
    } else if !wrong.is_empty() {
        faults.invalid_text(&at, group, &wrong.join(","));
    } else if !group.contains('.') {
        faults.invalid_text(&at, group, "should be a domain with at least one dot");
    }
}

fn own_names(all: &Json, path: &Path<'_>, faults: &mut Faults) {
    for name in ["plural", "singular", "kind", "listKind"] {
        let (value, at) = (text(all, name), path.child(name));
        let wrong = label_1035(&value.to_lowercase());
        if value.is_empty() {
            faults.required(&at, "");
        } else if name.to_lowercase().ends_with("kind") && !wrong.is_empty() {
            let text = format!("may have mixed case, but should otherwise match: {}", wrong.join(","));
            faults.invalid_text(&at, value, &text);
        } else if !wrong.is_empty() || value != value.to_lowercase() && !name.to_lowercase().ends_with("kind") {
            faults.invalid_text(&at, value, &label_1035(value).join(","));
        }
    }
    for name in ["shortNames", "categories"] {
        let at = path.child(name);
        for (index, value) in list(all, name).iter().enumerate() {
            let value = value.as_str().unwrap_or_default();
            let wrong = label_1035(value);
            if !wrong.is_empty() {
                faults.invalid_text(&at.index(index), value, &wrong.join(","));
            }
        }
    }
    if !text(all, "kind").is_empty() && text(all, "kind") == text(all, "listKind") {
        faults.invalid_text(&path.child("listKind"), text(all, "listKind"), "kind and listKind may not be the same");
    }
}

fn versions(spec: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (all, at) = (list(spec, "versions"), path.child("versions"));
    let (mut seen, shared) = (HashSet::new(), Shared::of(spec));
    for (index, version) in all.iter().enumerate() {
        let here = at.index(index);
        let schema = here.child("schema");
        if !below(version, "schema.openAPIV3Schema").is_object() {
            faults.required(&schema.child("openAPIV3Schema"), "");
        }
        let name = text(version, "name");
        let wrong = label_1035(name);
        if !wrong.is_empty() {
            faults.invalid_text(&here.child("name"), name, &wrong.join(","));
        }
        self::version(version, &shared, &here, faults);
        seen.insert(name);
    }
    shared.validate(spec, path, faults);
    if seen.len() != all.len() {
        faults.invalid(&at, field(spec, "versions"), "must contain unique version names");
    }
    let storage = all.iter().filter(|version| field(version, "storage") == true).count();
    if storage != 1 {
        faults.invalid(&at, field(spec, "versions"), "must have exactly one version marked as storage version");
    }
}

fn version(version: &Json, shared: &Shared, path: &Path<'_>, faults: &mut Faults) {
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
struct Shared {
    schema: bool,
    subresources: bool,
    columns: bool,
    selectable: bool,
}

impl Shared {
    fn of(spec: &Json) -> Self {
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

    fn validate(&self, spec: &Json, path: &Path<'_>, faults: &mut Faults) {
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

fn conversion(spec: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (conversion, at) = (field(spec, "conversion"), path.child("conversion"));
    match text(conversion, "strategy") {
        "None" => {
            if given(conversion, "webhook") {
                faults.forbidden(&at.child("webhookClientConfig"), "should not be set when strategy is not set to Webhook");
            }
        }
        "Webhook" => {
            let text = "webhook conversion is not supported by this API server; use None, which changes apiVersion alone";
            faults.forbidden(&at.child("strategy"), text);
        }
        "" if conversion.is_null() => {}
        "" => faults.required(&at.child("strategy"), ""),
        _ => one_of(conversion, "strategy", &["None", "Webhook"], &at, faults),
    }
    if field(spec, "preserveUnknownFields") == true {
        let text = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        faults.invalid(&path.child("preserveUnknownFields"), &true.into(), text);
    }
}

fn changed(spec: &Json, old: &Json, path: &Path<'_>, faults: &mut Faults) {
    let before = field(old, "spec");
    let (names, old_names, at) = (field(spec, "names"), field(before, "names"), path.child("names"));
    if condition_holds(old, "Established") {
        immutable(spec, before, "scope", path, faults);
        immutable(names, old_names, "kind", &at, faults);
    }
    immutable(spec, before, "group", path, faults);
    immutable(names, old_names, "plural", &at, faults);
}

/// A version that objects may still be stored in must stay.
fn stored(object: &Json, faults: &mut Faults) {
    let status = Path::ROOT.child("status");
    let path = status.child("storedVersions");
    let versions = list(field(object, "spec"), "versions");
    for (index, stored) in list(field(object, "status"), "storedVersions").iter().enumerate() {
        let name = stored.as_str().unwrap_or_default();
        if !versions.iter().any(|version| text(version, "name") == name) {
            let text = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
            );
            faults.invalid_text(&path.index(index), name, &text);
        }
    }
}

/// Kubernetes' own groups need an approval. Source: KEP-1111.
fn approval(object: &Json, old: Option<&Json>, faults: &mut Faults) {
    let group = below(object, "spec.group").as_str().unwrap_or_default();
    let own = ["k8s.io", "kubernetes.io"].iter().any(|own| group == *own || group.ends_with(&format!(".{own}")));
    let said = |object: &Json| below(object, "metadata.annotations").get(APPROVAL).and_then(Json::as_str).map(str::to_owned);
    let (now, before) = (said(object), old.map(&said));
    if !own || before.is_some_and(|before| before == now) {
        return;
    }
    let metadata = Path::ROOT.child("metadata");
    let annotations = metadata.child("annotations");
    let path = annotations.key(APPROVAL);
    match now {
        None => faults.required(&path, "protected groups must have approval annotation \"api-approved.kubernetes.io\", see https://github.com/kubernetes/enhancements/pull/1111"),
        Some(said) if !said.starts_with("https://") && !said.starts_with("http://") && !said.starts_with("unapproved") => {
            let text = "protected groups must have approval annotation \"api-approved.kubernetes.io\" with either a URL or a reason starting with \"unapproved\", see https://github.com/kubernetes/enhancements/pull/1111";
            faults.invalid_text(&path, &said, text);
        }
        Some(_) => {}
    }
}
