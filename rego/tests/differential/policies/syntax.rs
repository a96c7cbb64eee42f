//! Rules in the words of Rego v0 or v1.

/// Which words.
#[derive(Clone, Copy)]
pub(super) struct Syntax {
    pub(super) v0: bool,
}

impl Syntax {
    fn body(self, statements: &[String]) -> String {
        let braces = format!("{{\n\t{}\n}}", statements.join("\n\t"));
        match (self.v0, statements) {
            (true, []) => "{ true }".to_owned(),
            (false, []) => "if true".to_owned(),
            (true, _) => braces,
            (false, [one]) if !one.contains('\n') && one.len() % 2 == 0 => format!("if {one}"),
            (false, _) => format!("if {braces}"),
        }
    }

    /// `head := value` under a condition; `head` may have arguments or be a reference.
    pub(super) fn complete(self, head: &str, value: &str, statements: &[String]) -> String {
        let assign = if self.v0 { "=" } else { ":=" };
        format!("{head} {assign} {value} {}", self.body(statements))
    }

    pub(super) fn holds(self, head: &str, statements: &[String]) -> String {
        format!("{head} {}", self.body(statements))
    }

    pub(super) fn contains(self, head: &str, key: &str, statements: &[String]) -> String {
        let head = if self.v0 { format!("{head}[{key}]") } else { format!("{head} contains {key}") };
        format!("{head} {}", self.body(statements))
    }

    /// A last `else` without condition is written as OPA's formatter does.
    pub(super) fn or_else(self, value: &str, statements: &[String]) -> String {
        let assign = if self.v0 { "=" } else { ":=" };
        match (statements, self.v0) {
            ([], false) => format!(" else {assign} {value}"),
            _ => format!(" else {assign} {value} {}", self.body(statements)),
        }
    }

    /// Rules that are written for v1, with braces.
    pub(super) fn rules(self, rules: &[&str]) -> String {
        let text = rules.join("\n\n");
        if self.v0 { in_words_of_v0(&text) } else { text }
    }
}

/// Heads and bodies as v0 has them; what is inside bodies is alike.
fn in_words_of_v0(text: &str) -> String {
    let line = |line: &str| {
        let head = !line.starts_with(['\t', '}']);
        let (front, back) = line.split_once(" if {").map_or((line, None), |(front, back)| (front, Some(back)));
        let front = match front.split_once(" contains ") {
            Some((set, key)) if head => format!("{set}[{key}]"),
            _ if head || line.starts_with("} else") => front.replacen(" := ", " = ", 1),
            _ => front.to_owned(),
        };
        match back {
            Some(back) => format!("{front} {{{}", back.replace("} else := ", "} else = ").replace(" if {", " {")),
            None => front,
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
