//! A decision as the data API shows it: the package's whole document with `annotations` and `errors` in their final form, written
//! without a copy of it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use plimsoll_contract::annotations::{APPLIED, Applied};
use plimsoll_contract::outcome::{Outcome, Unavailable};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use super::Decision;
use super::class::Encoded;
use super::class::raw::{Raw, tree};

/// The document that a client of the data API is shown. It serializes as an object.
///
/// A client writes what it is shown: the record belongs to it, or intent would be lost (T5). It cannot be shown a removal: the record goes
/// on naming what is to be removed, for a sweep to do it, and one that is to go itself is emptied.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Shown<'d> {
    members: BTreeMap<&'d str, Part<'d>>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Part<'d> {
    /// As policy returned it.
    Said(&'d Raw),
    Annotations(BTreeMap<&'d str, Text<'d>>),
    Texts(Vec<Text<'d>>),
}

/// A member of `errors` or `warnings`, or the value of an annotation.
#[derive(Clone, Debug)]
enum Text<'d> {
    /// JSON as it is kept.
    Said(&'d RawValue),
    Ours(Cow<'d, str>),
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
        let said = self.answer().filter(|_| is_asked).map(|answer| &answer.document).filter(|document| document.is_object());
        let mut members: BTreeMap<_, _> =
            said.into_iter().flat_map(Encoded::members).map(|(name, value)| (name, Part::Said(value))).collect();
        if let Some(errors) = errors {
            members.insert("errors", Part::Texts(errors.iter().map(|error| Text::Ours(error.into())).collect()));
        } else if let Some(said) = said {
            // Where nobody was asked, there is nothing to show annotations in.
            let annotations = self.shown_annotations();
            if said.is_annotated() || !annotations.is_empty() {
                members.insert("annotations", Part::Annotations(annotations));
            }
        }
        self.warn(&mut members);
        Some(Shown { members })
    }

    /// [`Self::shown`] as a tree.
    pub fn document(&self) -> Option<Json> {
        // What was written as JSON can be read.
        self.shown().and_then(|shown| shown.tree().ok())
    }

    fn shown_annotations(&self) -> BTreeMap<&str, Text<'_>> {
        let set = self.patch.iter().filter_map(|(key, value)| Some((key.as_str(), Text::Ours(value.as_ref()?.into()))));
        let emptied = || self.patch.get(APPLIED)?.is_none().then(|| Applied::default().encode().into());
        let record = self.unremoved.as_deref().map(Cow::Borrowed).or_else(emptied);
        let record = record.map(|text| (APPLIED, Text::Ours(text)));
        // Last: what the patch says of these is the same text, which would be quoted again.
        let placed = self.placed().into_iter().flat_map(|(_, placed)| placed.wanted.values());
        let placed = placed.map(|(key, value)| (key, Text::Said(value.quoted.raw())));
        set.chain(record).chain(placed).collect()
    }

    /// Says what the decision was made of that is stale, after what policy warns of.
    fn warn<'d>(&'d self, members: &mut BTreeMap<&'d str, Part<'d>>) {
        let ours = self.stale.iter().map(|warning| Text::Ours(warning.into()));
        let said = match members.get("warnings") {
            _ if self.stale.is_empty() => return,
            None => Vec::new(),
            Some(Part::Said(warnings)) => match warnings.items() {
                Some(said) => said,
                None => return,
            },
            Some(_) => return,
        };
        let all = said.into_iter().map(Text::Said).chain(ours).collect();
        members.insert("warnings", Part::Texts(all));
    }
}

impl Shown<'_> {
    fn tree(&self) -> serde_json::Result<Json> {
        let members = self.members.iter().map(|(name, part)| Ok(((*name).to_owned(), part.tree()?)));
        members.collect::<Result<Map<_, _>, _>>().map(Json::Object)
    }
}

impl Part<'_> {
    fn tree(&self) -> serde_json::Result<Json> {
        match self {
            Self::Said(value) => value.to_json(),
            Self::Annotations(annotations) => {
                let members = annotations.iter().map(|(key, value)| Ok(((*key).to_owned(), value.tree()?)));
                members.collect::<Result<Map<_, _>, _>>().map(Json::Object)
            }
            Self::Texts(texts) => texts.iter().map(Text::tree).collect(),
        }
    }
}

impl Text<'_> {
    fn tree(&self) -> serde_json::Result<Json> {
        match self {
            Self::Said(value) => tree(value),
            Self::Ours(text) => Ok(Json::String(text.clone().into_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::decision::testing::{answered, decided};

    fn decision(document: Option<Json>, outcome: Outcome) -> Decision {
        let class = document.map(|document| answered(&document, &[("k", "{\"a\":1}")]));
        Decision { class, ..decided(outcome) }
    }

    #[test]
    fn the_document_is_shown_with_final_annotations_and_errors() {
        let document = json!({"annotations": {"k": {"a": 1}, "gone": null}, "errors": [], "other": 7});
        let show = |outcome: Outcome| decision(Some(document.clone()), outcome).document();
        let invalid = Outcome::Unavailable { reason: Unavailable::Invalid, message: "bad".into() };
        let failed = Outcome::Unavailable { reason: Unavailable::Failed, message: "x".into() };
        assert_eq!(show(Outcome::Place), Some(json!({"annotations": {"k": "{\"a\":1}"}, "errors": [], "other": 7})));
        assert_eq!(show(Outcome::NoOpinion), Some(json!({"annotations": {}, "errors": [], "other": 7})));
        assert_eq!(show(Outcome::Denied { errors: vec!["no".into()] }), Some(json!({"errors": ["no"], "other": 7})));
        assert_eq!(show(invalid), Some(json!({"errors": ["bad"], "other": 7})));
        assert_eq!(show(Outcome::Undefined), None);
        assert_eq!(show(failed), None);
        assert_eq!(decision(None, Outcome::Unarmed).document(), Some(json!({})));
        assert_eq!(decision(Some(json!({"other": 7})), Outcome::NoOpinion).document(), Some(json!({"other": 7})));
        let invalid = Outcome::Unavailable { reason: Unavailable::Invalid, message: "no object".into() };
        assert_eq!(decision(Some(json!([7])), invalid).document(), Some(json!({"errors": ["no object"]})));
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

    /// Bytes that are kept, texts of ours, and restored values: they are one map, in one order.
    #[test]
    fn it_is_written_as_its_tree_is() {
        let document = json!({"z": {"b": [1.5, -0.0, 1e300], "a\"": "\u{1f6a2}\n"}, "annotations": {}, "errors": [], "a": null});
        let mut placed = decision(Some(document), Outcome::Place);
        placed.patch = [("k", Some("{\"a\":1}")), ("a", Some("was \"mine\"")), ("gone", None), (APPLIED, None)]
            .map(|(key, value)| (key.to_owned(), value.map(str::to_owned)))
            .into();
        placed.stale = vec!["old".to_owned()];
        let tree = placed.document().unwrap();
        assert_eq!(serde_json::to_string(&placed.shown()).unwrap(), tree.to_string());
        let emptied = Applied::default().encode();
        assert_eq!(tree["annotations"], json!({"k": "{\"a\":1}", "a": "was \"mine\"", APPLIED: emptied}));
    }
}
