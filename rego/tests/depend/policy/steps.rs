//! Steps of odd rules: what the index asks for, what never holds, and what may fail.

use super::Writer;

/// References that the rule index can look at.
const ASKED: &[&str] = &["input.s", "data.s", "input.x", "data.x", "input.y", "input.m.x", "data.m.x", "input.a.b", "data.a.x"];

impl Writer<'_, '_> {
    /// Values that agree, mostly.
    pub(super) fn value(&mut self) -> String {
        match self.choices.below(8) {
            0..=3 => "1".to_owned(),
            4 => "2".to_owned(),
            5 => self.choices.of(ASKED).to_owned(),
            6 => self.term(0),
            _ => self.term(1),
        }
    }

    /// Steps in any order, some of which never hold.
    pub(super) fn lines(&mut self, most: usize) -> String {
        let outer = self.variables.len();
        let lines: String = (0..=self.choices.below(most)).map(|_| format!("\t{}\n", self.line())).collect();
        let used = &self.variables[outer..];
        if used.is_empty() { lines } else { format!("{lines}\t[{}] != null\n", used.join(", ")) }
    }

    fn line(&mut self) -> String {
        match self.choices.below(16) {
            12 => self.mixed(),
            13 => self.looked_up(),
            14 => {
                let sides = [(); 2].map(|()| match self.choices.below(4) {
                    0 => format!("{{ {}; {} }}", self.never(), self.asked()),
                    1 => format!("{{ {}; {} }}", self.fault(), self.asked()),
                    _ => self.asked(),
                });
                sides.join(self.choices.of(&[" or ", " or ", " and "]))
            }
            15 => format!("not {}", self.asked().trim_start_matches("not ")),
            0..=3 => self.asked(),
            4 | 5 => self.never(),
            6..=8 => self.fault(),
            9 => {
                let line = self.fault();
                let target = self.choices.of(&["input.s", "data.s", "input.x", "input", "data.q.two", "data.m.x"]);
                format!("{line} with {target} as {}", self.choices.of(&["\"x\"", "1", "{\"s\": \"x\"}", "input.s", "data.s"]))
            }
            10 => format!("not {}", self.fault()),
            _ => self.expression(),
        }
    }

    /// Returns an expression of a form that the rule index uses, or of one that is close to such a form.
    pub(in super::super) fn asked(&mut self) -> String {
        let path = match self.choices.below(4) {
            0 if self.variables.iter().any(|name| name == "o") => self.choices.of(&["o", "o.x"]),
            1 => self.choices.of(&["input.s", "data.s"]),
            _ => self.choices.of(ASKED),
        };
        let constant = self.choices.of(&["\"x\"", "\"x\"", "\"y\"", "1", "true", "null"]);
        match self.choices.below(20) {
            0 => format!("{constant} == {path}"),
            1 => format!("{path} = {constant}"),
            2 => format!("{path} in {{{constant}, \"a\"}}"),
            3 => format!("{path} in [{constant}, \"a\"]"),
            4 => format!("{path} in {}", self.choices.of(&["data.m", "input.m", "input.items", "data.b"])),
            5 | 6 => path.to_owned(),
            7 => format!("not {path}"),
            8 => format!("{path} != {constant}"),
            9 => format!("glob.match(\"x*\", [], {path})"),
            10 => format!("{{{constant}: true, \"a\": true}}[{path}]"),
            11 => format!("startswith({path}, \"x\")"),
            12 => format!("{path} == {}", self.choices.of(ASKED)),
            13 => format!("{path} == {}", self.constant()),
            14 => format!("[{path}, 1] == [{constant}, 1]"),
            15 => "true".to_owned(),
            16 => format!("data.m[{path}]"),
            _ => format!("{path} == {constant}"),
        }
    }

    /// What never holds.
    pub(in super::super) fn never(&mut self) -> String {
        self.choices
            .of(&[
                "false",
                "false",
                "1 == 2",
                "not true",
                "data.q.never",
                "data.q.never == input.s",
                "some x in data.t.any([]); x",
                "count([]) == input.s",
                "data.q.never != data.s",
            ])
            .to_owned()
    }

    /// What may fail.
    pub(in super::super) fn fault(&mut self) -> String {
        let rule = match self.rules.len() {
            0 => "data.q.r0".to_owned(),
            len => self.rules[self.choices.below(len)].clone(),
        };
        let value = match self.choices.below(9) {
            0..=2 => rule,
            3 if !self.functions.is_empty() => {
                let function = self.functions[self.choices.below(self.functions.len())].clone();
                format!("{function}({})", self.term(0))
            }
            4 => format!("{{\"k\": v | some v in {}}}", self.source()),
            5 => format!("{{v: k | some k, v in {}}}", self.source()),
            _ => self.strict(),
        };
        match self.choices.below(4) {
            0 => value,
            1 if value == "data.q.two" => format!("{value} == 1"),
            1 => format!("data.t.any({value}) == 1"),
            _ => format!("{value} != null"),
        }
    }

    /// What never is beside what may fail.
    fn mixed(&mut self) -> String {
        let value = match self.rules.last() {
            Some(rule) if self.choices.chance(2) => rule.clone(),
            _ => self.strict(),
        };
        let never = self.choices.of(&["data.q.never", "data.q.never", "data.m.none", "input.none"]);
        let [one, other] = if self.choices.chance(2) { [never, &value] } else { [&value, never] };
        match self.choices.below(11) {
            0 => format!("{one} == {other}"),
            1 => format!("[{one}, {other}] != null"),
            2 => format!("{{\"x\": {one}, \"y\": {other}}} != null"),
            3 => format!("{{{one}: 1, \"y\": {other}}} != null"),
            4 => format!("data.t.any({value})[{never}]"),
            5 => format!("data.m[{one}][{other}]"),
            6 => format!("data.q.two with input.x as {one} with input.y as {other}"),
            7 => format!("data.q.two with input.x as {one} with data.y as {other}"),
            8 => format!("every x in data.t.any({one}) {{ {other} != x }}"),
            9 => format!("some x in data.t.any({one}); {other} != x"),
            _ => format!("{one} in data.t.any({other})"),
        }
    }

    /// A comprehension that is computed once for all values of a variable.
    fn looked_up(&mut self) -> String {
        let from = self.choices.of(&["data.q.xs", "data.q.ys", "data.q.ys", "input.items", "data.items", "data.m"]);
        let (key, all) = (self.bind(), self.bind());
        self.variables.push("w".to_owned());
        let fault = match self.choices.below(4) {
            0 => "to_number(w.y) > 0".to_owned(),
            1 => "data.q.pair(w.y)".to_owned(),
            _ => self.fault(),
        };
        let used = self.choices.of(&["w.y", "w", "1", "input.m[w.x]"]);
        let made = match self.choices.below(3) {
            0 => format!("[{used} | w := {from}[_]; w.x == {key}; {fault}]"),
            1 => format!("{{{used} | w := {from}[_]; w.x == {key}; {fault}}}"),
            _ => format!("{{w.y: {used} | w := {from}[_]; w.x == {key}; {fault}}}"),
        };
        self.variables.pop();
        let values = self.choices.of(&["[\"a\"]", "[\"x\"]", "[input.s]", "input.items", "[\"a\", data.s]"]);
        format!("some {key} in {values}; {all} := {made}")
    }

    /// A builtin that fails on values of some types.
    fn strict(&mut self) -> String {
        let (of, other) = (self.loose(0), self.loose(0));
        match self.choices.below(16) {
            0 | 1 => format!("to_number({of})"),
            2 => format!("count({of})"),
            3 => format!("({of} + 1)"),
            4 => format!("({of} / {other})"),
            5 => format!("object.keys({of})"),
            6 => format!("json.filter({of}, [\"x\", \"a/x\"])"),
            7 => format!("object.get({of}, \"x\", {other})"),
            8 => format!("({of} | {{1}})"),
            9 => format!("json.unmarshal({of})"),
            10 => format!("lower({of})"),
            11 => format!("array.concat({of}, {other})"),
            12 => format!("object.union({of}, {other})"),
            13 => format!("regex.match({of}, {other})"),
            14 => format!("sum({of})"),
            _ => format!("object.get({of}, [\"x\", {}], 1)", self.key()),
        }
    }
}
