//! What policy returned, by shape: the six rules of the contract and nothing else of the package.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::annotations::canonical;
use serde_json::Value as Json;

/// The names of the contract's rules. Nothing else that a package has in it makes an outcome, or is shown of a placed object.
pub(super) const RULES: [&str; 6] = ["annotations", "errors", "placement", "rejected", "urgent", "warnings"];

/// The contract's rules as policy returned them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// Annotation key to a string, `null` (remove) or other JSON.
    pub annotations: BTreeMap<String, Json>,
    /// The neutral placement; absent when it is empty.
    pub placement: Option<Json>,
    /// Reasons to deny.
    pub errors: Vec<String>,
    /// Shown to the user.
    pub warnings: Vec<String>,
    /// What follows from this cannot wait.
    pub urgent: bool,
}

/// A rule whose value has not the shape that the contract gives it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is {found}, not {expected}")]
pub struct ShapeError {
    /// The rule, or nothing for the document itself.
    pub rule: Option<&'static str>,
    what: String,
    found: String,
    expected: &'static str,
}

impl Output {
    /// Reads a document. What only informs people never changes an outcome: there a wrong shape becomes a warning.
    pub fn read(document: &Json) -> Result<Self, ShapeError> {
        let Some(rules) = document.as_object() else {
            return Err(wrong(None, "the document", document, "an object"));
        };
        let rule = |name: &str| rules.get(name);
        let mut output = Self {
            annotations: rule("annotations").map(annotations).transpose()?.unwrap_or_default(),
            placement: rule("placement").map(placement).transpose()?.flatten(),
            errors: rule("errors").map(errors).transpose()?.unwrap_or_default(),
            ..Self::default()
        };
        output.warnings = rule("warnings").map(warnings).unwrap_or_default();
        if let Some(rejected) = rule("rejected") {
            output.look_at_rejected(rejected);
        }
        if let Some(urgent) = rule("urgent") {
            output.read_urgent(urgent);
        }
        Ok(output)
    }

    /// Policy says nothing about the object.
    pub fn is_empty(&self) -> bool {
        self.annotations.is_empty() && self.placement.is_none() && self.errors.is_empty()
    }

    /// Why not elsewhere is read where somebody asks for it.
    fn look_at_rejected(&mut self, value: &Json) {
        if !value.is_object() {
            let error = wrong(Some("rejected"), "`rejected`", value, "an object of reasons by cluster");
            self.warnings.push(format!("ignored: {error}"));
        }
    }

    /// Reads `urgent`; anything but `true` is not urgent.
    fn read_urgent(&mut self, value: &Json) {
        match value {
            Json::Bool(urgent) => self.urgent = *urgent,
            other => {
                let error = wrong(Some("urgent"), "`urgent`", other, "true or false");
                self.warnings.push(format!("ignored: {error}"));
            }
        }
    }
}

fn annotations(value: &Json) -> Result<BTreeMap<String, Json>, ShapeError> {
    let members = value.as_object().ok_or_else(|| wrong(Some("annotations"), "`annotations`", value, "an object"))?;
    Ok(members.iter().map(|(key, value)| (key.clone(), value.clone())).collect())
}

fn placement(value: &Json) -> Result<Option<Json>, ShapeError> {
    let members = value.as_object().ok_or_else(|| wrong(Some("placement"), "`placement`", value, "an object"))?;
    Ok((!members.is_empty()).then(|| value.clone()))
}

fn errors(value: &Json) -> Result<Vec<String>, ShapeError> {
    let items = value.as_array().ok_or_else(|| wrong(Some("errors"), "`errors`", value, "a set or array of strings"))?;
    let texts: Result<BTreeSet<String>, ShapeError> = items
        .iter()
        .map(|item| match item {
            Json::String(text) if !text.trim().is_empty() => Ok(text.clone()),
            _ => Err(wrong(Some("errors"), "an element of `errors`", item, "a sentence")),
        })
        .collect();
    texts.map(|texts| texts.into_iter().collect())
}

fn warnings(value: &Json) -> Vec<String> {
    match value.as_array() {
        Some(items) => items.iter().map(sentence).collect::<BTreeSet<_>>().into_iter().collect(),
        None => {
            vec![format!("ignored: {}", wrong(Some("warnings"), "`warnings`", value, "a set or array of strings"))]
        }
    }
}

fn sentence(value: &Json) -> String {
    value.as_str().map_or_else(|| canonical(value), str::to_owned)
}

fn wrong(rule: Option<&'static str>, what: &str, found: &Json, expected: &'static str) -> ShapeError {
    ShapeError { rule, what: what.into(), found: brief(found), expected }
}

/// A value for a message: canonical JSON, cut at 200 characters.
pub(super) fn brief(value: &Json) -> String {
    let text = canonical(value);
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_six_rules_are_read_and_the_rest_of_the_package_is_not() {
        let document = json!({"annotations": {"a": "x", "b": null, "c": {"d": 1}}, "placement": {"clusters": ["x"]},
            "errors": ["b", "a", "b"], "warnings": ["w"], "rejected": {"us": "not in the EU"}, "urgent": true, "allowed": 7});
        let output = Output::read(&document).unwrap();
        assert_eq!(output.annotations["c"], json!({"d": 1}));
        assert_eq!(output.errors, ["a", "b"]);
        assert_eq!(output.warnings, ["w"]);
        assert!(output.placement.is_some() && output.urgent);
    }

    #[test]
    fn empty_rules_say_nothing() {
        for document in [json!({}), json!({"annotations": {}, "placement": {}, "errors": [], "warnings": ["w"], "x": 1})] {
            assert!(Output::read(&document).unwrap().is_empty());
        }
        assert!(!Output::read(&json!({"placement": {"clusters": {}}})).unwrap().is_empty(), "nowhere is an opinion");
    }

    #[test]
    fn a_wrong_shape_names_the_rule_and_the_value() {
        let cases = [
            (json!("x"), None, "the document is \"x\", not an object"),
            (json!({"annotations": ["a"]}), Some("annotations"), "`annotations` is [\"a\"], not an object"),
            (json!({"annotations": null}), Some("annotations"), "`annotations` is null"),
            (json!({"placement": ["a"]}), Some("placement"), "`placement` is [\"a\"]"),
            (json!({"errors": "no"}), Some("errors"), "`errors` is \"no\", not a set or array of strings"),
            (json!({"errors": {"a": true}}), Some("errors"), "`errors` is {\"a\":true}"),
            (json!({"errors": [1]}), Some("errors"), "an element of `errors` is 1"),
            (json!({"errors": [""]}), Some("errors"), "an element of `errors` is \"\""),
        ];
        for (document, rule, expected) in cases {
            let error = Output::read(&document).unwrap_err();
            assert_eq!(error.rule, rule);
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn what_only_informs_people_never_changes_the_outcome() {
        let output = Output::read(&json!({"warnings": "w", "rejected": ["us"]})).unwrap();
        assert_eq!((output.is_empty(), output.warnings.len()), (true, 2));
        let output = Output::read(&json!({"warnings": [1], "rejected": {"us": ["a"]}})).unwrap();
        assert_eq!(output.warnings, ["1"]);
        for value in [json!("yes"), json!(1), json!(null), json!(["x"])] {
            let output = Output::read(&json!({"urgent": value})).unwrap();
            assert!(!output.urgent && output.is_empty() && output.warnings[0].contains("`urgent` is"), "{:?}", output.warnings);
        }
    }

    #[test]
    fn a_long_value_is_cut_in_messages() {
        assert_eq!(brief(&json!("é".repeat(500))).chars().count(), 201);
    }
}
