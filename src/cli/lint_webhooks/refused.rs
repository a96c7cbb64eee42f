//! Finds what keeps an API server from accepting a configuration: unknown and duplicate fields, and invalid values. Judged as the
//! embedded server judges a create with `fieldValidation=Strict`.

use plimsoll_apiserver::resources::{FieldValidation, Registry, Resource};
use plimsoll_apiserver::status::FieldError;
use serde_json::{Map, Value as Json};

use super::finding::Finding;
use super::hook::Kind;
use super::source::{Configuration, GROUP};

/// Name of this rule.
pub(super) const INVALID: &str = "invalid";

/// One reason why a configuration is refused.
struct Fault {
    /// The field as a JSON pointer; empty for the object itself.
    pointer: String,
    message: String,
    change: &'static str,
}

/// Returns why an API server would refuse a configuration. A configuration that was read from one has no such findings.
pub(super) fn of(configuration: &Configuration, kind: Kind, registry: &Registry) -> Vec<Finding> {
    let Some(twice) = configuration.twice() else { return Vec::new() };
    let mut faults: Vec<Fault> = twice.into_iter().map(duplicate).collect();
    let (api_version, name) = (configuration.text("/apiVersion"), configuration.text("/kind"));
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    match registry.by_kind(group, version, name) {
        Some(resource) => faults.extend(judge(&resource, kind.list(), configuration.object.clone())),
        None => faults.push(Fault {
            pointer: "/apiVersion".to_owned(),
            message: format!("there is no {name} in {api_version:?}"),
            change: "the group and version of the kind: admissionregistration.k8s.io/v1",
        }),
    }
    faults.into_iter().map(|fault| finding(configuration, kind, fault)).collect()
}

/// What else a server has in the group of the configurations.
const OTHERS: [&str; 5] = [
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "InitializerConfiguration",
];

/// Returns the finding of an object that is in the configurations' group, and of a kind that no server has there: one that is misspelt.
pub(super) fn misspelt(object: &Configuration) -> Option<Finding> {
    let (group, name) = (object.text("/apiVersion").split_once('/')?.0, object.text("/kind"));
    if group != GROUP || OTHERS.contains(&name) {
        return None;
    }
    let message = format!("there is no {name} in {:?}", object.text("/apiVersion"));
    let change = "ValidatingWebhookConfiguration or MutatingWebhookConfiguration";
    Some(finding(object, Kind::Validating, Fault { pointer: "/kind".to_owned(), message, change }))
}

fn duplicate(pointer: String) -> Fault {
    let steps = pointer.split('/').skip(1).map(|step| match step.parse::<usize>() {
        Ok(index) => format!("[{index}]"),
        Err(_) => format!(".{}", step.replace("~1", "/").replace("~0", "~")),
    });
    let field = steps.collect::<String>();
    Fault { message: format!("duplicate field {:?}", field.trim_start_matches('.')), pointer, change: "leave one of them out" }
}

/// Returns the errors that a create of the object would report, each with its field.
fn judge(resource: &Resource, list: &str, mut object: Json) -> Vec<Fault> {
    named(&mut object);
    let written = object.clone();
    let unknown = match resource.prepare_patched(&mut object, FieldValidation::Warn, &[]) {
        Ok(warnings) => warnings,
        Err(error) => return undecodable(resource, list, &written, error.to_string()),
    };
    let unknown = unknown.into_iter().map(|message| Fault {
        pointer: pointer(message.split('"').nth(1).unwrap_or_default()),
        message,
        change: "the name of the field that is meant, or leave it out",
    });
    let invalid = resource.validate(&object, None).err().unwrap_or_default();
    unknown.chain(invalid.into_iter().map(invalid_field)).collect()
}

/// Returns an error for each hook that has a value of another type than its field: the first in each. `message` is the first error of the
/// whole object; it is returned alone if the value is outside the hooks.
fn undecodable(resource: &Resource, list: &str, written: &Json, message: String) -> Vec<Fault> {
    let fault = |pointer, message| Fault { pointer, message, change: "a value of the field's type" };
    let with = |hooks: Vec<Json>| {
        let mut object = written.clone();
        if let Some(fields) = object.as_object_mut() {
            fields.insert(list.to_owned(), hooks.into());
        }
        resource.prepare_patched(&mut object, FieldValidation::Ignore, &[]).err().map(|error| error.to_string())
    };
    let hooks = written.get(list).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let each = hooks.iter().enumerate().filter(|_| with(Vec::new()).is_none()).filter_map(|(index, hook)| {
        let message = with(vec![hook.clone()])?;
        Some(fault(format!("/{list}/{index}{}", below(&message, list)), message))
    });
    let each: Vec<Fault> = each.collect();
    if each.is_empty() { vec![fault(String::new(), message)] } else { each }
}

/// Returns the JSON pointer of the field below a hook that the error of Go's decoder names, such as
/// `Go struct field Webhook.webhooks.rules.scope of type string`.
fn below(message: &str, list: &str) -> String {
    let path = message.split_once(&format!(".{list}.")).and_then(|(_, rest)| rest.split_once(" of type"));
    path.map(|(path, _)| pointer(path)).unwrap_or_default()
}

fn invalid_field(error: FieldError) -> Fault {
    Fault { message: error.to_string(), pointer: pointer(&error.field), change: "a value that the API server takes" }
}

/// Gives a name to an object that has only `generateName`, as the server does before it validates.
fn named(object: &mut Json) {
    let Some(metadata) = object.get_mut("metadata").and_then(Json::as_object_mut) else { return };
    let base = metadata.get("generateName").and_then(Json::as_str).unwrap_or_default();
    let drawn = format!("{base}x");
    metadata.entry("name").or_insert(drawn.into());
}

fn finding(configuration: &Configuration, kind: Kind, fault: Fault) -> Finding {
    let hook =
        fault.pointer.strip_prefix('/').and_then(|path| path.strip_prefix(kind.list())?.strip_prefix('/')?.split('/').next());
    let hook = hook.map(|index| configuration.text(&format!("/{}/{index}/name", kind.list()))).unwrap_or_default();
    Finding {
        rule: INVALID,
        place: configuration.place(&fault.pointer),
        configuration: configuration.name(),
        hook: hook.to_owned(),
        message: fault.message,
        change: fault.change.to_owned(),
        set: Map::new(),
    }
}

/// Returns the JSON pointer of a field such as `webhooks[0].name`. Keys with a dot in them are split; their line is then that of the
/// field around them.
fn pointer(field: &str) -> String {
    let steps = field.split(['.', '[']).map(|step| step.trim_end_matches(']'));
    steps.filter(|step| !step.is_empty()).map(|step| format!("/{step}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_is_there_twice_is_shown_as_all_others() {
        assert_eq!(duplicate("/webhooks/0/name".to_owned()).message, "duplicate field \"webhooks[0].name\"");
        assert_eq!(duplicate("/metadata/labels/a.b~1c".to_owned()).message, "duplicate field \"metadata.labels.a.b/c\"");
    }

    #[test]
    fn a_field_is_found_by_its_path() {
        let table = [
            ("", ""),
            ("metadata.name", "/metadata/name"),
            ("webhooks[0].rules[12].apiGroups", "/webhooks/0/rules/12/apiGroups"),
        ];
        for (field, expected) in table {
            assert_eq!(pointer(field), expected, "{field}");
        }
    }
}
