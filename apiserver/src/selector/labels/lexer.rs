//! The words and signs of a label selector. Source: `Lexer` in `apimachinery` `pkg/labels/selector.go`.

/// What a selector is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// After the last one.
    End,
    /// A key, a value, `in` or `notin`.
    Word(&'a str),
    /// One of `= == != ! > < ( ) ,`.
    Sign(&'a str),
}

impl<'a> Token<'a> {
    /// As messages quote it.
    pub(super) fn text(self) -> &'a str {
        match self {
            Self::End => "",
            Self::Word(text) | Self::Sign(text) => text,
        }
    }
}

/// All tokens; a NUL ends the text, as upstream.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut rest, mut out) = (text.split('\0').next().unwrap_or_default(), Vec::new());
    loop {
        rest = rest.trim_start_matches(is_space);
        let Some(first) = rest.chars().next() else { return out };
        let length = match first {
            _ if !is_sign(first) => rest.find(|c| is_sign(c) || is_space(c)).unwrap_or(rest.len()),
            _ if rest.starts_with("==") || rest.starts_with("!=") => 2,
            _ => 1,
        };
        let (token, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        out.push(if is_sign(first) { Token::Sign(token) } else { Token::Word(token) });
        rest = after;
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_sign(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

#[test]
fn signs_end_words() {
    use Token::{Sign, Word};
    let expected = [Word("a"), Sign("!="), Word("b"), Sign(","), Sign("!"), Word("c"), Word("in"), Sign("("), Sign(")")];
    assert_eq!(tokens(" a!=b,!c in\t()"), expected);
    assert_eq!(tokens("é===b\0c"), [Word("é"), Sign("=="), Sign("="), Word("b")]);
    assert_eq!(tokens(""), []);
}
