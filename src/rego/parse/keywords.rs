//! Imports of keywords that another import gives already: `import rego.v1` beside `import future.keywords.in`. The interpreter's parser refuses
//! them; OPA refuses the same import twice only, which is why a second one stays.

use super::tokens::{Kind, Token, Tokens};
use crate::rego::splice::Splices;

/// Takes such imports out of a text.
pub(super) fn drop(text: &str) -> Splices {
    let mut splices = Splices::default();
    if !text.contains("future") {
        return splices;
    }
    let tokens: Vec<_> = Tokens::new(text).collect();
    let v1 = tokens.windows(4).any(|window| is_path(window, ["import", "rego", ".", "v1"]));
    let imports: Vec<_> = (0..tokens.len()).filter_map(|at| Import::at(&tokens, at)).collect();
    let all = imports.iter().any(|import| import.word.is_none());
    // Of `not { … }` the imports decide what it means: see `layout::check_imports`.
    let negated = tokens.windows(2).any(|pair| matches!(pair, [not, open] if not.text == "not" && open.text == "{"));
    let mut seen = Vec::new();
    for import in imports {
        let first = !seen.contains(&import.word);
        let given = if import.word.is_some() { v1 || all } else { v1 && !negated };
        if first && given {
            splices.insert(import.start, import.end, String::new());
        }
        if first {
            seen.push(import.word);
        }
    }
    splices
}

/// An import of one keyword that the interpreter knows, or of all.
struct Import<'t> {
    word: Option<&'t str>,
    start: usize,
    end: usize,
}

impl<'t> Import<'t> {
    fn at(tokens: &[Token<'t>], at: usize) -> Option<Self> {
        let from = tokens.get(at..)?;
        let start = from.first()?.start;
        if !is_path(from, ["import", "future", ".", "keywords"]) {
            return None;
        }
        let rest = from.get(4..)?;
        let (word, length) = match rest {
            [dot, word, ..] if dot.text == "." => (Some(word.text), 2),
            [open, word, close, ..] if open.text == "[" && word.kind == Kind::String && close.text == "]" => {
                (Some(word.text.trim_matches(['"', '`'])), 3)
            }
            _ => (None, 0_usize),
        };
        let known = word.is_none_or(|word| ["contains", "every", "if", "in"].contains(&word));
        let alone = rest.get(length).is_none_or(|next| next.text != "as" && next.text != ".");
        let end = from.get(length.saturating_add(3))?.end();
        (known && alone).then_some(Self { word, start, end })
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
        ];
        for (text, expected) in cases {
            assert_eq!(drop(text).apply(text).text, expected);
        }
        let kept = [
            "import future.keywords.in\nimport future.keywords.if",
            "import future.keywords",
            "import rego.v1\nimport future.keywords.not",
            "import rego.v1\nimport future.keywords.in as x",
            "import rego.v1\nimport future.keywords\np if not { input.x }",
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
}
