//! Texts as arrays, for patterns (opa `v1/ast/index.go`, `splitStringEscaped`).

use std::borrow::Cow;

/// The parts of a text between delimiters that are not escaped by `\`. The delimiters are letters; as in OPA, bytes of the text are
/// compared with them.
pub fn split<'t>(text: &'t str, delimiters: &'t str) -> impl Iterator<Item = Cow<'t, str>> {
    let mut rest = Some(text.as_bytes());
    std::iter::from_fn(move || {
        let here = rest?;
        let end = end(here, delimiters);
        rest = end.and_then(|end| here.get(end.saturating_add(1)..));
        Some(String::from_utf8_lossy(here.get(..end.unwrap_or(here.len())).unwrap_or(here)))
    })
}

/// Where the first delimiter stands.
fn end(text: &[u8], delimiters: &str) -> Option<usize> {
    let mut escaped = false;
    text.iter().position(|byte| {
        if *byte == b'\\' || escaped {
            escaped = !escaped;
            return false;
        }
        delimiters.contains(char::from(*byte))
    })
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn texts_are_split_as_opa_splits_them() {
        // `TestSplitStringEscaped` of opa `v1/ast/index_test.go`.
        let table: &[(&str, &str, &[&str])] = &[
            ("foo:bar:baz", ":", &["foo", "bar", "baz"]),
            (":foo:", ":", &["", "foo", ""]),
            ("foo\\:bar", ":", &["foo\\:bar"]),
            ("foo::bar", ":", &["foo", "", "bar"]),
            ("foo:bar.baz", ":.", &["foo", "bar", "baz"]),
            ("", ".", &[""]),
        ];
        for (text, delimiters, parts) in table {
            assert_eq!(split(text, delimiters).collect::<Vec<_>>(), *parts, "{text}");
        }
    }
}
