//! Objects that are merged, filtered and patched, with objects and scalars at the same keys.

use super::Writer;

const LEAVES: &[&str] = &[
    "input.a",
    "input.m",
    "input.b",
    "data.a",
    "data.m",
    "data.b",
    "input.x",
    "{\"x\": 1}",
    "{\"x\": {\"y\": 1}}",
    "{\"x\": {\"x\": 1}, \"y\": 2}",
    "{\"a\": {\"x\": 1}}",
    "{\"x\": input.x}",
    "{\"x\": {\"y\": input.y}}",
    "{\"x\": data.x, \"a\": input.a}",
    "{1: \"x\", \"x\": {}}",
    "input.m.x",
];

impl Writer<'_, '_> {
    /// An object of others.
    pub(super) fn merged(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.choices.of(LEAVES).to_owned();
        }
        let a = self.merged(depth - 1);
        let keys = self.choices.of(&["[\"x\"]", "{\"x\"}", "{\"x\": 1}", "[input.s]", "[\"a\", \"y\"]", "[\"1\", 1.0]"]);
        let paths = self.choices.of(&["[\"x/y\"]", "{\"x/x\", \"y\"}", "[[\"x\", input.s]]", "[\"a\", \"x/y\"]", "[[\"a\"]]"]);
        match self.choices.below(14) {
            0..=3 => format!("object.union({a}, {})", self.merged(depth - 1)),
            4 => format!("object.union_n([{a}, {}, {}])", self.merged(0), self.merged(depth - 1)),
            5 => format!("object.union_n([o | some o in [{a}, {}]])", self.merged(depth - 1)),
            6 => format!("object.remove({a}, {keys})"),
            7 => format!("object.filter({a}, {keys})"),
            8 => format!("json.filter({a}, {paths})"),
            9 => format!("json.remove({a}, {paths})"),
            10 => {
                let change = match self.choices.below(5) {
                    0 => "{\"op\": \"remove\", \"path\": \"/x\"}".to_owned(),
                    1 => "{\"op\": \"copy\", \"from\": \"/y\", \"path\": \"/x\"}".to_owned(),
                    2 => "{\"op\": \"test\", \"path\": \"/x\", \"value\": 1}".to_owned(),
                    _ => format!("{{\"op\": \"add\", \"path\": \"/x\", \"value\": {}}}", self.merged(0)),
                };
                format!("json.patch({a}, [{change}])")
            }
            11 => format!("data.t.any({a}).x"),
            12 => format!("{{\"x\": {a}, \"y\": {}}}", self.merged(0)),
            _ => format!("data.t.any({a})"),
        }
    }

    /// A line that looks at such an object.
    pub(in super::super) fn merged_line(&mut self) -> String {
        let depth = self.choices.below(3) + 1;
        let merged = self.merged(depth);
        let name = self.bind();
        match self.choices.below(5) {
            0 => format!("{name} := {merged}"),
            1 => format!("{name} := data.t.any({merged}).x.y"),
            2 => format!("{{\"x\": {name}}} = data.t.any({merged})"),
            _ => format!("{name} := data.t.any({merged}); {}", self.condition(&name)),
        }
    }
}
