//! What `with` replaces in documents, seen from above.

use super::Writer;

const DOCUMENTS: &[&str] = &[
    "data.a.x",
    "data.a.x",
    "data.a",
    "data.a.x.y",
    "data.m.x",
    "data.m",
    "data.x",
    "data.m[\"1\"]",
    "input.a.x",
    "input.a",
    "input.x",
    "input",
];

const TARGETS: &[&str] = &["data.a.x", "data.a", "data.m.x", "input.a", "data.q.seen_rule", "data.q.within.x"];

/// What is seen from above.
const SEEN: &[&str] = &["data.a", "data.a", "data.a", "data.m", "data.x", "input.a", "input", "data.a.x"];

const VALUES: &[&str] = &[
    "{\"x\": 1}",
    "{\"x\": 1}",
    "{\"x\": {\"y\": 1}}",
    "{\"y\": {\"x\": 1}}",
    "{\"y\": 1}",
    "{}",
    "1",
    "input.a",
    "input.x",
    "data.b",
    "{\"x\": input.x}",
];

impl Writer<'_, '_> {
    /// Rules that look at something from above.
    pub(super) fn seeing_rules(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..=self.choices.below(2) {
            text += &format!("seen(y) := {} if {{ {} }}\n\n", self.shown("y"), self.condition("y"));
        }
        let [above, inside] = [(); 2].map(|()| self.choices.of(SEEN));
        text += &format!("seen_rule := {} if {{ y := {above}; {} }}\n\n", self.shown("y"), self.condition("y"));
        text += &format!("within.x := {inside}\n\nwithin.y := y if {{ y := {} }}\n\n", self.replaced("data.q.seen_rule"));
        text
    }

    /// What is found with other documents.
    pub(super) fn replaced(&mut self, of: &str) -> String {
        // A rule that looks at another one does not replace that: it would refer to itself.
        let targets = if of.contains("seen_rule") { DOCUMENTS } else { TARGETS };
        let target = if self.choices.chance(2) { DOCUMENTS[0] } else { self.choices.of(targets) };
        let value = self.choices.of(VALUES);
        let second = match self.choices.below(3) {
            0 => format!(" with {} as {}", self.choices.of(targets), self.choices.of(VALUES)),
            _ => String::new(),
        };
        format!("{of} with {target} as {value}{second}")
    }

    /// A term that looks at something from above.
    fn seen(&mut self) -> String {
        let of = if self.choices.chance(5) { "data.q.within" } else { self.choices.of(SEEN) };
        let of = if self.choices.chance(2) { SEEN[0] } else { of };
        match self.choices.below(18) {
            0 | 14..=16 => format!("data.q.seen({of})"),
            1 => format!("data.t.any({of})"),
            2 => format!("count({of})"),
            3 => format!("object.union({of}, {})", self.choices.of(&["data.a", "input.a", "{\"x\": {\"a\": 1}}"])),
            4 => format!("[k | some k, _ in {of}]"),
            5 => format!("json.marshal({of})"),
            6 => format!("object.get({of}, [\"x\", \"y\"], 0)"),
            7 => format!("[{} | y := {of}; {}]", self.shown("y"), self.condition("y")),
            8 => format!("{{p | walk({of}, [p, 1])}}"),
            9 => format!("object.remove({of}, [\"x\"])"),
            10 => "data.q.within.y".to_owned(),
            11 | 17 => "data.q.seen_rule".to_owned(),
            12 => format!("{of} == {}", self.choices.of(VALUES)),
            _ => of.to_owned(),
        }
    }

    pub(super) fn seen_line(&mut self) -> String {
        let name = self.bind();
        let seen = self.seen();
        let all = self.replaced(&seen);
        match self.choices.below(7) {
            0 => {
                let other = self.bind();
                format!("{name} := {seen}; {other} := {all}")
            }
            1 => format!("{{\"x\": {name}}} = {all}"),
            2 | 3 => format!("{name} := {all}"),
            _ => format!("{name} := {all}; {}", self.condition(&name)),
        }
    }

    /// What shows whether a condition holds, or a part of what it is of.
    pub(super) fn shown(&mut self, name: &str) -> String {
        match self.choices.below(6) {
            0 => format!("{name}.x.y"),
            1 => "data.z".to_owned(),
            _ => "input.z".to_owned(),
        }
    }

    /// A condition of a variable.
    pub(super) fn condition(&mut self, of: &str) -> String {
        let constant = self.choices.of(VALUES).to_owned();
        let key = self.choices.of(&["x", "y", "a", "b"]);
        match self.choices.below(15) {
            0 | 1 => format!("{of}.x.{key}"),
            2 => format!("{of}.x.x; {of}.x.y"),
            3 => format!("not {of}.x.{key}"),
            4 => format!("{of}.x.{key} == {constant}"),
            5 => format!("{of} == {constant}"),
            6 => format!("count({of}.x) > 1"),
            7 => format!("is_object({of}.{key})"),
            8 => format!("some k, _ in {of}.x; k == \"{key}\""),
            9 => format!("{of}.x = {{\"x\": _, \"y\": _}}"),
            10 => format!("{of}.x = {{\"{key}\": _}}"),
            11 => format!("every w in {of} {{ w != {constant} }}"),
            12 if self.choices.chance(2) => format!("{of}.x.{key}"),
            12 => format!("{of}.{key}"),
            13 => format!("{of}.x.y.{key}"),
            _ => format!("{of}.x == {constant}"),
        }
    }
}
