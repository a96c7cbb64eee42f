//! What the URL of a request says: path segments and OPA's query parameters.

use actix_web::web::Query;

use crate::server::respond::ApiError;

/// OPA's query parameters, and ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Params {
    pairs: Vec<(String, String)>,
}

impl Params {
    /// Reads a query string; anything that is not one is an error.
    pub fn parse(query: &str) -> Result<Self, ApiError> {
        let sound: Vec<&str> = query.split('&').filter(|pair| is_sound(pair)).collect();
        let pairs = Query::<Vec<(String, String)>>::from_query(&sound.join("&"))
            .map_err(|error| ApiError::invalid(format!("query parameters cannot be read: {error}")))?;
        Ok(Self { pairs: pairs.into_inner() })
    }

    /// The last value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// Names and values in the order given.
    pub fn into_pairs(self) -> Vec<(String, String)> {
        self.pairs
    }

    /// All values of a parameter.
    pub fn all<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p str> {
        self.pairs.iter().filter(move |(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// OPA's booleans: the bare name once, or `true` in any case, is true.
    pub fn flag(&self, name: &str) -> bool {
        let bare = self.all(name).eq([""]);
        bare || self.all(name).any(|value| value.eq_ignore_ascii_case("true"))
    }

    /// The first parameter that is not in `known`, to be refused by name.
    pub fn unknown(&self, known: &[&str]) -> Option<&str> {
        self.pairs.iter().map(|(name, _)| name.as_str()).find(|name| !known.contains(name))
    }
}

/// Whether a pair of a query counts: Go's `url.ParseQuery` drops what has a semicolon or a broken escape.
fn is_sound(pair: &str) -> bool {
    let mut escapes = pair.split('%').skip(1);
    !pair.contains(';') && escapes.all(|rest| rest.as_bytes().get(..2).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit)))
}

/// The segments of a raw path after the first `skip`, percent-decoded one by one, so that `%2F` is a slash inside a key.
///
/// A quote would be the start of an injection into a reference, and empty or dot segments are read differently by
/// proxies on the way: all are refused.
pub fn segments(raw_path: &str, skip: usize) -> Result<Vec<String>, ApiError> {
    let parts = raw_path.split('/').skip(skip + 1);
    parts.map(segment).collect()
}

/// Everything of a raw path after `prefix`, percent-decoded as a whole: for names that may hold slashes.
pub fn rest(raw_path: &str, prefix: &str) -> Result<String, ApiError> {
    let raw = raw_path.strip_prefix(prefix).unwrap_or_default();
    let decoded = decoded(raw).filter(|decoded| !decoded.is_empty() && !decoded.contains(char::is_control));
    decoded.ok_or_else(|| ApiError::invalid(format!("`{raw}` is no percent-encoded name")))
}

fn segment(raw: &str) -> Result<String, ApiError> {
    let decoded = decoded(raw).ok_or_else(|| ApiError::invalid(format!("path segment `{raw}` is not percent-encoded UTF-8")))?;
    if decoded.is_empty() || decoded == "." || decoded == ".." {
        return Err(ApiError::invalid(format!("path segment `{raw}` is empty or a dot")));
    }
    if decoded.contains('"') || decoded.contains(char::is_control) {
        return Err(ApiError::invalid(format!("path segment `{raw}` holds a quote or a control character")));
    }
    Ok(decoded)
}

/// Percent-decoded, if it is UTF-8 then.
pub fn decoded(raw: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => hex(rest.next()?)? << 4 | hex(rest.next()?)?,
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booleans_are_opas() {
        let params = Params::parse("pretty&metrics=TRUE&provenance=1&strict=false").unwrap();
        let flags = ["pretty", "metrics", "provenance", "strict", "absent"].map(|name| params.flag(name));
        assert_eq!(flags, [true, true, false, false, false]);
        assert_eq!(params.unknown(&["pretty", "metrics", "provenance"]), Some("strict"));
    }

    #[test]
    fn malformed_pairs_are_dropped_as_in_go() {
        let params = Params::parse("a=%zz&x;y=1&b=%4&pretty;&c=1+2&%41=%20&d=%").unwrap();
        assert_eq!(params.into_pairs(), [("c".to_owned(), "1 2".to_owned()), ("A".into(), " ".into())]);
    }

    #[test]
    fn segments_are_decoded_one_by_one() {
        let table: [(&str, &[&str]); 4] = [
            ("/v1/data", &[]),
            ("/v1/data/a/b", &["a", "b"]),
            ("/v1/data/a%2Fb/c%20d", &["a/b", "c d"]),
            ("/v1/data/a+b", &["a+b"]),
        ];
        for (path, expected) in table {
            assert_eq!(segments(path, 2).unwrap(), expected, "{path}");
        }
    }

    #[test]
    fn a_path_that_others_read_differently_is_refused() {
        for path in ["a\"b", "a%22b", "a//b", ".", "a/../b", "%2e%2e/b", "%2E/b", "%ff", "%4", "%zz", "a%0Ab", "a/"] {
            let error = segments(&format!("/v1/data/{path}"), 2).unwrap_err();
            assert_eq!(error.status.as_u16(), 400, "{path}");
        }
    }
}
