//! Who may use the API listener: beyond loopback nobody is let in by accident.

use std::net::SocketAddr;

use super::args::{Access, Scheme};
use crate::server::auth::{Authentication, Tokens};
use crate::server::reload::LoadError;

/// Options that do not go together.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The listener would be open to the network.
    #[error(
        "--addr {0} is reachable from other machines and whoever reaches it could write policies and state: \
         give --write-token-file (and --read-token-file), or say --authentication=off"
    )]
    Open(SocketAddr),
    /// Token, but which?
    #[error("--authentication=token needs --read-token-file or --write-token-file")]
    NoToken,
    /// Two switches for one thing.
    #[error("--authentication=off and a token file contradict each other: leave one out")]
    Contradiction,
    /// A token file.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// What the options say, taken together.
pub fn authentication(access: Access, addr: SocketAddr) -> Result<Authentication, AccessError> {
    let Access { authentication, read_token_file, write_token_file } = access;
    let tokens = read_token_file.is_some() || write_token_file.is_some();
    match (authentication, tokens) {
        (Some(Scheme::Off), true) => Err(AccessError::Contradiction),
        (Some(Scheme::Off), false) => Ok(Authentication::Off),
        (Some(Scheme::Token), false) => Err(AccessError::NoToken),
        (None, false) if addr.ip().is_loopback() => Ok(Authentication::Off),
        (None, false) => Err(AccessError::Open(addr)),
        (Some(Scheme::Token) | None, true) => {
            if write_token_file.is_none() {
                tracing::warn!("no --write-token-file: nobody may write data, sources or policies through the API");
            }
            Ok(Authentication::Token(Box::new(Tokens::load(read_token_file, write_token_file)?)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_loopback_nobody_is_let_in_by_accident() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("t");
        std::fs::write(&file, "secret").unwrap();
        let (local, open) = ("127.0.0.1:0", "0.0.0.0:0");
        let table = [
            (local, None, false, "off"),
            (local, Some(Scheme::Token), false, "--authentication=token needs"),
            (local, Some(Scheme::Off), true, "contradict"),
            (local, None, true, "token"),
            ("[::1]:0", None, false, "off"),
            (open, None, false, "--authentication=off"),
            (open, Some(Scheme::Off), false, "off"),
            (open, None, true, "token"),
            (open, Some(Scheme::Token), true, "token"),
        ];
        for (addr, authentication, tokens, expected) in table {
            let access = Access { authentication, read_token_file: None, write_token_file: tokens.then(|| file.clone()) };
            let found = match super::authentication(access, addr.parse().unwrap()) {
                Ok(Authentication::Off) => "off".to_owned(),
                Ok(Authentication::Token(_)) => "token".to_owned(),
                Err(error) => error.to_string(),
            };
            assert!(found.contains(expected), "{addr} {authentication:?} {tokens}: {found}");
        }
    }
}
