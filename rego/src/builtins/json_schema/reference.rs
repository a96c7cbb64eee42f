//! References of schemas: URLs with a JSON pointer behind `#` (`xeipuuv/gojsonreference`, `gojsonpointer`, Go's `net/url`).

use thiserror::Error;

use crate::builtins::BuiltinError;
use crate::value::Value;

/// A URL in its parts, each with what separates it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reference {
    scheme: String,
    authority: String,
    path: String,
    query: String,
    fragment: String,
}

impl Reference {
    pub(super) fn parse(text: &str) -> Result<Self, BuiltinError> {
        crate::builtins::uri::url::Url::parse(text)?;
        let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let scheme = rest.split_once(':').filter(|(scheme, _)| !scheme.is_empty() && !scheme.contains('/'));
        let (scheme, rest) = scheme.unwrap_or(("", rest));
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
            None => ("", rest),
        };
        Ok(Self {
            scheme: scheme.to_ascii_lowercase(),
            authority: authority.into(),
            path: path.into(),
            query: query.into(),
            fragment: unescaped(fragment),
        })
    }

    /// The reference as it is meant below this one.
    pub(super) fn inherits(&self, child: &Self) -> Self {
        if !child.scheme.is_empty() {
            return child.clone();
        }
        if !child.authority.is_empty() {
            return Self { scheme: self.scheme.clone(), ..child.clone() };
        }
        let query = if child.path.is_empty() && child.query.is_empty() { &self.query } else { &child.query };
        Self {
            scheme: self.scheme.clone(),
            authority: self.authority.clone(),
            path: resolved(&self.path, &child.path),
            query: query.clone(),
            fragment: child.fragment.clone(),
        }
    }

    /// The same without what is behind `#`.
    pub(super) fn document(&self) -> Self {
        Self { fragment: String::new(), ..self.clone() }
    }

    pub(super) fn is_canonical(&self) -> bool {
        !self.scheme.is_empty() && !self.authority.is_empty()
    }

    /// As it is written.
    pub(super) fn text(&self) -> String {
        let part = |before: &str, part: &str, after: &str| {
            if part.is_empty() { String::new() } else { format!("{before}{part}{after}") }
        };
        let (scheme, authority) = (part("", &self.scheme, ":"), part("//", &self.authority, ""));
        format!("{scheme}{authority}{}{}{}", self.path, part("?", &self.query, ""), part("#", &self.fragment, ""))
    }

    /// What the pointer finds in a document. What does not begin with a slash is none.
    pub(super) fn find<'v>(&self, document: &'v Value) -> Result<&'v Value, BuiltinError> {
        let Some(pointer) = self.fragment.strip_prefix('/') else { return Ok(document) };
        pointer
            .split('/')
            .try_fold(document, |value, token| below(value, token).map_err(|error| BuiltinError::failed(error.to_string())))
    }
}

/// Why a pointer finds nothing, in the words of `gojsonpointer`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
enum PointerError {
    /// An object without this key.
    #[error("Object has no key '{0}'")]
    Key(String),
    /// An array, and no number.
    #[error("Invalid array index '{0}'")]
    Index(String),
    /// An array of fewer elements.
    #[error("Out of bound array[0,{length}] index '{index}'")]
    Bounds {
        /// How many elements it has.
        length: usize,
        /// Which is asked for.
        index: i64,
    },
    /// A value that has nothing inside.
    #[error("Invalid token reference '{0}'")]
    Token(String),
}

/// Goes one step of a pointer.
fn below<'v>(value: &'v Value, token: &str) -> Result<&'v Value, PointerError> {
    match value {
        Value::Object(object) => {
            let key = token.replace("~1", "/").replace("~0", "~");
            object.get(&Value::from(key.as_str())).ok_or(PointerError::Key(key))
        }
        Value::Array(array) => {
            let index: i64 = token.parse().map_err(|_| PointerError::Index(token.into()))?;
            let item = usize::try_from(index).ok().and_then(|index| array.get(index));
            item.ok_or(PointerError::Bounds { length: array.items().len(), index })
        }
        _ => Err(PointerError::Token(token.into())),
    }
}

/// A path below another one, without dots.
fn resolved(base: &str, path: &str) -> String {
    let whole = match path {
        "" => base.to_owned(),
        path if path.starts_with('/') => path.to_owned(),
        path => format!("{}{path}", base.rfind('/').and_then(|end| base.get(..=end)).unwrap_or_default()),
    };
    if whole.is_empty() {
        return whole;
    }
    let (mut kept, mut open) = (Vec::new(), false);
    for segment in whole.trim_start_matches('/').split('/') {
        open = matches!(segment, "." | "..");
        match segment {
            "." => {}
            ".." => drop(kept.pop()),
            segment => kept.push(segment),
        }
    }
    format!("/{}{}", kept.join("/"), if open && !kept.is_empty() { "/" } else { "" })
}

/// Without percent-encoding, which was found to be right.
fn unescaped(text: &str) -> String {
    let (mut plain, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((byte, behind)) = rest.split_first() {
        let digits = behind.first_chunk::<2>().filter(|_| *byte == b'%');
        let code =
            digits.and_then(|digits| std::str::from_utf8(digits).ok()).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        plain.push(code.unwrap_or(*byte));
        rest = if code.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
    }
    crate::builtins::bytes::text(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_resolve_as_urls_do() {
        let table = [
            ("", "#/definitions/a", "#/definitions/a"),
            ("http://h/a/b.json", "c.json#x", "http://h/a/c.json#x"),
            ("http://h/a/b.json", "../c.json", "http://h/c.json"),
            ("http://h/a/b.json?q", "#/x", "http://h/a/b.json?q#/x"),
            ("http://h/a", "//g/x", "http://g/x"),
            ("http://h/a", "urn:x", "urn:x"),
            ("", "foo.json", "/foo.json"),
        ];
        for (base, child, expected) in table {
            let (base, child) = (Reference::parse(base).unwrap(), Reference::parse(child).unwrap());
            assert_eq!(base.inherits(&child).text(), expected);
        }
    }
}
