//! Who may ask and who may write: bearer tokens, two kinds.

use std::path::PathBuf;

use actix_web::http::{Method, StatusCode};
use plimsoll_contract::token;
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

use crate::server::reload::{LoadError, Reloaded};
use crate::server::respond::ApiError;

/// Tokens are compared by digest: equal lengths, whatever is sent.
type TokenDigest = [u8; 32];

/// The right that a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing: probes.
    Open,
    /// Documents, decisions, status, placements.
    Read,
    /// Data, sources, policies; and whatever is not known to be less.
    Write,
}

/// How the API listener authenticates its callers.
#[derive(Debug)]
pub enum Authentication {
    /// It does not.
    Off,
    /// By bearer token.
    Token(Box<Tokens>),
    /// By what the authorization policy makes of their token.
    Policy,
    /// By a certificate, which TLS has verified before anything is asked.
    Certificate,
}

/// The files that hold the tokens, one a line, so that an old and a new one may overlap.
#[derive(Debug)]
pub struct Tokens {
    read: Option<Reloaded<Vec<TokenDigest>>>,
    write: Option<Reloaded<Vec<TokenDigest>>>,
}

impl Tokens {
    /// Reads the files; both are read again when they change.
    pub fn load(read: Option<PathBuf>, write: Option<PathBuf>) -> Result<Self, LoadError> {
        let load =
            |file: Option<PathBuf>| file.map(|file| Reloaded::load(vec![file], |contents| Ok(digests(contents)?))).transpose();
        Ok(Self { read: load(read)?, write: load(write)? })
    }

    fn may(&self, token: &str, access: Access) -> bool {
        let token: TokenDigest = Sha256::digest(token).into();
        let among = |file: &Option<Reloaded<Vec<TokenDigest>>>| {
            let known = file.as_ref().map(Reloaded::get);
            let matches = known.iter().flat_map(|known| known.iter()).map(|known| known.ct_eq(&token));
            bool::from(matches.fold(Choice::from(0), |any, one| any | one))
        };
        match access {
            Access::Open => true,
            Access::Read => among(&self.read) | among(&self.write),
            Access::Write => among(&self.write),
        }
    }
}

impl Authentication {
    /// Lets a request through, or says why not.
    pub fn check(&self, access: Access, authorization: Option<&str>) -> Result<(), ApiError> {
        let Self::Token(tokens) = self else { return Ok(()) };
        if access == Access::Open {
            return Ok(());
        }
        let Some(token) = authorization.and_then(bearer) else {
            return Err(unauthorized(StatusCode::UNAUTHORIZED, "a bearer token is needed"));
        };
        if tokens.may(token, access) {
            return Ok(());
        }
        Err(if tokens.may(token, Access::Read) {
            unauthorized(StatusCode::FORBIDDEN, "this token may read, not write")
        } else {
            unauthorized(StatusCode::UNAUTHORIZED, "this bearer token is not known")
        })
    }
}

/// Returns the right that a request needs, by its method and raw path. An unknown one needs the most.
pub fn needed(method: &Method, path: &str) -> Access {
    let decides = |prefix: &str| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    match *method {
        Method::GET | Method::HEAD if matches!(path, "/health" | "/health/live" | "/health/ready") => Access::Open,
        Method::GET | Method::HEAD => Access::Read,
        Method::POST if ["/v0/data", "/v1/data", "/v1/query", "/v1/compile"].into_iter().any(decides) => Access::Read,
        Method::POST if path == "/plimsoll/v1/why" => Access::Read,
        Method::POST if path == "/" || is_check(path) => Access::Read,
        _ => Access::Write,
    }
}

/// Compiling changes nothing.
fn is_check(path: &str) -> bool {
    let name = path.strip_prefix("/plimsoll/v1/policies/").and_then(|rest| rest.strip_suffix("/check"));
    name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token.trim())
}

fn unauthorized(status: StatusCode, message: &str) -> ApiError {
    ApiError::new(status, "unauthorized", message)
}

/// Why a file of tokens is of no use.
#[derive(Debug, thiserror::Error)]
enum TokenFileError {
    #[error("a token is not UTF-8")]
    NotText,
    #[error("there is no token in it")]
    Empty,
}

fn digests(contents: &[Vec<u8>]) -> Result<Vec<TokenDigest>, TokenFileError> {
    let texts = contents.iter().map(|content| str::from_utf8(content).map_err(|_| TokenFileError::NotText));
    let texts = texts.collect::<Result<Vec<&str>, TokenFileError>>()?;
    let tokens = texts.iter().flat_map(|text| token::each(text));
    let tokens: Vec<TokenDigest> = tokens.map(|token| Sha256::digest(token).into()).collect();
    if tokens.is_empty() { Err(TokenFileError::Empty) } else { Ok(tokens) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn tokens(read: Option<&str>, write: Option<&str>) -> Authentication {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: Option<&str>| {
            text.map(|text| {
                fs::write(dir.path().join(name), text).unwrap();
                dir.path().join(name)
            })
        };
        Authentication::Token(Box::new(Tokens::load(file("r", read), file("w", write)).unwrap()))
    }

    #[test]
    fn a_reader_reads_and_a_writer_does_both() {
        let authentication = tokens(Some("reader\n"), Some("old\nnew\n"));
        let table = [
            (Access::Open, None, 200),
            (Access::Read, None, 401),
            (Access::Read, Some("Bearer reader"), 200),
            (Access::Read, Some("bearer new"), 200),
            (Access::Read, Some("Bearer other"), 401),
            (Access::Read, Some("Basic reader"), 401),
            (Access::Read, Some("Bearer "), 401),
            (Access::Write, Some("Bearer reader"), 403),
            (Access::Write, Some("Bearer old"), 200),
            (Access::Write, Some("Bearer new"), 200),
            (Access::Write, Some("Bearer"), 401),
        ];
        for (access, header, status) in table {
            let found = authentication.check(access, header).map_or_else(|error| error.status.as_u16(), |()| 200);
            assert_eq!(found, status, "{access:?} {header:?}");
        }
    }

    #[test]
    fn without_a_file_nobody_has_that_access() {
        assert!(tokens(Some("r"), None).check(Access::Write, Some("Bearer r")).is_err());
        assert!(tokens(None, Some("w")).check(Access::Read, Some("Bearer w")).is_ok());
        assert!(tokens(None, Some("w")).check(Access::Read, None).is_err());
    }

    #[test]
    fn an_empty_token_file_is_refused() {
        assert!(matches!(digests(&[b" \n\n".to_vec()]), Err(TokenFileError::Empty)));
    }

    #[test]
    fn what_is_not_known_to_read_needs_the_most() {
        let table = [
            (Method::GET, "/health/ready", Access::Open),
            (Method::GET, "/health/other", Access::Read),
            (Method::GET, "/metrics", Access::Read),
            (Method::GET, "/v1/data/a", Access::Read),
            (Method::POST, "/v1/data", Access::Read),
            (Method::POST, "/v0/data/a/b", Access::Read),
            (Method::POST, "/", Access::Read),
            (Method::POST, "/v1/query", Access::Read),
            (Method::PUT, "/v1/policies/a", Access::Write),
            (Method::POST, "/v1/database", Access::Write),
            (Method::POST, "/v1/%64ata", Access::Write),
            (Method::PUT, "/v1/data/a", Access::Write),
            (Method::PATCH, "/v1/data", Access::Write),
            (Method::DELETE, "/v1/data/a", Access::Write),
            (Method::POST, "/plimsoll/v1/sources/s/sync", Access::Write),
            (Method::PUT, "/plimsoll/v1/policies/s", Access::Write),
            (Method::POST, "/plimsoll/v1/policies/s/check", Access::Read),
            (Method::PUT, "/plimsoll/v1/policies/s/check", Access::Write),
            (Method::POST, "/plimsoll/v1/policies/s/x/check", Access::Write),
            (Method::POST, "/plimsoll/v1/policies//check", Access::Write),
            (Method::OPTIONS, "/", Access::Write),
        ];
        for (method, path, expected) in table {
            assert_eq!(needed(&method, path), expected, "{method} {path}");
        }
    }
}
