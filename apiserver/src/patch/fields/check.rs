//! Whether an applied configuration is of its schema: without that, nobody could say what it owns. Texts and rules are those
//! of `structured-merge-diff` `typed/validate.go`; values are validated later, as those of every write.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use super::element::Element;
use super::shape::Type;
use crate::patch::go_text;
use crate::resources::schema::{Kind, ListType};

/// Faults that are told at once; a configuration that is all faults must not come back as one text.
const MOST: usize = 50;

/// A configuration that is not of its schema: each fault with its path, in the order of the fields; 1 to 50 of them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", listed(.0))]
pub struct TypedPatchError(Vec<String>);

fn listed(faults: &[String]) -> String {
    match faults {
        [fault] => fault.clone(),
        several => format!("errors:\n  {}", several.join("\n  ")),
    }
}

/// Fails when something in `config` is not of the schema.
pub(crate) fn check(config: &Json, of: Type<'_>) -> Result<(), TypedPatchError> {
    let mut faults = Faults { found: Vec::new(), path: Vec::new() };
    faults.value(config, of, false);
    if faults.found.is_empty() { Ok(()) } else { Err(TypedPatchError(faults.found)) }
}

struct Faults {
    found: Vec<String>,
    path: Vec<Element>,
}

impl Faults {
    fn say(&mut self, message: impl std::fmt::Display) {
        if self.found.len() < MOST {
            let path: String = self.path.iter().map(ToString::to_string).collect();
            self.found.push(format!("{path}: {message}"));
        }
    }

    fn below(&mut self, element: Element, value: &Json, of: Type<'_>, open: bool) {
        self.path.push(element);
        self.value(value, of, open);
        self.path.pop();
    }

    /// `open`: fields above preserve what is unknown.
    fn value(&mut self, value: &Json, of: Type<'_>, open: bool) {
        let open = open || of.schema().preserve_unknown;
        match (of.kind(), value) {
            (_, Json::Null) => {}
            (Some(Kind::Object) | None, Json::Object(fields)) => self.fields(fields, of, open),
            (Some(Kind::Array) | None, Json::Array(items)) => self.members(items, of, open),
            (Some(kind), _) => self.scalar(value, kind, of),
            (None, _) => {}
        }
    }

    fn fields(&mut self, fields: &Map<String, Json>, of: Type<'_>, open: bool) {
        let schema = of.schema();
        let open_here = open || schema.values.is_some() || schema.properties.is_empty();
        for (name, field) in fields {
            if open_here || of.declares(name) {
                self.below(Element::field(name), field, of.field(name), open);
            } else {
                self.path.push(Element::field(name));
                self.say("field not declared in schema");
                self.path.pop();
            }
        }
    }

    fn members(&mut self, items: &[Json], of: Type<'_>, open: bool) {
        let mut seen = BTreeSet::new();
        for (index, item) in items.iter().enumerate() {
            let element = match of.schema().list {
                ListType::Atomic => Element::Index(i64::try_from(index).unwrap_or(i64::MAX)),
                _ => match of.element(item) {
                    Ok(element) => {
                        if !seen.insert(element.clone()) {
                            self.say(format_args!("duplicate entries for key {element}"));
                        }
                        element
                    }
                    Err(why) => return self.say(format_args!("element {index}: {why}")),
                },
            };
            self.below(element, item, of.items(), open);
        }
    }

    fn scalar(&mut self, value: &Json, kind: Kind, of: Type<'_>) {
        match kind {
            Kind::Object => self.say(format_args!("expected map, got &{{{}}}", go_text::plain(value))),
            Kind::Array => self.say(format_args!("expected list, got &{{{}}}", go_text::plain(value))),
            Kind::Integer | Kind::Number if !value.is_number() => {
                self.say(format_args!("expected numeric (int or float), got {}", go_text::type_name(value)));
            }
            Kind::String if of.is_loose() && (value.is_object() || value.is_array()) => {
                self.say(format_args!("expected any scalar, got &{{{}}}", go_text::plain(value)));
            }
            Kind::String if !of.is_loose() && !value.is_string() => {
                self.say(format_args!("expected string, got &value.valueUnstructured{{Value:{}}}", go_text::syntax(value)));
            }
            Kind::Boolean if !value.is_boolean() => {
                self.say(format_args!("expected boolean, got &{{{}}}", go_text::plain(value)));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::patch::testing::{config_map, workload};
    use crate::resources::Schema;

    #[test]
    fn faults_have_upstreams_texts() {
        let spec = |spec: Json| json!({"spec": spec});
        let containers = |containers: Json| json!({"spec": {"template": {"spec": {"containers": containers}}}});
        let table = [
            (spec(json!({"bogus": 1})), ".spec.bogus: field not declared in schema"),
            (spec(json!({"replicas": "3"})), ".spec.replicas: expected numeric (int or float), got string"),
            (spec(json!({"paused": 1})), ".spec.paused: expected boolean, got &{1}"),
            (spec(json!([])), ".spec: expected map, got &{[]}"),
            (containers(json!({})), ".spec.template.spec.containers: expected list, got &{map[]}"),
            (
                containers(json!([{"name": "a"}, {"name": "a"}])),
                r#".spec.template.spec.containers: duplicate entries for key [name="a"]"#,
            ),
            (
                containers(json!([{"image": "i"}])),
                ".spec.template.spec.containers: element 0: associative list with keys has an element that omits all key fields [\"name\"] (and doesn't have default values for any key fields)",
            ),
            (
                containers(json!([{"name": "a", "args": [1]}])),
                r#".spec.template.spec.containers[name="a"].args[0]: expected string, got &value.valueUnstructured{Value:1}"#,
            ),
        ];
        let schema = workload();
        for (config, expected) in table {
            assert_eq!(check(&config, Type::root(&schema)).unwrap_err().to_string(), expected);
        }
        let data = check(&json!({"data": {"a": 1, "b": true}}), Type::root(&config_map())).unwrap_err();
        let string = "expected string, got &value.valueUnstructured";
        assert_eq!(data.to_string(), format!("errors:\n  .data.a: {string}{{Value:1}}\n  .data.b: {string}{{Value:true}}"));
    }

    #[test]
    fn nulls_and_what_is_preserved_are_no_faults() {
        let open = Schema { preserve_unknown: true, ..workload() };
        assert_eq!(check(&json!({"spec": {"bogus": {"deep": [1]}, "replicas": null}}), Type::root(&open)), Ok(()));
        assert_eq!(check(&json!({"anything": {"goes": [{}, null, 1]}}), Type::root(&Schema::default())), Ok(()));
    }
}
