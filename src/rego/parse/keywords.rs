//! Imports of keywords that another import gives already: `import rego.v1` beside `import future.keywords.in`. The interpreter's parser refuses
//! them; OPA refuses the same import twice only, which is why a second one stays.

use super::tokens::{Kind, Token, Tokens};
use crate::rego::splice::Splices;

/// Takes such imports out of a text, and that of `not`, which the rewriting knows of: see [`Negation`].
pub(super) fn drop(text: &str) -> Splices {
    let mut splices = Splices::default();
    if !text.contains("future") {
        return splices;
    }
    let tokens: Vec<_> = Tokens::new(text).collect();
    let v1 = tokens.windows(4).any(|window| is_path(window, ["import", "rego", ".", "v1"]));
    let imports = imports(&tokens);
    let all = imports.iter().any(|import| import.word.is_none());
    let mut seen = Vec::new();
    for import in imports {
        let first = !seen.contains(&import.word);
        let given = v1 || import.word == Some("not") || all && import.word.is_some();
        if first && given {
            splices.insert(import.start, import.end, String::new());
        } else if let Some(written) = text.get(import.start..import.end).filter(|written| written.contains('[')) {
            // The interpreter's parser passes over what is in brackets.
            let word = import.word.map(|word| format!(".{word}")).unwrap_or_default();
            let rows = "\n".repeat(written.matches('\n').count());
            splices.insert(import.start, import.end, format!("import future.keywords{word}{rows}"));
        }
        if first {
            seen.push(import.word);
        }
    }
    splices
}

/// What the keyword imports of a module make of its negations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::rego) struct Negation {
    /// What is negated is a body of its own: undefined arguments make it hold (opa `v1/ast/parser.go`, `futureImport`).
    pub(in crate::rego) closed: bool,
    /// `and` and `or` are keywords, too.
    pub(super) joined: bool,
}

impl Negation {
    /// Of the text as given.
    pub(super) fn of(text: &str) -> Self {
        if !text.contains("future") {
            return Self::default();
        }
        let tokens: Vec<_> = Tokens::new(text).collect();
        let imports = imports(&tokens);
        let joined = imports.iter().any(|import| import.word.is_none());
        Self { closed: joined || imports.iter().any(|import| import.word == Some("not")), joined }
    }
}

fn imports<'t>(tokens: &[Token<'t>]) -> Vec<Import<'t>> {
    (0..tokens.len()).filter_map(|at| Import::at(tokens, at)).collect()
}

/// An import of one keyword that is known, or of all.
struct Import<'t> {
    word: Option<&'t str>,
    start: usize,
    end: usize,
}

impl<'t> Import<'t> {
    fn at(tokens: &[Token<'t>], at: usize) -> Option<Self> {
        let (import, from) = tokens.get(at..)?.split_first()?;
        let (root, mut rest) = from.split_first()?;
        if import.text != "import" || root.text != "future" {
            return None;
        }
        let mut end = root.end();
        let mut names = Vec::new();
        while let Some((name, length)) = step(rest) {
            names.push(name);
            end = rest.get(length.saturating_sub(1))?.end();
            rest = rest.get(length..)?;
        }
        let word = match names.as_slice() {
            ["keywords"] => None,
            ["keywords", word] if ["contains", "every", "if", "in", "not"].contains(word) => Some(*word),
            _ => return None,
        };
        let alone = rest.first().is_none_or(|next| next.text != "as");
        alone.then_some(Self { word, start: import.start, end })
    }
}

/// The next name of a path, and how many tokens it has.
fn step<'t>(rest: &[Token<'t>]) -> Option<(&'t str, usize)> {
    match rest {
        [dot, name, ..] if dot.text == "." => Some((name.text, 2)),
        [open, name, close, ..] if open.text == "[" && name.kind == Kind::String && close.text == "]" => {
            Some((name.text.trim_matches(['"', '`']), 3))
        }
        _ => None,
    }
}

fn is_path<const N: usize>(tokens: &[Token<'_>], path: [&str; N]) -> bool {
    tokens.len() >= N && tokens.iter().zip(path).all(|(token, name)| token.text == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_that_others_cover_are_dropped() {
        let cases = [
            ("import rego.v1\nimport future.keywords.in", "import rego.v1\n"),
            ("import future.keywords.in\nimport rego.v1\nimport future.keywords[\"if\"]", "\nimport rego.v1\n"),
            ("import rego.v1\nimport future.keywords\nimport data.a", "import rego.v1\n\nimport data.a"),
            ("import future.keywords\nimport future.keywords.in", "import future.keywords\n"),
            ("import future.keywords.not\nimport data.a", "\nimport data.a"),
            ("import future[\"keywords\"]\nimport data.a", "import future.keywords\nimport data.a"),
            ("import future.keywords[\"in\"]", "import future.keywords.in"),
        ];
        for (text, expected) in cases {
            assert_eq!(drop(text).apply(text).text, expected);
        }
        let kept = [
            "import future.keywords.in\nimport future.keywords.if",
            "import future.keywords",
            "import rego.v1\nimport future.keywords.in as x",
            "import rego.v1\nimport future.keywords.and",
        ];
        for text in kept {
            assert_eq!(drop(text).apply(text).text, text);
        }
    }

    #[test]
    fn the_second_of_one_stays() {
        let text = "import rego.v1\nimport future.keywords.in\nimport future.keywords.in";
        assert_eq!(drop(text).apply(text).text, "import rego.v1\n\nimport future.keywords.in");
    }

    #[test]
    fn negations_are_closed_by_their_import() {
        for (text, closed, joined) in [
            ("import future.keywords", true, true),
            ("import future[\"keywords\"]\nimport rego.v1", true, true),
            ("import future.keywords.not", true, false),
            ("import future.keywords[`not`]", true, false),
            ("import rego.v1\nimport future.keywords.in", false, false),
            ("# import future.keywords", false, false),
        ] {
            assert_eq!(Negation::of(text), Negation { closed, joined }, "{text}");
        }
    }
}
