//! Who may use the API listener. An engine that other machines can reach does not start without an explicit answer.

use super::args::{Access, Authorization, Listeners, Scheme};
use crate::server::address::Address;
use crate::server::auth::{Authentication, Tokens};
use crate::server::reload::LoadError;

/// Options about access that contradict each other, or leave something out.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The listener can be reached by other machines, and nothing limits who may use it.
    #[error(
        "--addr {0} is reachable from other machines and whoever reaches it could write policies and state: \
         give --write-token-file (and --read-token-file), --authentication=tls or --authorization=basic, or say --authentication=off"
    )]
    Open(Address),
    /// Callers are to be known by tokens, and there are none.
    #[error("--authentication=token needs --read-token-file or --write-token-file, or --authorization=basic")]
    NoToken,
    /// Callers are to be known by certificates, and no authorities are given.
    #[error("--authentication=tls needs --tls-cert-file, --tls-private-key-file and --tls-ca-cert-file")]
    NoAuthorities,
    /// Authorities of client certificates are given, and callers are not known by certificates.
    #[error("--tls-ca-cert-file without --authentication=tls lets everybody in: say --authentication=tls, or leave it out")]
    UnusedAuthorities,
    /// Tokens are given, and callers are not known by tokens.
    #[error("--authentication=off or tls and a token file contradict each other: leave one out")]
    Contradiction,
    /// A token file cannot be used.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Returns how callers of the API listener are known, as all options together say. Fails when they contradict each other, or would open
/// the listener to other machines without saying so.
pub fn authentication(access: Access, listeners: &Listeners) -> Result<Authentication, AccessError> {
    let Access { authentication, authorization, read_token_file, write_token_file } = access;
    let tokens = read_token_file.is_some() || write_token_file.is_some();
    let judged = authorization == Authorization::Basic;
    let authorities = listeners.tls_ca_cert_file.is_some();
    if authorities && authentication != Some(Scheme::Tls) {
        return Err(AccessError::UnusedAuthorities);
    }
    let open = listeners.addr.iter().find(|addr| !addr.is_local());
    match (authentication, tokens) {
        (Some(Scheme::Off | Scheme::Tls), true) => Err(AccessError::Contradiction),
        (Some(Scheme::Off), false) => Ok(Authentication::Off),
        (Some(Scheme::Tls), false) if authorities => Ok(Authentication::Certificate),
        (Some(Scheme::Tls), false) => Err(AccessError::NoAuthorities),
        (Some(Scheme::Token), false) if judged => Ok(Authentication::Policy),
        (Some(Scheme::Token), false) => Err(AccessError::NoToken),
        (None, false) => match open {
            Some(open) if !judged => Err(AccessError::Open(open.clone())),
            _ => Ok(Authentication::Off),
        },
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
    use clap::Parser;

    use super::super::Args;
    use super::*;

    #[derive(clap::Parser)]
    struct Command {
        #[command(flatten)]
        args: Args,
    }

    fn found(args: &[&str], authentication: Option<Scheme>) -> String {
        let Args { listeners, access, .. } = Command::try_parse_from(args).unwrap().args;
        match super::authentication(Access { authentication, ..access }, &listeners) {
            Ok(Authentication::Off) => "off".to_owned(),
            Ok(Authentication::Token(_)) => "token".to_owned(),
            Ok(Authentication::Policy) => "policy".to_owned(),
            Ok(Authentication::Certificate) => "certificate".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn certificates_and_policies_are_ways_in() {
        let (open, tls) = ("--addr=0.0.0.0:0", ["--tls-cert-file=c", "--tls-private-key-file=k"]);
        let table: [(&[&str], Option<Scheme>, &str); 6] = [
            (&["", open, tls[0], tls[1], "--tls-ca-cert-file=a"], Some(Scheme::Tls), "certificate"),
            (&["", open, tls[0], tls[1]], Some(Scheme::Tls), "needs"),
            (&["", open, tls[0], tls[1], "--tls-ca-cert-file=a"], None, "lets everybody in"),
            (&["", open, "--authorization=basic"], None, "off"),
            (&["", open, "--authorization=basic"], Some(Scheme::Token), "policy"),
            (&["", open, "--authorization=off"], Some(Scheme::Token), "needs"),
        ];
        for (args, authentication, expected) in table {
            let found = found(args, authentication);
            assert!(found.contains(expected), "{args:?}: {found}");
        }
    }

    #[test]
    fn beyond_loopback_nobody_is_let_in_by_accident() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("t");
        std::fs::write(&file, "secret").unwrap();
        let (local, open) = ("127.0.0.1:0", "0.0.0.0:0");
        let table = [
            ("unix:///run/p.sock", None, false, "off"),
            (local, Some(Scheme::Tls), false, "--authentication=tls needs"),
            (local, Some(Scheme::Tls), true, "contradict"),
            (local, None, false, "off"),
            (local, Some(Scheme::Token), false, "--authentication=token needs"),
            (local, Some(Scheme::Off), true, "contradict"),
            (local, None, true, "token"),
            ("[::1]:0", None, false, "off"),
            (open, None, false, "--authentication=off"),
            (open, Some(Scheme::Off), false, "off"),
            (open, None, true, "token"),
            (open, Some(Scheme::Token), true, "token"),
            ("127.0.0.1:0,unix:///run/p.sock", None, false, "off"),
            ("unix:///run/p.sock,0.0.0.0:0", None, false, "--addr 0.0.0.0:0"),
        ];
        for (addr, authentication, tokens, expected) in table {
            let mut args = vec!["serve", "--addr", addr];
            args.extend(tokens.then_some(["--write-token-file", file.to_str().unwrap()]).into_iter().flatten());
            let found = found(&args, authentication);
            assert!(found.contains(expected), "{addr} {authentication:?} {tokens}: {found}");
        }
    }
}
