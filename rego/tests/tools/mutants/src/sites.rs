//! Where the source can be changed, and how.

mod collect;
mod constants;
mod logic;
mod visit;

use std::ops::Range;

use anyhow::{Context, Result};

use crate::tree::Tree;
use constants::Constants;

/// How a switch is written around a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One expression or the other.
    Expression,
    /// A statement that is left out.
    Statement,
    /// A function that returns at once.
    Entry,
    /// An arm of a `match` that never fits.
    Arm,
}

/// A place with one or more changes.
#[derive(Clone)]
pub struct Site {
    /// From the workspace on.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// The function that it is in.
    pub function: String,
    /// What is changed, for people.
    pub kind: &'static str,
    /// Bytes of the file; empty where something is inserted.
    pub range: Range<usize>,
    /// How the switch is written.
    pub form: Form,
    /// What stands there, or, where something is inserted, what it is inserted into.
    pub old: String,
    /// What may stand there instead.
    pub changes: Vec<String>,
}

impl Site {
    /// Whether both change the same bytes, or one is inserted into what the other changes.
    pub fn overlaps(&self, other: &Self) -> bool {
        let touch = self.range.start < other.range.end && other.range.start < self.range.end;
        self.path == other.path && (self.range == other.range || touch)
    }
}

/// All sites of the rooms, in the order of files and of what is in them.
pub fn all(tree: &Tree) -> Result<Vec<Site>> {
    let parsed = |file: &crate::tree::File| syn::parse_file(&file.text).with_context(|| format!("parsing {}", file.path));
    let files = tree.files.iter().map(parsed).collect::<Result<Vec<_>>>()?;
    let constants = Constants::of(&files);
    let sites = tree.files.iter().zip(&files).flat_map(|(file, parsed)| visit::sites(file, parsed, &constants));
    Ok(sites.collect())
}

#[cfg(test)]
mod tests {
    use super::{Constants, visit};
    use crate::mutant::one_line;
    use crate::tree::File;

    /// What is found in a file, as `kind: old -> new, new`.
    fn found(text: &str) -> Vec<String> {
        let file = File { path: "rego/src/eval/x.rs".to_owned(), text: text.to_owned() };
        let parsed = [syn::parse_file(text).unwrap()];
        let sites = visit::sites(&file, &parsed[0], &Constants::of(&parsed));
        sites.iter().map(|site| format!("{}: {} -> {}", site.kind, one_line(&site.old), site.changes.join(", "))).collect()
    }

    /// Each is found as the last lines say, in the order of the file.
    #[test]
    fn what_can_be_changed() {
        for (text, wanted) in [
            (
                "fn f(a: u8) -> bool { a < b }",
                &["function: fn f(a: u8) -> bool -> true, false", "operator: a < b -> a <= b, a >= b"][..],
            ),
            ("fn f() { a.b(); }", &["function: fn f() -> ", "statement: a.b(); -> "]),
            ("fn f() -> &X { if let A = b && c { d } else { e } }", &["condition: c -> true, false, !(c)"]),
            ("fn f() -> &X { if a && b { c } }", &["condition: a && b -> true, false", "operator: a && b -> a || b"]),
            ("fn f() -> &X { match a { 1 if b => c, 2 => d, _ => e } }", &["condition: b -> true, false, !(b)", "arm: 2 -> "]),
            ("fn f() -> &X { match a { A => c, B => d } }", &[]),
            ("fn f() -> &X { loop { continue; } }", &["jump: continue -> break"]),
            ("fn f() -> &X { a.get(1) }", &["number: 1 -> 2, 0"]),
            ("fn f() -> &X { a.any(!b) }", &["method: a.any(!b) -> a.all(!b)", "negation: !b -> b"]),
            (
                "enum E { A, B(u8), C } fn f() -> Result<E, X> { g() }",
                &["function: fn f() -> Result<E, X> -> Ok(E::A), Ok(E::C)"],
            ),
            ("fn f() -> bool { true }", &["function: fn f() -> bool -> false"]),
            ("#[cfg(test)] mod tests { fn f() -> bool { a } }", &[]),
            ("const A: u8 = 1 + 2; const fn f() -> bool { a }", &[]),
            ("impl std::fmt::Display for A { fn fmt(&self) -> bool { a } }", &[]),
        ] {
            assert_eq!(found(text), wanted, "{text}");
        }
    }
}
