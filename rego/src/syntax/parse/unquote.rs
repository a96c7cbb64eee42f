//! What escapes in strings mean: those of JSON, as Go reads them.

use std::borrow::Cow;

/// The text between two quotes; `None` for what is no string of JSON.
pub(super) fn unquote(inner: &str) -> Option<String> {
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find(|c: char| c == '\\' || c < ' ') {
        text.push_str(rest.get(..at)?);
        let escape = rest.get(at..)?.strip_prefix('\\')?;
        let mut behind = escape.chars();
        match behind.next()? {
            plain @ ('"' | '\\' | '/') => text.push(plain),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'u' => {
                let (c, after) = unicode(behind.as_str())?;
                text.push(c);
                rest = after;
                continue;
            }
            _ => return None,
        }
        rest = behind.as_str();
    }
    text.push_str(rest);
    Some(text)
}

/// The character of `\u1234`, or of two of these; a half of a pair alone is the replacement character.
fn unicode(digits: &str) -> Option<(char, &str)> {
    let (high, rest) = four(digits)?;
    if (0xd800..0xdc00).contains(&high)
        && let Some(pair) = rest.strip_prefix("\\u")
        && let Some((low, after)) = four(pair)
        && (0xdc00..0xe000).contains(&low)
    {
        let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        return Some((char::from_u32(code)?, after));
    }
    Some((char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER), rest))
}

fn four(digits: &str) -> Option<(u32, &str)> {
    let (digits, rest) = digits.split_at_checked(4)?;
    let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    hexadecimal.then(|| u32::from_str_radix(digits, 16).ok()).flatten().map(|code| (code, rest))
}

/// `\{` in a template is a brace; other escapes stay.
pub(super) fn join_braces(written: &str, raw: bool) -> Cow<'_, str> {
    if !written.contains("\\{") {
        return Cow::Borrowed(written);
    }
    let mut text = String::with_capacity(written.len());
    let mut rest = written.chars();
    while let Some(c) = rest.next() {
        match (c, rest.as_str().chars().next()) {
            ('\\', Some('{')) => {}
            ('\\', Some(next)) if !raw => {
                text.extend([c, next]);
                rest.next();
            }
            _ => text.push(c),
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::{join_braces, unquote};

    #[test]
    fn escapes() {
        assert_eq!(unquote(r#"a\n\t\"\\\/\u00e9"#).as_deref(), Some("a\n\t\"\\/é"));
        assert_eq!(unquote(r"\ud83d\ude00").as_deref(), Some("😀"));
        assert_eq!(unquote(r"\ud83d x").as_deref(), Some("\u{fffd} x"));
        assert_eq!(unquote(r"\u12").as_deref(), None);
        assert_eq!(unquote(r"\x").as_deref(), None);
        assert_eq!(unquote("\t\\n").as_deref(), None);
    }

    #[test]
    fn braces() {
        assert_eq!(join_braces(r"a \{ b \\{", false), r"a { b \\{");
        assert_eq!(join_braces(r"a \\{", true), r"a \{");
    }
}
