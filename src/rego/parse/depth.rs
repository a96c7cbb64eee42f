//! Refuses texts that a recursive parser cannot survive: nested too deep, or so nested that it would try for ever.

use super::tokens::{Kind, Token, Tokens};

/// Brackets, braces and parentheses inside one another.
pub(super) const MAX_BRACKETS: usize = 200;
/// Brackets and operator chains together: the depth of the syntax tree.
const MAX_DEPTH: u64 = 600;
/// The parser tries the first member of each literal as a comprehension and then again, so nested first members cost
/// twice as much per level; this bounds the tokens it looks at, counted as often as it looks.
const MAX_WORK: u64 = 4_000_000;
/// What a short text may cost, and each byte more: nobody waits long for little.
const LEAST_WORK: u64 = 250_000;
const WORK_PER_BYTE: u64 = 16;
/// The same where a bracket has no partner: there each look ends with an error, which costs a hundred times as much.
const LEAST_UNBALANCED: u64 = 2_500;
const UNBALANCED_PER_BYTE: u64 = 1;

/// Why a text is refused, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooDeep {
    pub(super) offset: usize,
    pub(super) message: String,
}

/// One open bracket, or the text itself.
#[derive(Clone, Copy)]
struct Level {
    open: u8,
    /// Operators joined to one operand.
    chain: u64,
    /// How often the parser looks at what surrounds this level.
    around: u64,
    /// How often it looks at what comes next inside.
    weight: u64,
}

struct Depth {
    levels: Vec<Level>,
    innermost: Level,
    depth: u64,
    work: u64,
    most: u64,
}

/// Whether every bracket of a text is closed in it, and none is that it did not open.
pub(in crate::rego) fn balanced(text: &str) -> bool {
    unbalanced(text).is_none()
}

/// Where the first bracket is that has no partner.
pub(in crate::rego) fn unbalanced(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    for token in Tokens::new(text) {
        match (token.kind, token.text) {
            (Kind::Open, bracket) => open.push((bracket, token.start)),
            (Kind::Close, bracket) => {
                let opened = match bracket {
                    ")" => "(",
                    "]" => "[",
                    _ => "{",
                };
                if open.pop().map(|(bracket, _)| bracket) != Some(opened) {
                    return Some(token.start);
                }
            }
            _ => {}
        }
    }
    open.pop().map(|(_, start)| start)
}

/// Checks a text; the first place that is too deep is the answer.
pub(super) fn check(text: &str) -> Result<(), TooDeep> {
    let outermost = Level { open: 0, chain: 0, around: 1, weight: 1 };
    let mut state = Depth { levels: Vec::new(), innermost: outermost, depth: 0, work: 0, most: most_work(text) };
    let mut before = None;
    for token in Tokens::new(text) {
        state.step(before, token);
        if let Some(message) = state.refusal() {
            return Err(TooDeep { offset: token.start, message });
        }
        before = Some(token);
    }
    Ok(())
}

fn most_work(text: &str) -> u64 {
    let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
    let (least, each) = if balanced(text) { (LEAST_WORK, WORK_PER_BYTE) } else { (LEAST_UNBALANCED, UNBALANCED_PER_BYTE) };
    bytes.saturating_mul(each).saturating_add(least).min(MAX_WORK)
}

impl Depth {
    fn refusal(&self) -> Option<String> {
        if self.levels.len() > MAX_BRACKETS {
            Some(format!("nested too deeply: more than {MAX_BRACKETS} levels of brackets"))
        } else if self.depth + self.innermost.chain > MAX_DEPTH {
            Some(format!("expression too long: more than {MAX_DEPTH} operators, references and brackets inside one another"))
        } else if self.work > self.most {
            Some("nested too deeply for its size: take inner arrays, sets or objects out into variables".into())
        } else {
            None
        }
    }

    fn step(&mut self, before: Option<Token<'_>>, token: Token<'_>) {
        self.work = self.work.saturating_add(self.innermost.weight);
        let joined = before.is_some_and(|b| b.ends_operand());
        if joined && before.is_some_and(|b| b.row != token.row) && !matches!(token.kind, Kind::Symbol | Kind::Close) {
            self.statement();
        }
        match token.kind {
            Kind::Open => self.open(token, joined && before.is_some_and(|b| b.end() == token.start)),
            Kind::Close => self.close(),
            Kind::Symbol => self.symbol(token.text),
            Kind::Name if token.text == "in" => self.innermost.chain += 1,
            Kind::Name | Kind::Number | Kind::String => {}
        }
    }

    fn statement(&mut self) {
        let Level { open, around, .. } = self.innermost;
        self.innermost.chain = 0;
        if open != 0 {
            self.innermost.weight = around.saturating_mul(2);
        }
    }

    fn open(&mut self, token: Token<'_>, part_of_ref: bool) {
        if part_of_ref {
            self.innermost.chain += 1;
        }
        let open = token.text.bytes().next().unwrap_or_default();
        let around = self.innermost.weight;
        self.depth += self.innermost.chain + 1;
        self.levels.push(self.innermost);
        let weight = if open == b'(' { around } else { around.saturating_mul(2) };
        self.innermost = Level { open, chain: 0, around, weight };
    }

    fn close(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.depth = self.depth.saturating_sub(level.chain + 1);
            self.innermost = level;
        }
    }

    fn symbol(&mut self, text: &str) {
        let Level { open, around, .. } = self.innermost;
        match text {
            "," => {
                self.innermost.chain = 0;
                if open != b'(' {
                    self.innermost.weight = around;
                }
            }
            ":" => self.innermost.chain = 0,
            ";" => self.statement(),
            "|" if open == b'{' => {
                self.innermost.chain += 1;
                self.innermost.weight = around.saturating_mul(4);
            }
            "|" if open == b'[' => {
                self.innermost.chain += 1;
                self.innermost.weight = around.saturating_mul(2);
            }
            _ => self.innermost.chain += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Option<String> {
        check(text).err().map(|e| e.message)
    }

    #[test]
    fn nesting_is_bounded_at_200() {
        for (open, close) in [("(", ")"), ("count(", ")"), ("f(x, ", ")")] {
            let nested = |n: usize| format!("package a\nx := {}1{}", open.repeat(n), close.repeat(n));
            assert_eq!(refused(&nested(200)), None);
            assert!(refused(&nested(201)).unwrap().contains("200 levels"));
            assert!(refused(&nested(100_000)).unwrap().contains("200 levels"));
        }
    }

    #[test]
    fn literals_nested_in_first_place_are_bounded_by_work() {
        for (open, close) in [("[", "]"), ("{", "}"), ("{\"a\": ", "}"), ("[x | x := ", "]")] {
            let nested = |n: usize| format!("package a\nx := {}1{}", open.repeat(n), close.repeat(n));
            assert_eq!(refused(&nested(12)), None);
            assert!(refused(&nested(190)).unwrap().contains("for its size"));
        }
        let second = format!("package a\nx := {}1{}", "[0, ".repeat(190), "]".repeat(190));
        assert_eq!(refused(&second), None, "only first members are tried twice");
    }

    #[test]
    fn brackets_that_nobody_closes_are_bounded_sooner() {
        let open = |n: usize| format!("package a\nx := {}", "[".repeat(n));
        assert_eq!(refused(&open(8)), None, "the parser says what is wrong");
        assert!(refused(&open(16)).unwrap().contains("for its size"));
    }

    #[test]
    fn chains_are_bounded() {
        for link in ["1 +\n", "a.", "a[0] | ", "1 in ", "- ", "x == "] {
            let chain = |n: usize| format!("package a\nx := {}1", link.repeat(n));
            assert_eq!(refused(&chain(150)), None, "{link}");
            assert!(refused(&chain(1000)).unwrap().contains("expression too long"), "{link}");
        }
    }

    #[test]
    fn long_is_not_deep() {
        let rules =
            "p if {\n  x := [1, 2, 3]\n  y := x[0].b + 1; z := f(x)\n  some k, v in {\"a\": {\"b\": [1]}}\n}\n".repeat(5000);
        assert_eq!(refused(&format!("package a\n{rules}")), None);
        assert_eq!(refused(&format!("package a\nx := [{}1]", "[1, 2], ".repeat(100_000))), None);
        assert_eq!(refused(&format!("package a # {}\nx := \"{}\"", "(".repeat(900), "[".repeat(900))), None);
    }
}
