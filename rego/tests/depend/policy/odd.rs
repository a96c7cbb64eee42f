//! Rules that are in conflict, that never hold, and of which others are left early: which parts of rules are evaluated, and which errors
//! are met, is decided by what the index asks for.

use super::{ANY, Writer};

pub(super) const WORDS: &str = "import future.keywords.and\n\nimport future.keywords.or\n\n";

impl Writer<'_, '_> {
    /// A few odd rules, and one that asks for some of them.
    pub(super) fn odd(&mut self) -> [String; 3] {
        let mut q = format!("package q\n\n{WORDS}never := 1 if false\n\n");
        q += "ys := [{\"x\": \"b\", \"y\": input.y}, {\"x\": \"y\", \"y\": input.s}]\n\n";
        q += "xs := [{\"x\": \"b\", \"y\": input.y}, {\"x\": input.s, \"y\": data.y}]\n\n";
        let both = self.asked();
        let other = if self.choices.chance(3) { self.asked() } else { both.clone() };
        q += &format!("two := 1 if {{\n\t{both}\n}}\n\ntwo := 2 if {{\n\t{other}\n}}\n\n");
        q += "pair(o) := 1 if o\n\npair(o) := 2 if o == \"x\"\n\n";
        self.variables.clear();
        self.rules.push("data.q.two".to_owned());
        self.functions.push("data.q.pair".to_owned());
        for index in 0..=self.choices.below(3) {
            q += &self.odd_rules(index);
        }
        let p = self.odd_answer();
        [q, format!("package p\n\n{WORDS}{p}"), ANY.to_owned()]
    }

    fn odd_answer(&mut self) -> String {
        self.variables.clear();
        let last = self.rules.last().cloned().unwrap_or_default();
        match self.choices.below(10) {
            0 => self.answer(),
            1 => self.definitions("answer", &["answer"]),
            2 => {
                let lines = self.lines(3);
                let value = self.term(1);
                format!("default answer := 0\n\nanswer := {value} if {{\n{lines}}}\n")
            }
            3 => "answer[k] := v if some k, v in data.q\n".to_owned(),
            4 => format!("answer := data.q[{}]\n", self.key()),
            5 => format!("answer if not {last}\n"),
            6 => {
                let from = self.choices.of(&["input.items", "data.items", "[1, \"x\"]", "input.m"]);
                format!("default answer := 7\n\nanswer if every x in {from} {{ {last} != x }}\n")
            }
            7 => {
                let call = self.functions[self.choices.below(self.functions.len())].clone();
                format!("answer := {call}({})\n", self.term(1))
            }
            _ => format!("answer := {last}\n"),
        }
    }

    /// All definitions of a name.
    fn odd_rules(&mut self, index: usize) -> String {
        let rule = format!("r{index}");
        match self.choices.below(8) {
            0 | 1 => {
                let function = format!("f{index}");
                let text = self.odd_function(&function);
                self.functions.push(format!("data.q.{function}"));
                text
            }
            2 => {
                let text = self.definitions(&rule, &[&format!("{rule}()")]);
                self.rules.push(format!("data.q.{rule}()"));
                self.rules.push(format!("data.q.{rule}"));
                text
            }
            3 | 4 => {
                let key = self.choices.of(&["input.s", "data.s", "\"y\"", "\"x\""]);
                let heads = [format!("{rule}.x"), format!("{rule}[{key}]"), format!("{rule}.x[{key}]")];
                let heads: Vec<_> = heads.iter().take(self.choices.below(3) + 1).map(String::as_str).collect();
                let text = self.definitions(&rule, &heads);
                self.rules.push(format!("data.q.{rule}"));
                self.rules.push(format!("data.q.{rule}{}", self.choices.of(&[".x", "[input.s]", "[_]", ""])));
                text
            }
            5 => {
                let head = if self.choices.chance(2) { rule.clone() } else { format!("{rule}.x") };
                let text = self.members(&head);
                self.rules.push(format!("data.q.{rule}"));
                text
            }
            _ => {
                let text = self.definitions(&rule, &[&rule]);
                self.rules.push(format!("data.q.{rule}"));
                text
            }
        }
    }

    /// Definitions of a rule that has one value, or of members of an object.
    fn definitions(&mut self, name: &str, heads: &[&str]) -> String {
        let default = if heads == [name] && self.choices.chance(4) {
            format!("default {name} := {}\n\n", self.constant())
        } else {
            String::new()
        };
        // `else` wants a head whose keys are known.
        let others = |head: &str| !head.contains("[input") && !head.contains("[data");
        let all: String = (0..=self.choices.below(4))
            .map(|_| {
                self.variables.clear();
                let head = self.choices.of(heads).to_owned();
                let others = others(&head);
                self.definition(&head, others)
            })
            .collect();
        default + &all
    }

    fn members(&mut self, name: &str) -> String {
        let definition = |writer: &mut Self| {
            writer.variables.clear();
            let lines = writer.lines(3);
            format!("{name} contains {} if {{\n{lines}}}\n\n", writer.value())
        };
        (0..=self.choices.below(3)).map(|_| definition(self)).collect()
    }

    fn odd_function(&mut self, name: &str) -> String {
        let mut text =
            if self.choices.chance(4) { format!("default {name}(_) := {}\n\n", self.constant()) } else { String::new() };
        let twice = self.choices.chance(4);
        for _ in 0..=self.choices.below(4) {
            let operand = self.choices.of(&["o", "o", "o", "\"x\"", "1", "_", "[o, _]", "{\"x\": o}", "[\"x\", o]"]);
            self.variables = if operand.contains('o') { vec!["o".to_owned()] } else { Vec::new() };
            let second = if self.choices.chance(2) { "_" } else { "\"x\"" };
            let head = if twice { format!("{name}_2({operand}, {second})") } else { format!("{name}({operand})") };
            text += &self.definition(&head, true);
        }
        if twice {
            text = text.replace(&format!("default {name}(_)"), &format!("default {name}_2(_, _)"));
            text += &format!(
                "{name}(o) := data.q.{name}_2(o, {})\n\n",
                self.choices.of(&["input.s", "data.s", "\"x\"", "o", "input.m.x"])
            );
        }
        text
    }

    /// One definition, and perhaps what holds instead.
    fn definition(&mut self, head: &str, others: bool) -> String {
        let outer = self.variables.clone();
        let lines = self.lines(3);
        let mut text = format!("{head} := {} if {{\n{lines}}}", self.value());
        while others && self.choices.chance(4) {
            self.variables.clone_from(&outer);
            let lines = self.lines(3);
            text += &format!(" else := {} if {{\n{lines}}}", self.value());
        }
        self.variables = outer;
        format!("{text}\n\n")
    }
}
