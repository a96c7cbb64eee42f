//! Random policies: text that mostly compiles.

mod formed;
mod merged;
mod mocked;
mod narrow;
mod numbered;
mod odd;
mod replaced;
mod steps;

use super::choice::Choices;
use super::expression::Writer;

const ANY: &str = "package t\n\nany(x) := x\n";

/// Two packages, `q` and, on top of it, `p`; what is asked for is `data.p.answer`. `data.t.any` hides types from the compiler.
pub(super) fn policy(choices: &mut Choices<'_>) -> [String; 3] {
    let mut writer = Writer::new(choices);
    if writer.choices.chance(3) {
        return writer.narrow();
    }
    if writer.choices.chance(3) {
        return writer.odd();
    }
    if !writer.choices.chance(4) {
        return writer.small();
    }
    let q = writer.package("q", 3);
    let p = writer.package("p", 2);
    let answer = writer.answer();
    [q, format!("{p}{answer}"), ANY.to_owned()]
}

impl Writer<'_, '_> {
    /// Little is read here, and nothing else hides what is missing of it.
    fn small(&mut self) -> [String; 3] {
        let mut q = "package q\n\nr0 := input.m\n\nnever := 1 if false\n\n".to_owned();
        if self.choices.chance(2) {
            q += &self.function("f0");
            self.functions.push("data.q.f0".to_owned());
        }
        if self.choices.chance(2) {
            q += &self.rule("r1");
            self.rules.push("data.q.r1".to_owned());
        }
        self.variables.clear();
        let value = if self.choices.chance(2) { self.term(1) } else { "1".to_owned() };
        let first = self.expression();
        let used = format!("[{}] != null", self.variables.join(", "));
        let p = format!("package p\n\ndefault answer := 0\n\nanswer := {value} if {{\n\t{first}\n\t{used}\n}}\n");
        [q, p, ANY.to_owned()]
    }

    fn package(&mut self, name: &str, rules: usize) -> String {
        let mut text = format!("package {name}\n\nnever := 1 if false\n\n");
        for index in 0..=self.choices.below(rules) {
            let function = format!("f{index}");
            text += &self.function(&function);
            self.functions.push(format!("data.{name}.{function}"));
            let rule = format!("r{index}");
            text += &self.rule(&rule);
            self.rules.push(format!("data.{name}.{rule}"));
        }
        text
    }

    fn answer(&mut self) -> String {
        match self.choices.below(4) {
            0 => "answer := data.q\n".to_owned(),
            1 => self.rule("answer"),
            2 => format!("answer := [v | some v in {}]\n", self.rules.last().cloned().unwrap_or_default()),
            _ => {
                let all = self.rules.iter().map(|rule| format!("answer contains {rule}\n\n")).collect::<String>();
                format!("{all}answer contains data.q[k] if some k in [\"r0\", \"r1\", input.s]\n")
            }
        }
    }

    fn function(&mut self, name: &str) -> String {
        let mut text = String::new();
        if self.choices.chance(3) {
            text += &format!("default {name}(_) := {}\n\n", self.constant());
        }
        for _ in 0..=self.choices.below(2) {
            self.variables = vec!["o".to_owned()];
            let body = self.body(1);
            text += &format!("{name}(o) := {} if {{\n{body}}}\n\n", self.term(2));
        }
        text
    }

    fn rule(&mut self, name: &str) -> String {
        match self.choices.below(6) {
            0 if self.choices.chance(3) => self.told_apart(name),
            0 => self.headed("", |writer| format!("{name} := {}", writer.term(2))),
            1 => {
                let first = self.headed("", |writer| format!("{name} := {}", writer.term(2)));
                let other = self.headed("", |writer| format!("else := {}", writer.term(1)));
                format!("{} {other}", first.trim_end())
            }
            2 => {
                let default = self.constant();
                format!("default {name} := {default}\n\n{}", self.headed("", |writer| format!("{name} := {}", writer.term(2))))
            }
            3 => {
                let from = self.choices.of(&["input.m", "data.m", "input.items", "data.items", "input.x"]);
                let first = format!("\tsome k, w in {from}\n");
                self.headed(&first, |writer| format!("{name}[k] := {}", writer.term(1)))
            }
            4 => self.twice(|writer| format!("{name} contains {}", writer.term(1))),
            _ => self.twice(|writer| {
                let key = writer.key();
                format!("{name}[{key}] := {}", writer.term(1))
            }),
        }
    }

    /// Two definitions, the second of which negates what the first one tests, or nearly that.
    fn told_apart(&mut self, name: &str) -> String {
        let mut test = self.choices.of(&["input.a", "input.m.x", "input.m", "data.a", "data.m.x", "data.b.a"]).to_owned();
        if let Some(rule) = self.rules.last().filter(|_| self.choices.chance(2)) {
            test.clone_from(rule);
        }
        let other = if self.choices.chance(4) { "input.m.y".to_owned() } else { test.clone() };
        let tests = [format!(" if {{\n\t{test}\n"), format!(" if {{\n\tnot {other}\n")];
        let definition = |writer: &mut Self| writer.headed("", |writer| format!("{name} := {}", writer.term(1)));
        tests.iter().map(|test| definition(self).replacen(" if {\n", test, 1)).collect()
    }

    fn twice(&mut self, head: impl Fn(&mut Self) -> String) -> String {
        (0..=self.choices.below(2)).map(|_| self.headed("", &head)).collect()
    }

    /// A rule: its body first, since the head uses the body's variables.
    fn headed(&mut self, first: &str, head: impl FnOnce(&mut Self) -> String) -> String {
        self.variables.clear();
        if first.contains("some k, w") {
            self.variables.extend(["k".to_owned(), "w".to_owned()]);
        }
        let body = self.body(2);
        let head = head(self);
        let used = if first.is_empty() { "" } else { "\t[k, w] != null\n" };
        format!("{head} if {{\n{first}{used}{body}}}\n\n")
    }
}
