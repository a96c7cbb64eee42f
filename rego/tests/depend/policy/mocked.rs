//! Functions and builtins that are called instead of others, with what those call.

use super::Writer;

/// Builtins, each with its number of operands.
const BUILTINS: &[(&str, usize)] =
    &[("startswith", 2), ("endswith", 2), ("startswith", 2), ("endswith", 2), ("glob.match", 3), ("is_string", 1)];

impl Writer<'_, '_> {
    /// Functions and rules, each of which calls those before it.
    pub(super) fn mocked_rules(&mut self) -> String {
        let mut text = "truth(_, _) := true\n\nalike(a, b) := a == b\n\nmatches(_, _, a) := a.z\n\n".to_owned();
        text += "i0 := 1 if startswith(input.s, \"x\")\n\ni1 contains 1 if endswith(data.s, \"s\")\n\n";
        text += "i2 := input.z if glob.match(\"x*\", [], input.x)\n\ni2 := input.z if startswith(input.x, \"y\")\n\n";
        // Each may call those before it: what takes the place of one of these may call what is replaced as well.
        let operand = ["input", "input", "input.x", "1.0"];
        text += &format!("f0(x) := {}\n\n", self.choices.of(&["x.a", "x.a", "x.a", "x", "[x, input.z]", "1"]));
        text += &format!("t0 := data.q.f0({})\n\n", self.choices.of(&operand));
        text += &format!("f1(x) := {}\n\n", self.choices.of(&["1", "1", "x", "input.z", "data.q.f0(x)"]));
        text += &format!("t1 := {}\n\n", self.choices.of(&["data.q.f0(input)", "data.q.f1(input)", "data.q.t0", "data.q.i0"]));
        let value = self.choices.of(&["data.q.t0", "2 if data.q.t0", "data.q.t1", "[x, data.q.t0]", "data.q.f1(x)"]);
        text += &format!("f2(x) := {value}\n\n");
        text += &format!("f3(x) := {}\n\n", self.choices.of(&["1", "1", "input.z", "data.q.t0", "data.q.f0(x)", "data.q.i0"]));
        let asked = ["data.q.f1(1)", "data.q.f1(1)", "data.q.t0", "data.q.t0", "data.q.t1", "data.q.f2(1)", "data.q.f0(1.0)"];
        let mut operands = [(); 2].map(|()| self.choices.of(&asked));
        if self.choices.chance(2) {
            operands = [asked[0], asked[2]];
        }
        let [a, b] = operands;
        text + &format!("u := [a, b] if {{ a := {a}; b := {b} }}\n\n")
    }

    /// A line in which functions are called instead of others.
    pub(super) fn mocked_line(&mut self) -> String {
        let name = self.bind();
        let asked = match self.choices.below(10) {
            0 => format!("data.q.f{}({})", self.choices.below(4), self.choices.of(&["input", "1", "1.0", "input.x"])),
            1..=3 => format!("data.q.i{}", self.choices.below(3)),
            4 => "[data.q.u, data.q.i0]".to_owned(),
            5 | 6 => format!("data.q.t{}", self.choices.below(2)),
            _ => "data.q.u".to_owned(),
        };
        let mocks: String = (0..=self.choices.below(3)).map(|_| format!(" with {}", self.mock())).collect();
        match self.choices.below(6) {
            0 => format!("{name} := [{asked} | true][0]{mocks}"),
            1 => format!("{name} := data.q.u; {} := {asked}{mocks}", self.bind()),
            2 => format!("{name} := {asked}{mocks}; {} := {asked}", self.bind()),
            _ => format!("{name} := {asked}{mocks}"),
        }
    }

    /// What is called instead of something.
    pub(super) fn mock(&mut self) -> String {
        if self.choices.chance(3) {
            return "data.q.f1 as data.q.f2 with data.q.f0 as data.q.f3".to_owned();
        }
        if self.choices.chance(2) {
            let instead = match self.choices.below(7) {
                0 => self.choices.of(&["1", "input.y", "data.x", "data.a"]).to_owned(),
                _ => format!("data.q.f{}", self.choices.below(4)),
            };
            return format!("data.q.f{} as {instead}", self.choices.below(4));
        }
        let (builtin, operands) = BUILTINS[self.choices.below(BUILTINS.len())];
        let function = match operands {
            2 => self.choices.of(&["data.q.truth", "data.q.alike", "startswith", "endswith"]).to_owned(),
            3 => "data.q.matches".to_owned(),
            _ => format!("data.q.f{}", self.choices.below(4)),
        };
        let instead =
            if self.choices.chance(2) { self.choices.of(&["true", "false", "input.z", "1"]).to_owned() } else { function };
        format!("{builtin} as {instead}")
    }
}
