//! The part of a document that is read.
//!
//! What becomes of a value depends on the value and on its path alone, so stand-ins cannot be taken for something else:
//!
//! | read | scalar | array | object |
//! |---|---|---|---|
//! | nothing of it, something inside | - | `[{index: …}]` of what is read inside, or - | members of which something is read, or - |
//! | kind | `null`, `true`, `false`, `0`, `""` | the same, at least `[{}]` | the same, at least `{}` |
//! | keys | itself | each item, or `null` for it | each member, or `null` for it |
//! | whole | itself | itself | itself |
//!
//! Functions are computed once for operands that are equal, however they are written (`1`, `1.0`), and operands are compared with
//! parts that are read nowhere. So where a document has numbers that are written in an unusual way, read or not, all of it is kept.
//! The same goes for sets that are read, which no JSON has.

use super::document::{Document, Sort};
use super::path::{Part, PathSet, Tree};
use crate::value::{ObjectBuilder, Value};

/// The part of a document that a set of paths names.
pub(super) fn project<'d>(set: &PathSet, document: impl Document<'d>) -> Value {
    if !document.is_plain() {
        return document.to_value();
    }
    let mut projection = Projection { has_sets: false };
    let part = projection.value(&[set.tree()], document);
    if projection.has_sets { document.to_value() } else { part.unwrap_or(Value::Null) }
}

struct Projection {
    /// Sets were met.
    has_sets: bool,
}

impl Projection {
    fn value<'d>(&mut self, trees: &[&Tree], document: impl Document<'d>) -> Option<Value> {
        let part = trees.iter().filter_map(|tree| tree.part).max();
        if part == Some(Part::Whole) {
            let value = document.to_value();
            self.look(&value);
            return Some(value);
        }
        match document.sort() {
            Sort::Array => self.array(trees, part, document),
            Sort::Object => self.object(trees, part, document),
            Sort::Set => {
                self.has_sets = true;
                None
            }
            Sort::Scalar if part >= Some(Part::Scalar) => Some(document.to_value()),
            Sort::Scalar => part.map(|_| kind(&document.to_value())),
        }
    }

    fn array<'d>(&mut self, trees: &[&Tree], part: Option<Part>, array: impl Document<'d>) -> Option<Value> {
        if part == Some(Part::Keys) {
            let items = array.items().enumerate();
            return Some(Value::array(
                items.map(|(index, item)| self.member(trees, &Value::from(index), item).unwrap_or(Value::Null)),
            ));
        }
        let mut found = ObjectBuilder::default();
        let mut empty = true;
        for (index, item) in array.items().enumerate().take(reach(trees)) {
            let key = Value::from(index);
            if let Some(item) = self.member(trees, &key, item) {
                empty = false;
                found.insert(key, item);
            }
        }
        (part.is_some() || !empty).then(|| Value::array([found.finish()]))
    }

    fn object<'d>(&mut self, trees: &[&Tree], part: Option<Part>, object: impl Document<'d>) -> Option<Value> {
        let mut found = ObjectBuilder::default();
        let mut empty = true;
        let mut take = |key: &Value, value: Option<Value>| {
            if let Some(value) = value.or_else(|| (part == Some(Part::Keys)).then_some(Value::Null)) {
                empty = false;
                found.insert(key.clone(), value);
            }
        };
        if part == Some(Part::Keys) || trees.iter().any(|tree| tree.any.is_some()) {
            object.members().for_each(|(key, value)| take(&key, self.member(trees, &key, value)));
        } else {
            let named = trees.iter().flat_map(|tree| tree.keys.keys());
            let named = named.filter_map(|key| object.get(key).map(|value| (key, value)));
            named.for_each(|(key, value)| take(key, self.member(trees, key, value)));
        }
        (part.is_some() || !empty).then(|| found.finish())
    }

    fn member<'d>(&mut self, trees: &[&Tree], key: &Value, value: impl Document<'d>) -> Option<Value> {
        let below: Vec<_> = trees.iter().flat_map(|tree| tree.at(key)).collect();
        if below.is_empty() { None } else { self.value(&below, value) }
    }

    /// Looks for sets.
    fn look(&mut self, value: &Value) {
        let mut waiting = vec![value];
        while let Some(value) = waiting.pop() {
            match value {
                Value::Array(array) => waiting.extend(array.items()),
                Value::Object(object) => waiting.extend(object.values()),
                Value::Set(_) => self.has_sets = true,
                Value::Null | Value::False | Value::True | Value::Int(_) | Value::Number(_) | Value::String(_) => {}
            }
            if self.has_sets {
                return;
            }
        }
    }
}

/// How many items have to be looked at: all, or those before the last index that is named.
fn reach(trees: &[&Tree]) -> usize {
    let last = |tree: &&Tree| tree.keys.keys().filter_map(Value::as_i64).max().and_then(|last| usize::try_from(last).ok());
    match trees.iter().any(|tree| tree.any.is_some()) {
        true => usize::MAX,
        false => trees.iter().filter_map(last).max().map_or(0, |last| last.saturating_add(1)),
    }
}

/// Stands for a scalar of which the type is read.
fn kind(scalar: &Value) -> Value {
    match scalar {
        Value::Int(_) | Value::Number(_) => Value::Int(0),
        Value::String(_) => Value::from(""),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::path::Step;
    use super::*;

    fn set(paths: &[(&[&str], Part)]) -> PathSet {
        let step = |name: &&str| if *name == "*" { Step::Any } else { Step::Key(Value::from(*name)) };
        PathSet::of(paths.iter().map(|(path, part)| (path.iter().map(step).collect(), *part)))
    }

    fn json(text: &str) -> Value {
        crate::value::json::read(text.as_bytes(), 100).expect("JSON")
    }

    #[test]
    fn only_what_is_read_stays() {
        let set = set(&[(&["a", "b"], Part::Whole), (&["c"], Part::Kind), (&["d", "*", "e"], Part::Scalar)]);
        let shown = project(&set, &json(r#"{"a": {"b": [1], "x": 2}, "c": {"y": 1}, "d": [{"e": "f", "g": 1}, 5], "h": 1}"#));
        assert_eq!(shown.to_string(), r#"{"a": {"b": [1]}, "c": {}, "d": [{0: {"e": "f"}}]}"#);
    }

    #[test]
    fn absent_is_not_null() {
        let set = set(&[(&["a"], Part::Kind), (&["b"], Part::Whole)]);
        assert_eq!(project(&set, &json(r#"{"a": null}"#)).to_string(), r#"{"a": null}"#);
        assert_eq!(project(&set, &json(r#"{"b": null}"#)).to_string(), r#"{"b": null}"#);
        assert_eq!(project(&set, &json(r#"{"a": "text"}"#)).to_string(), r#"{"a": ""}"#);
        assert_eq!(project(&set, &json(r#"{"a": false}"#)).to_string(), r#"{"a": false}"#);
    }

    #[test]
    fn items_that_are_named_stay() {
        let item = |index: usize| vec![Step::Key(Value::from("a")), Step::Key(Value::from(index)), Step::Key(Value::from("b"))];
        let set = PathSet::of([item(3), item(0), item(1)].map(|path| (path, Part::Whole)));
        let items = |count: usize| format!(r#"{{"a": [{}]}}"#, vec![r#"{"b": 1, "c": 2}"#; count].join(", "));
        for (count, wanted) in [
            (6, r#"{"a": [{0: {"b": 1}, 1: {"b": 1}, 3: {"b": 1}}]}"#),
            (2, r#"{"a": [{0: {"b": 1}, 1: {"b": 1}}]}"#),
            (0, "null"),
        ] {
            assert_eq!(project(&set, &json(&items(count))).to_string(), wanted, "{count}");
        }
    }

    #[test]
    fn keys_stay_without_values() {
        let set = set(&[(&["a"], Part::Keys), (&["b"], Part::Keys)]);
        let shown = project(&set, &json(r#"{"a": {"x": 1, "y": [2]}, "b": [7, 8]}"#));
        assert_eq!(shown.to_string(), r#"{"a": {"x": null, "y": null}, "b": [null, null]}"#);
    }

    /// No JSON has sets: a document with one that is read, as far as it may be, is kept as it is.
    #[test]
    fn sets_keep_everything() {
        let member = Value::set([Value::from("x"), Value::from(1_usize)]);
        let list = Value::array([member.clone(), Value::from(2_usize)]);
        let members = [("a", member), ("l", list), ("other", Value::from(3_usize))];
        let document = Value::object(members.map(|(key, value)| (Value::from(key), value)));
        let cases: [(&[&str], Part, bool); 11] = [
            (&["a"], Part::Kind, true),
            (&["a"], Part::Scalar, true),
            (&["a"], Part::Keys, true),
            (&["a"], Part::Whole, true),
            (&["a", "b"], Part::Kind, true),
            (&["a", "*"], Part::Whole, true),
            (&["l", "*"], Part::Kind, true),
            (&["l", "*", "b"], Part::Whole, true),
            (&["l"], Part::Whole, true),
            (&["l"], Part::Keys, false),
            (&["other"], Part::Whole, false),
        ];
        for (path, part, all) in cases {
            let shown = project(&set(&[(path, part)]), &document);
            assert_eq!(shown.to_string() == document.to_string(), all, "{path:?} {part}");
        }
    }

    #[test]
    fn numbers_that_can_be_written_otherwise_keep_everything() {
        let set = set(&[(&["a"], Part::Whole)]);
        for (text, all) in [
            ("1", false),
            ("0.5", false),
            ("1.0", true),
            ("1e2", true),
            ("0.50", true),
            ("-0", true),
            ("10.5", false),
            ("-200.25", false),
        ] {
            for text in [format!(r#"{{"a": {text}, "b": 1}}"#), format!(r#"{{"a": 1, "b": {text}}}"#)] {
                let document = json(&text);
                assert_eq!(project(&set, &document).to_string() == document.to_string(), all, "{text}");
            }
        }
    }
}
