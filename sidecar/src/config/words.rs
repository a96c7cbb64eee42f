//! What the YAML reader says, in words that do not need the program's types.

use std::fmt;

/// A file that is not of the expected shape; its text names the key, the line, and what is expected there.
#[derive(Debug)]
pub struct Misread(pub(super) yaml_serde::Error);

/// The reader's word, and ours.
const WORDS: [(&str, &str); 6] = [
    ("usize", "a whole number"),
    ("u32", "a whole number"),
    ("u64", "a whole number"),
    ("f64", "a number"),
    ("a boolean", "true or false"),
    ("a sequence", "a list"),
];

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        let Some((before, expected)) = text.split_once("expected ") else { return f.write_str(&text) };
        if let Some(rest) = expected.strip_prefix("struct ") {
            let after = rest.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
            return write!(f, "{before}expected an object{after}");
        }
        match WORDS.iter().find_map(|(word, ours)| Some((ours, expected.strip_prefix(word)?))) {
            Some((ours, after)) => write!(f, "{before}expected {ours}{after}"),
            None => f.write_str(&text),
        }
    }
}

impl std::error::Error for Misread {}
