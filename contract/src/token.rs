//! Files of bearer tokens, one a line: each of them is valid, and the first one is the newest.

/// Returns the tokens of a file's text, without the blanks around them.
pub fn each(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// Returns the token that is sent; `None` where there is none, or one that no header can hold.
pub fn first(text: &str) -> Option<&str> {
    each(text).next().filter(|token| token.bytes().all(|byte| matches!(byte, b' '..=b'~')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_with_text_is_sent_and_all_are_valid() {
        for (text, expected) in [("a\n", "a"), ("\n  new \nold\n", "new"), ("one", "one"), ("a\r\nb\r\n", "a")] {
            assert_eq!(first(text), Some(expected), "{text:?}");
        }
        for text in ["", "\n \n", "a\u{1}b", "schlüssel\nold", "a\tb"] {
            assert_eq!(first(text), None, "{text:?}");
        }
        assert_eq!(each("\n  new \n\nold\n").collect::<Vec<_>>(), ["new", "old"]);
    }
}
