//! Continue tokens: where a list that is read in pages goes on, and as of which revision. Source: `apiserver`
//! `pkg/storage/continue.go`. A token is the caller's: it never widens what a request may see.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::status::Status;

const VERSION: &str = "meta.k8s.io/v1";

/// Where to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Exactly this revision; `None` for the latest one, after the exact one was too old.
    pub revision: Option<u64>,
    /// Namespace (empty for what has none) of the last object that was sent.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

#[derive(Serialize, Deserialize)]
struct Wire {
    #[serde(default)]
    v: String,
    #[serde(default)]
    rv: i64,
    #[serde(default)]
    start: String,
}

impl Token {
    /// Reads a token of a request for objects of `namespace`, or of all namespaces where that is `None`.
    pub fn read(text: &str, namespace: Option<&str>) -> Result<Self, Status> {
        let refused = |why: &str| Status::bad_request(format!("invalid continue token: continue key is not valid: {why}"));
        let bytes = URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).map_err(|_| refused("it is not base64url"))?;
        let wire: Wire = serde_json::from_slice(&bytes).map_err(|_| refused(&not_json(&bytes)))?;
        if wire.v != VERSION {
            return Err(refused("its version is not known"));
        }
        let revision = match wire.rv {
            -1 => None,
            rv => Some(u64::try_from(rv).ok().filter(|rv| *rv > 0).ok_or_else(|| refused("it has no start resourceVersion"))?),
        };
        let start = wire.start.strip_suffix('\0').ok_or_else(|| refused("its start is not the end of a key"))?;
        let (found, name) = start.split_once('/').unwrap_or(("", start));
        let unclean = |part: &str| part == "." || part == ".." || part.contains(['/', '\0', '\\']);
        if name.is_empty() || unclean(found) || unclean(name) {
            return Err(refused("its start is not a key"));
        }
        if namespace.is_some_and(|namespace| namespace != found) {
            return Err(refused("its start is outside of the request"));
        }
        Ok(Self { revision, namespace: found.to_owned(), name: name.to_owned() })
    }

    /// As callers get it.
    pub fn write(&self) -> String {
        let start = match self.namespace.as_str() {
            "" => format!("{}\0", self.name),
            namespace => format!("{namespace}/{}\0", self.name),
        };
        let rv = self.revision.map_or(-1, |revision| i64::try_from(revision).unwrap_or(i64::MAX));
        let wire = serde_json::to_vec(&Wire { v: VERSION.to_owned(), rv, start }).unwrap_or_default();
        URL_SAFE_NO_PAD.encode(wire)
    }
}

/// As Go's decoder says it of the first byte, which is what garbage shows.
fn not_json(bytes: &[u8]) -> String {
    let begins = |byte: u8| b" \t\r\n{[\"-tfn".contains(&byte) || byte.is_ascii_digit();
    match bytes.first() {
        None => "unexpected end of JSON input".to_owned(),
        Some(byte) if begins(*byte) => "it is not JSON".to_owned(),
        Some(byte) => format!("invalid character {} looking for beginning of value", go_character(*byte)),
    }
}

/// A byte as `%q` prints it.
fn go_character(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".to_owned(),
        b'\\' => r"'\\'".to_owned(),
        byte if byte.is_ascii_graphic() => format!("'{}'", char::from(byte)),
        byte if byte < 0x80 => format!("'\\x{byte:02x}'"),
        byte if byte > 0xa0 && byte != 0xad => format!("'{}'", char::from(byte)),
        byte => format!("'\\u{byte:04x}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(revision: Option<u64>, namespace: &str, name: &str) -> Token {
        Token { revision, namespace: namespace.to_owned(), name: name.to_owned() }
    }

    #[test]
    fn a_token_says_where_to_go_on() {
        for token in [token(Some(7), "a", "b"), token(None, "a", "b"), token(Some(1), "", "b")] {
            assert_eq!(Token::read(&token.write(), None).unwrap(), token);
        }
        let own = token(Some(7), "a", "b").write();
        assert!(Token::read(&own, Some("a")).is_ok());
        assert!(Token::read(&own, Some("c")).is_err());
    }

    #[test]
    fn forged_tokens_are_refused() {
        let forged = [
            r#"{"v":"meta.k8s.io/v1","rv":0,"start":"a/b\u0000"}"#,
            r#"{"v":"meta.k8s.io/v1","rv":-2,"start":"a/b\u0000"}"#,
            r#"{"v":"v9","rv":1,"start":"a/b\u0000"}"#,
            r#"{"v":"meta.k8s.io/v1","rv":1,"start":""}"#,
            r#"{"v":"meta.k8s.io/v1","rv":1,"start":"a/../b\u0000"}"#,
            r#"{"v":"meta.k8s.io/v1","rv":1,"start":"../b\u0000"}"#,
            r#"{"v":"meta.k8s.io/v1","rv":1,"start":"a/..\u0000"}"#,
            r#"{"v":"meta.k8s.io/v1","rv":1,"start":"a/b"}"#,
            "x",
        ];
        for text in forged {
            let status = Token::read(&URL_SAFE_NO_PAD.encode(text), None).unwrap_err();
            assert_eq!(status.code, 400, "{text}");
            assert!(status.message.starts_with("invalid continue token: continue key is not valid"), "{}", status.message);
        }
        assert!(Token::read("%%%", None).is_err());
        let message = Token::read("nonsense", None).unwrap_err().message;
        let expected =
            r"invalid continue token: continue key is not valid: invalid character '\u009e' looking for beginning of value";
        assert_eq!(message, expected);
    }
}
