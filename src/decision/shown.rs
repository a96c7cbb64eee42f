//! A decision as the data API shows it: the package's whole document with `annotations` and `errors` in their final form, written
//! without a copy of it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use plimsoll_contract::annotations::{APPLIED, Applied};
use plimsoll_contract::outcome::{Outcome, Unavailable};
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use super::Decision;

/// What a client of the data API is shown. It serializes as an object.
///
/// A client writes what it is shown: the record belongs to it, or intent would be lost (T5). It cannot be shown a removal, so a
/// record that is to go is emptied: what stays beside it is a wish that policy will be asked about.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Shown<'d> {
    members: BTreeMap<&'d str, Part<'d>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Part<'d> {
    /// As policy returned it.
    Said(&'d Json),
    Annotations(BTreeMap<&'d str, Cow<'d, str>>),
    Texts(Vec<Text<'d>>),
}

/// A member of `errors` or `warnings`.
#[derive(Clone, Debug, PartialEq)]
enum Text<'d> {
    Said(&'d Json),
    Ours(&'d str),
}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Said(value) => value.serialize(serializer),
            Self::Ours(text) => text.serialize(serializer),
        }
    }
}

impl Decision {
    /// Returns what the data API shows; `None` where it is undefined, or where there is no decision.
    pub fn shown(&self) -> Option<Shown<'_>> {
        let errors = match &self.outcome {
            Outcome::Undefined => return None,
            Outcome::Exempt | Outcome::Unarmed | Outcome::NoOpinion | Outcome::Place | Outcome::Nowhere => None,
            Outcome::Denied { errors } => Some(errors.as_slice()),
            Outcome::Unavailable { reason: Unavailable::Invalid, message } => Some(std::slice::from_ref(message)),
            Outcome::Unavailable { .. } => return None,
        };
        let is_asked = !matches!(self.outcome, Outcome::Exempt | Outcome::Unarmed);
        let said = self
            .class
            .as_ref()
            .filter(|_| is_asked)
            .and_then(|class| class.answer.as_ref())
            .and_then(|answer| answer.document.as_object());
        let mut members: BTreeMap<_, _> =
            said.into_iter().flatten().map(|(name, value)| (name.as_str(), Part::Said(value))).collect();
        if let Some(errors) = errors {
            members.remove("annotations");
            members.insert("errors", Part::Texts(errors.iter().map(|error| Text::Ours(error)).collect()));
        } else if said.is_some() {
            // Where nobody was asked, there is nothing to show annotations in.
            let annotations = self.shown_annotations();
            if members.contains_key("annotations") || !annotations.is_empty() {
                members.insert("annotations", Part::Annotations(annotations));
            }
        }
        self.warn(&mut members);
        Some(Shown { members })
    }

    /// [`Self::shown`] as a tree.
    pub fn document(&self) -> Option<Json> {
        // Texts and JSON: it can be encoded.
        self.shown().and_then(|shown| serde_json::to_value(shown).ok())
    }

    fn shown_annotations(&self) -> BTreeMap<&str, Cow<'_, str>> {
        let emptied = self.patch.get(APPLIED).is_some_and(Option::is_none);
        let emptied = emptied.then(|| (APPLIED, Cow::Owned(Applied::default().encode())));
        let set = self.patch.iter().filter_map(|(key, value)| Some((key, value.as_ref()?)));
        let placed = self.annotations.iter().filter(|_| !self.kept);
        placed.chain(set).map(|(key, value)| (key.as_str(), Cow::Borrowed(value.as_str()))).chain(emptied).collect()
    }

    /// Says what the decision was made of that is stale, after what policy warns of.
    fn warn<'d>(&'d self, members: &mut BTreeMap<&'d str, Part<'d>>) {
        let ours = self.stale.iter().map(|warning| Text::Ours(warning));
        let said = match members.get("warnings") {
            _ if self.stale.is_empty() => return,
            None => [].iter(),
            Some(Part::Said(Json::Array(said))) => said.iter(),
            Some(_) => return,
        };
        let all = said.map(Text::Said).chain(ours).collect();
        members.insert("warnings", Part::Texts(all));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::decision::class::{Answer, Class};
    use crate::decision::testing::decided;

    fn decision(document: Option<Json>, outcome: Outcome) -> Decision {
        let answer = document.map(|document| Answer { document, ruling: Err("not looked at".into()) });
        Decision {
            class: answer.map(|answer| Arc::new(Class::of(Some(answer)))),
            annotations: BTreeMap::from([("k".to_owned(), "{\"a\":1}".to_owned())]),
            ..decided(outcome)
        }
    }

    #[test]
    fn the_document_is_shown_with_final_annotations_and_errors() {
        let document = json!({"annotations": {"k": {"a": 1}, "gone": null}, "errors": [], "other": 7});
        let show = |outcome: Outcome| decision(Some(document.clone()), outcome).document();
        let invalid = Outcome::Unavailable { reason: Unavailable::Invalid, message: "bad".into() };
        let failed = Outcome::Unavailable { reason: Unavailable::Failed, message: "x".into() };
        assert_eq!(show(Outcome::Place), Some(json!({"annotations": {"k": "{\"a\":1}"}, "errors": [], "other": 7})));
        assert_eq!(show(Outcome::Denied { errors: vec!["no".into()] }), Some(json!({"errors": ["no"], "other": 7})));
        assert_eq!(show(invalid), Some(json!({"errors": ["bad"], "other": 7})));
        assert_eq!(show(Outcome::Undefined), None);
        assert_eq!(show(failed), None);
        assert_eq!(decision(None, Outcome::Unarmed).document(), Some(json!({})));
        let nothing = Decision { annotations: BTreeMap::new(), ..decision(Some(json!({"other": 7})), Outcome::NoOpinion) };
        assert_eq!(nothing.document(), Some(json!({"other": 7})));
    }

    #[test]
    fn what_is_stale_is_said_after_what_policy_warns_of() {
        let warned = |warnings: Json| {
            let stale = vec!["old".to_owned()];
            Decision { stale, ..decision(Some(json!({"warnings": warnings})), Outcome::Place) }.document().unwrap()["warnings"]
                .clone()
        };
        assert_eq!(warned(json!(["new", 1])), json!(["new", 1, "old"]));
        assert_eq!(warned(json!("no list")), json!("no list"));
        let alone = Decision { stale: vec!["old".into()], ..decision(None, Outcome::Unarmed) };
        assert_eq!(alone.document(), Some(json!({"warnings": ["old"]})));
    }
}
