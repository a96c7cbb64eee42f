//! What the document at one path depends on.

use plimsoll_contract::status;
use plimsoll_rego::depend::{Document, Mask, Part, Path, PathSet, Reads, Root, Sort};
use plimsoll_rego::value::{self, Number};
use serde_json::Value as Json;

use super::prepared::step;
use super::value::from_json;
use super::{Program, Value};

/// The inputs and data that the document at one path depends on.
#[derive(Debug)]
pub struct Entry {
    path: Vec<value::Value>,
    reads: Reads,
    paths: Vec<Vec<String>>,
}

impl Program {
    /// Returns what the document at a path below `data` depends on. Goes through the policies: ask once for a program.
    pub fn entry(&self, path: &[String]) -> Entry {
        let path: Vec<_> = path.iter().map(|segment| step(segment)).collect();
        let reads = self.program.dependencies().entry(self.program.policy(), &path);
        Entry { path, paths: self.program.base_paths(&reads), reads }
    }
}

impl Entry {
    /// Whether it is the same whenever it is asked for, as long as what it reads is: it looks at no clock, and at nothing random.
    pub fn is_repeatable(&self) -> bool {
        self.reads.is_repeatable()
    }

    /// The paths below `data` of which something is read: names only, none inside another; `[[]]` is all of `data`.
    pub fn paths(&self) -> &[Vec<String>] {
        &self.paths
    }

    /// Returns these dependences for people: paths with dots, the line that causes each whole read, and the one that looks at several members
    /// of the collection at `fleet` together.
    pub fn reads(&self, program: &Program, fleet: &[&str]) -> status::Reads {
        let of = |name: &str, set: &PathSet| set.paths().iter().map(|read| shown(name, read)).collect();
        let whole = self.reads.whole.iter().map(|(root, span)| status::WholeRead {
            document: if *root == Root::Input { "input" } else { "data" }.to_owned(),
            location: program.program.sources().location(*span),
        });
        let fleet: Vec<_> = fleet.iter().map(|name| (*name).into()).collect();
        let together = program.program.members(&self.path, &fleet).err();
        status::Reads {
            together: together.map(|span| program.program.sources().location(span)),
            input: of("input", &self.reads.input),
            data: of("data", &self.reads.data),
            kept: self.is_repeatable(),
            whole: whole.collect(),
        }
    }

    /// Returns what is read of an input, for who reads its text.
    pub fn input_mask(&self) -> Mask<'_> {
        self.reads.mask()
    }

    /// Appends what is read of an input. Two inputs of which the same is appended have one document, as far as none of both meets unusual numbers
    /// (see [`super::Evaluated`]).
    pub fn input_key(&self, input: &Json, key: &mut Vec<u8>) {
        write(&self.reads.project(Tree(input)), key);
    }

    /// Returns the part of an input that is read, as one of which the document is the same: all of it has to be without numbers that could be
    /// written otherwise (`1.0`).
    pub fn input_part(&self, input: &Json) -> Value {
        Value(part(input, &self.reads.mask()))
    }

    /// Whether what is read of two base documents, which stand at one path below `data`, is the same.
    pub fn same_part(&self, path: &[&str], one: &Value, other: &Value) -> bool {
        let [one, other] = [one, other].map(|value| self.part(path, value));
        one == other
    }

    fn part(&self, path: &[&str], value: &Value) -> Vec<u8> {
        let inside = |value, name: &&str| value::Value::object([((*name).into(), value)]);
        let mut part = Vec::new();
        write(&self.reads.project_data(&path.iter().rev().fold(value.0.clone(), inside)), &mut part);
        part
    }
}

/// A path, and how much is read there: nothing is said if it is all.
fn shown(name: &str, (path, part): &(Path, Part)) -> String {
    let path = path.iter().fold(name.to_owned(), |all, step| format!("{all}{step}"));
    if *part == Part::Whole { path } else { format!("{path} ({part})") }
}

/// What a mask leaves of a document: empty values where only their names or places are read.
fn part(json: &Json, mask: &Mask<'_>) -> value::Value {
    let counts = mask.has_keys();
    let below = |value: &Json, mask: Option<Mask<'_>>| match mask {
        Some(mask) => Some(part(value, &mask)),
        None => counts.then_some(value::Value::Null),
    };
    match json {
        whole if mask.is_whole() => from_json(whole.clone()),
        Json::Array(items) => value::Value::array(items.iter().filter_map(|item| below(item, mask.item()))),
        Json::Object(members) => {
            let member = |(name, member): (&String, &Json)| Some((name.as_str().into(), below(member, mask.member(name))?));
            value::Value::object(members.iter().filter_map(member))
        }
        scalar => from_json(scalar.clone()),
    }
}

/// JSON of which a part becomes a value.
#[derive(Clone, Copy)]
struct Tree<'d>(&'d Json);

impl<'d> Document<'d> for Tree<'d> {
    fn sort(self) -> Sort {
        match self.0 {
            Json::Array(_) => Sort::Array,
            Json::Object(_) => Sort::Object,
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Sort::Scalar,
        }
    }

    fn items(self) -> impl Iterator<Item = Self> + 'd {
        self.0.as_array().into_iter().flatten().map(Self)
    }

    fn members(self) -> impl Iterator<Item = (value::Value, Self)> + 'd {
        self.0.as_object().into_iter().flatten().map(|(name, member)| (name.as_str().into(), Self(member)))
    }

    fn get(self, key: &value::Value) -> Option<Self> {
        self.0.get(key.as_str()?.as_str()).map(Self)
    }

    fn to_value(self) -> value::Value {
        from_json(self.0.clone())
    }

    fn is_plain(self) -> bool {
        match self.0 {
            Json::Null | Json::Bool(_) | Json::String(_) => true,
            Json::Number(number) => number.is_i64() || Document::is_plain(&self.to_value()),
            Json::Array(items) => items.iter().all(|item| Self(item).is_plain()),
            Json::Object(members) => members.values().all(|member| Self(member).is_plain()),
        }
    }
}

/// Writes a value so that no other one is written the same, equal ones neither: `1` is not `1.0`.
fn write(value: &value::Value, to: &mut Vec<u8>) {
    use value::Value;
    match value {
        Value::Null => to.push(b'n'),
        Value::False => to.push(b'f'),
        Value::True => to.push(b't'),
        Value::Int(int) => sized(b'i', &int.to_le_bytes(), to),
        Value::Number(number) => sized(b'd', Number::text(number).as_bytes(), to),
        Value::String(text) => sized(b's', text.as_bytes(), to),
        Value::Array(array) => list(b'a', array.items(), to),
        Value::Set(set) => list(b'e', set.members(), to),
        Value::Object(object) => {
            sized(b'o', &object.len().to_le_bytes(), to);
            object.iter().for_each(|(key, value)| {
                write(key, to);
                write(value, to);
            });
        }
    }
}

fn list(tag: u8, items: &[value::Value], to: &mut Vec<u8>) {
    sized(tag, &items.len().to_le_bytes(), to);
    items.iter().for_each(|item| write(item, to));
}

fn sized(tag: u8, bytes: &[u8], to: &mut Vec<u8>) {
    to.push(tag);
    to.extend_from_slice(&bytes.len().to_le_bytes());
    to.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rego::{Module, RegoVersion};

    fn entry(rules: &str) -> Entry {
        let text = format!("package a\n\n{rules}\n");
        Program::compile(&[Module { key: "a.rego".into(), text }], RegoVersion::V1).unwrap().entry(&["a".to_owned()])
    }

    fn key(entry: &Entry, input: &Json) -> Vec<u8> {
        let mut key = Vec::new();
        entry.input_key(input, &mut key);
        key
    }

    #[test]
    fn inputs_that_differ_in_nothing_that_is_read_have_one_key() {
        let entry = entry("x := input.labels.region\n\ny if input.items[_].name == \"n\"\n\nz if not input.none");
        let keys = [
            json!({"labels": {"region": "eu"}, "items": [{"name": "n"}], "other": 1}),
            json!({"labels": {"region": "eu", "b": 2}, "items": [{"name": "n", "image": "x"}]}),
            json!({"labels": {"region": "us"}, "items": [{"name": "n"}]}),
            json!({"labels": {"region": "eu"}, "items": {"0": {"name": "n"}}}),
            json!({"labels": {"region": "eu"}, "items": [{"name": "n"}], "none": null}),
            json!({"labels": {"region": null}, "items": [{"name": "n"}]}),
            json!({"labels": {}, "items": [{"name": "n"}]}),
        ]
        .map(|input| key(&entry, &input));
        assert_eq!(keys[0], keys[1]);
        let different: std::collections::BTreeSet<_> = keys[1..].iter().collect();
        assert_eq!(different.len(), 6, "{keys:?}");
    }

    #[test]
    fn a_part_is_as_the_whole_for_policy() {
        let rules = [
            "x := input.labels.region\n\ny if input.items[_].name == \"n\"\n\nz if not input.none",
            "x := count(input.items)\n\ny := object.keys(input.labels)",
            "x := input.items[1].name\n\ny if input.labels == {}",
            "x if is_array(input.items)\n\ny if input.labels[_]",
        ];
        let inputs = [
            json!({"labels": {"region": "eu", "b": [1]}, "items": [{"name": "n", "image": "x"}, {"name": "m"}], "other": {"a": 1}}),
            json!({"labels": {}, "items": [], "none": null}),
            json!({"labels": "l", "items": {"1": {"name": "n"}}, "none": {"a": 1}}),
            json!({"items": [[], 7, "x", {"name": {"deep": true}}], "labels": [1]}),
            json!([1]),
        ];
        for rules in rules {
            let entry = entry(rules);
            for input in &inputs {
                let (part, mut of_part) = (entry.input_part(input), Vec::new());
                write(&entry.reads.project(&part.0), &mut of_part);
                assert_eq!(of_part, key(&entry, input), "{rules} {input}: {part:?}");
            }
        }
        let entry = entry("x := input.labels.region");
        assert_eq!(entry.input_part(&inputs[0]).0.to_string(), r#"{"labels": {"region": "eu"}}"#);
    }

    #[test]
    fn what_is_read_is_said_and_where_all_is() {
        let rules =
            "x := input.labels.region if data.fleet[_].ready\n\ny := object.keys(input.labels)\n\nz := json.marshal(input)";
        let text = format!("package a\n\n{rules}\n");
        let program = Program::compile(&[Module { key: "a.rego".into(), text }], RegoVersion::V1).unwrap();
        let reads = program.entry(&["a".to_owned()]).reads(&program, &["fleet"]);
        assert_eq!((reads.input, reads.kept), (vec!["input".to_owned()], true));
        assert_eq!(reads.data, ["data.a", "data.fleet (keys)", "data.fleet[_].ready (kind)"]);
        let place = &reads.whole[0];
        assert_eq!((place.document.as_str(), place.location.row), ("input", 7));
        assert_eq!(
            reads.together.map(|location| (location.row, location.col)),
            Some((3, 29)),
            "a rule that is true for some member"
        );
        let some = entry("x := input.labels.region\n\ny := object.keys(input.labels)");
        let shown: Vec<_> = some.reads.input.paths().iter().map(|read| shown("input", read)).collect();
        assert_eq!(shown, ["input.labels (keys)", "input.labels.region"]);
    }

    #[test]
    fn texts_cannot_be_made_to_look_like_something_else() {
        let entry = entry("x := input.a\n\ny := input.b");
        let texts = [json!({"a": "x", "b": "y"}), json!({"a": "xs", "b": ""}), json!({"a": ["x"], "b": "y"})];
        let keys: std::collections::BTreeSet<_> = texts.iter().map(|input| key(&entry, input)).collect();
        assert_eq!(keys.len(), 3);
    }

    #[test]
    fn a_heartbeat_is_not_read() {
        let entry = entry("x contains name if { some name, c in data.fleet; c.ready == true }");
        // What lies where the rules are would be answered, too.
        assert_eq!(entry.paths(), [["a"], ["fleet"]]);
        let value = |json: Json| Value::from(json);
        let (one, beat) = (value(json!({"ready": true, "at": 1})), value(json!({"ready": true, "at": 2})));
        assert!(entry.same_part(&["fleet", "a"], &one, &beat));
        assert!(!entry.same_part(&["fleet", "a"], &one, &value(json!({"ready": false, "at": 1}))));
    }

    #[test]
    fn numbers_find_members_that_are_called_so() {
        let value = |json: Json| Value::from(json);
        for (rule, member) in [("x := data.limits[7]", "7"), ("x := data.limits[7.0]", "7.0"), ("x := data.limits[input.n]", "a")]
        {
            let entry = entry(rule);
            let (one, other) = (value(json!({ member: 1 })), value(json!({ member: 2 })));
            assert!(!entry.same_part(&["limits"], &one, &other), "{rule}");
        }
        let entry = entry("x := data.limits[7]");
        assert!(entry.same_part(&["limits"], &value(json!({"8": 1})), &value(json!({"8": 2}))));
        let items = |last: u8| value(json!([0, 0, 0, 0, 0, 0, 0, last]));
        assert!(!entry.same_part(&["limits"], &items(1), &items(2)));
        for key in ["7", "07", "+7"] {
            let by_text = self::entry(&format!("x := data.limits[\"{key}\"]"));
            assert!(!by_text.same_part(&["limits"], &items(1), &items(2)), "{key}");
        }
    }

    #[test]
    fn clocks_and_dice_are_not_repeatable() {
        assert!(entry("x := input.a").is_repeatable());
        let rules = [
            "x := time.now_ns()",
            "x := rand.intn(\"a\", 5)",
            "x := opa.runtime()",
            "x := uuid.rfc4122(\"\")",
            "x := crypto.x509.parse_and_verify_certificates(input.a)",
            "x := crypto.x509.parse_and_verify_certificates_with_options(input.a, {})",
        ];
        for rule in rules {
            assert!(!entry(rule).is_repeatable(), "{rule}");
        }
    }
}
