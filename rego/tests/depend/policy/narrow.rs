//! Policies that read little: by things that are easily taken for others, or with much that is between them and what they read.

use super::odd::WORDS;
use super::{ANY, Writer};

impl Writer<'_, '_> {
    /// A rule of few lines, most of them of one kind.
    pub(super) fn narrow(&mut self) -> [String; 3] {
        let kind = [0, 1, 1, 2, 2, 3, 3, 4][self.choices.below(8)];
        let mut q = format!("package q\n\n{WORDS}never := 1 if false\n\nr0 := input.m\n\n");
        q += &self.numbered_rules();
        q += &self.seeing_rules();
        q += &self.mocked_rules();
        self.rules = ["by_key", "some", "seen_rule", "t0", "u"].map(|name| format!("data.q.{name}")).to_vec();
        self.functions = ["same", "first", "seen", "f0", "f3"].map(|name| format!("data.q.{name}")).to_vec();
        self.variables.clear();
        let lines = self.narrow_lines(kind);
        let value = self.last();
        q += &format!("asked := {value} if {{\n{lines}}}\n\n");
        if self.choices.chance(3) {
            self.variables.clear();
            let lines = self.narrow_lines(kind);
            q += &format!("otherwise := {} if {{\n{lines}}}\n\n", self.last());
        }
        let answer = match self.choices.below(8) {
            0 => "default answer := 0\n\nanswer := 1 if not data.q.asked\n".to_owned(),
            1 => "answer contains data.q.asked\n\nanswer contains data.q.otherwise\n".to_owned(),
            2 => format!("answer := x if {{ x := {} }}\n", self.replaced("data.q.asked")),
            3 => format!("answer := x if {{ x := data.q.asked with {} }}\n", self.mock()),
            4 => "answer := [data.q.asked] if true else := [data.q.otherwise] if true else := 2\n".to_owned(),
            _ => "answer := data.q.asked\n".to_owned(),
        };
        let answer = if q.contains("otherwise :=") { answer } else { answer.replace("data.q.otherwise", "input.z") };
        [q, format!("package p\n\n{WORDS}{answer}"), ANY.to_owned()]
    }

    /// What shows that all lines hold, or the value of one of them.
    fn last(&mut self) -> String {
        let name = self.variables.last().cloned().unwrap_or_else(|| "1".to_owned());
        match self.choices.below(6) {
            0 => "1".to_owned(),
            1 | 2 => "input.z".to_owned(),
            3 if name != "1" => format!("data.t.any({name}).x"),
            _ => name,
        }
    }

    fn narrow_lines(&mut self, kind: usize) -> String {
        let lines: String = (0..=self.choices.below(2))
            .map(|_| {
                let kind = if self.choices.chance(6) { self.choices.below(6) } else { kind };
                format!("\t{}\n", self.narrow_line(kind))
            })
            .collect();
        // A number that others are equal to.
        let first = self.choices.of(&["input.n == 1", "data.n != 1", "data.q.number != 1", "true"]);
        let first = if kind == 0 { format!("\t{first}\n") } else { String::new() };
        format!("{first}{lines}\t[{}] != null\n", self.variables.join(", "))
    }

    /// A line of a kind.
    fn narrow_line(&mut self, kind: usize) -> String {
        match kind {
            0 => self.numbered_line(),
            1 => self.seen_line(),
            2 => self.mocked_line(),
            3 => self.merged_line(),
            4 => self.formed_line(),
            _ => self.expression(),
        }
    }
}
