//! Members and items that are asked for by numbers and by text that stands for one, and numbers that are written otherwise.

use super::Writer;

const KEYS: &[&str] = &[
    "1",
    "1",
    "1.0",
    "1.0",
    "1.0",
    "1e0",
    "0",
    "0.0",
    "1.5",
    "\"1\"",
    "\"0\"",
    "\"+1\"",
    "\"01\"",
    "\"1.0\"",
    "input.n",
    "input.n",
    "data.n",
    "to_number(input.n)",
    "data.q.number",
    "data.q.same(input.n)",
];

/// What has such keys.
const HOLDERS: &[&str] = &[
    "data.m",
    "data.m",
    "data.m",
    "data.m",
    "data.m",
    "data.items",
    "data.items",
    "data.m.x",
    "data.a",
    "input.m",
    "input.items",
    "data.q.by_key",
    "data.q.by_key",
    "data.q.keys",
    "data.q.list",
    "data.q.table",
    "data.q.some",
    "data.q.whole",
    "data.q.gone",
    "data.q.all",
];

impl Writer<'_, '_> {
    /// Rules whose documents have such keys.
    pub(super) fn numbered_rules(&mut self) -> String {
        let (number, other) = (self.numbered_key(), self.numbered_key());
        let mut text = format!("number := {} if {{ {} }}\n\n", self.choices.of(&["1", "1.0", "0", "\"1\""]), self.tested());
        text += &format!("number := {} if {{ not {} }}\n\n", self.choices.of(&["1", "1.0", "input.n"]), self.tested());
        text = text.replacen("number := ", "default number := 0\n\nnumber := ", usize::from(self.choices.chance(3)));
        text += "by_key[k] := w if some k, w in data.m\n\nkeys contains k if some k, _ in data.m\n\n";
        let [first, second] =
            [(); 2].map(|()| self.choices.of(&["data.items[\"0\"]", "data.items[\"+1\"]", "data.m[\"1\"]", "data.m.x"]));
        text += &format!("gone[k] := w if some k, w in {first}\n\nall := [w | some w in {second}]\n\n");
        text += "list := [input.x, \"x\", data.x]\n\ntable := {\"1\": input.x, 1: data.x, \"x\": 2}\n\nwhole := data.m\n\n";
        text += &format!("some[{}] := {}\n\n", number.replace("data.q.number", "data.n"), self.choices.of(&["data.x", "1"]));
        text += &format!("some[{}] := {}\n\n", other.replace("data.q.number", "2"), self.choices.of(&["input.x", "1"]));
        text + "same(x) := x\n\nfirst(1) := 1\n\nfirst(\"1\") := input.x\n\n"
    }

    fn tested(&mut self) -> String {
        self.choices.of(&["data.a", "input.m.x", "data.m[1]", "data.m[1.0]", "data.m[\"1\"]", "data.items[\"0\"]"]).to_owned()
    }

    /// A number, or text that stands for one.
    fn numbered_key(&mut self) -> String {
        self.choices.of(KEYS).to_owned()
    }

    /// What is found by one.
    fn numbered(&mut self) -> String {
        let (key, of) = (self.numbered_key(), self.choices.of(HOLDERS));
        match self.choices.below(10) {
            0 => format!("object.get({of}, {key}, {})", self.numbered_key()),
            1 => format!("object.get({of}, [{key}, \"x\"], 0)"),
            2 => format!("data.q.same({key})"),
            3 => format!("{of}[data.q.same({key})]"),
            4 => format!("{of}.x[{key}]").replace("data.q.list.x", "data.m.a").replace("data.q.keys.x", "data.items[0]"),
            5 => format!("data.q.first({key})"),
            _ => format!("{of}[{key}]"),
        }
    }

    /// A line that asks for something by one.
    pub(super) fn numbered_line(&mut self) -> String {
        let (found, key, of) = (self.numbered(), self.numbered_key(), self.choices.of(HOLDERS));
        let is = self.choices.of(&["is_number", "is_string"]);
        match self.choices.below(15) {
            0 => format!("{found} == {}", self.constant()),
            1 => format!("not {found}"),
            2 => {
                let name = self.bind();
                format!("some {name}, _ in {of}; {is}({name})")
            }
            3 => {
                let name = self.bind();
                format!("some {name} in [{key}, \"x\"]; {of}[{name}]")
            }
            4 => {
                let name = self.bind();
                format!("{of}[{name}] == {}; {is}({name})", self.constant())
            }
            5 => format!("{key} in object.keys({of})")
                .replace("object.keys(data.q.list)", "data.items")
                .replace("object.keys(data.q.all)", "data.items"),
            6 => format!("{key}, {} in {of}", self.constant()),
            7 => format!("{} == {}", self.numbered_key(), self.numbered_key()),
            8 => format!("data.q.same({key}) == {}", self.numbered_key()),
            9 => {
                let (known, name) = (self.bind(), self.bind());
                let other = self.numbered_key();
                format!("{known} := data.q.same({key}); {name} := data.q.same({other}); {is}({known}); {of}[{name}]")
            }
            10 => {
                let name = self.bind();
                format!("{name} := sprintf(\"%v\", [k | some k, _ in {of}; {is}(k)])")
            }
            11 => {
                let name = self.bind();
                format!("{name} := json.marshal({{k: 1 | some k, _ in {of}; k != {key}}})")
            }
            12 => format!("{of} == data.m"),
            _ => format!("{} := {found}", self.bind()),
        }
    }
}
