//! Who is calling: by client certificate, static token or ServiceAccount token; the first that names somebody counts.

use std::sync::Arc;

use time::OffsetDateTime;

use super::service_account::{Claims, ISSUER, TokenError, TokenKey};
use super::token_file::StaticTokens;
use super::{User, certificate};
use crate::status::Status;
use crate::storage::{Key, Store};

/// Paths that tell nothing about anybody and need no credentials. Below `readyz` and its like, checks of their own.
const OPEN: [&str; 4] = ["/healthz", "/livez", "/readyz", "/version"];

/// Who may come without credentials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anonymous {
    /// Only to learn health and version.
    #[default]
    HealthOnly,
    /// Everybody; what they may do is the authorizer's business.
    Everywhere,
}

/// Knows credentials.
pub struct Authenticator {
    tokens: StaticTokens,
    accounts: Option<Accounts>,
    anonymous: Anonymous,
}

struct Accounts {
    key: Arc<TokenKey>,
    store: Store,
}

/// The result of looking at a token: whose, and for which of the audiences asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Whose it is.
    pub user: User,
    /// For whom.
    pub audiences: Vec<String>,
}

impl Authenticator {
    /// With static tokens alone.
    pub fn new(tokens: StaticTokens) -> Self {
        Self { tokens, accounts: None, anonymous: Anonymous::default() }
    }

    /// With ServiceAccount tokens, as long as the accounts are in the store.
    pub fn with_accounts(mut self, key: Arc<TokenKey>, store: Store) -> Self {
        self.accounts = Some(Accounts { key, store });
        self
    }

    /// With or without callers who do not say who they are.
    pub fn with_anonymous(mut self, anonymous: Anonymous) -> Self {
        self.anonymous = anonymous;
        self
    }

    /// Who calls `path`, with the token of the `Authorization` header and the client certificate (DER, its chain verified).
    /// Credentials that name nobody are refused even where none are needed.
    pub fn authenticate(&self, path: &str, bearer: Option<&str>, certificate: Option<&[u8]>) -> Result<User, Status> {
        match certificate.map(certificate::user) {
            Some(Ok(user)) => return Ok(user),
            Some(Err(error)) if bearer.is_none() => return Err(refused(&error)),
            Some(Err(error)) => tracing::debug!(%error, "the client certificate names nobody, its token may"),
            None => (),
        }
        match bearer {
            Some(token) => self.token(token, &[ISSUER.to_owned()]).map(|known| known.user).map_err(|error| refused(&error)),
            None if self.anonymous == Anonymous::Everywhere || is_open(path) => Ok(User::anonymous()),
            None => Err(Status::unauthorized()),
        }
    }

    /// Whose token it is, if it is for one of `audiences`; static tokens are for this server.
    pub fn token(&self, token: &str, audiences: &[String]) -> Result<Known, TokenError> {
        if let Some(user) = self.tokens.find(token) {
            return match audiences.iter().any(|audience| audience == ISSUER) {
                true => Ok(Known { user: user.clone(), audiences: vec![ISSUER.into()] }),
                false => Err(TokenError::Audience { found: vec![ISSUER.into()], expected: audiences.to_vec() }),
            };
        }
        let accounts = self.accounts.as_ref().ok_or(TokenError::Malformed)?;
        let claims = accounts.key.verify(token, audiences, OffsetDateTime::now_utc().unix_timestamp())?;
        let user = accounts.user(&claims)?;
        let audiences = claims.aud.into_iter().filter(|audience| audiences.contains(audience)).collect();
        Ok(Known { user, audiences })
    }

    /// The key that signs ServiceAccount tokens.
    pub fn token_key(&self) -> Option<&TokenKey> {
        self.accounts.as_ref().map(|accounts| &*accounts.key)
    }
}

impl Accounts {
    fn user(&self, claims: &Claims) -> Result<User, TokenError> {
        let snapshot = self.store.snapshot();
        claims.user(|collection, namespace, name| {
            let key = Key { collection: collection.into(), namespace: namespace.into(), name: name.into() };
            uid(&snapshot.get(&key).filter(|record| !record.uninitialized)?.value)
        })
    }
}

/// The uid of a stored object.
pub(crate) fn uid(object: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Object {
        metadata: Metadata,
    }
    #[derive(serde::Deserialize)]
    struct Metadata {
        uid: String,
    }
    serde_json::from_slice::<Object>(object).ok().map(|object| object.metadata.uid)
}

fn is_open(path: &str) -> bool {
    let path = path.strip_suffix('/').unwrap_or(path);
    OPEN.contains(&path)
}

/// The caller learns no more than that; the log says why.
fn refused(error: &(impl std::error::Error + 'static)) -> Status {
    tracing::debug!(error = error as &(dyn std::error::Error + 'static), "unable to authenticate the request");
    Status::unauthorized()
}

impl std::fmt::Debug for Authenticator {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Authenticator").field("anonymous", &self.anonymous).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::authn::service_account::{Binding, Reference};
    use crate::storage::{Change, Expect, HistoryLimits, Options, Write};

    fn with_token() -> Authenticator {
        Authenticator::new(StaticTokens::parse("secret,alice,1,dev").unwrap())
    }

    #[test]
    fn who_calls_is_found_or_refused() {
        let off = with_token();
        let on = with_token().with_anonymous(Anonymous::Everywhere);
        let cases = [
            (&off, "/api", Some("secret"), Some("alice")),
            (&off, "/healthz", Some("secret"), Some("alice")),
            (&off, "/healthz", Some("wrong"), None),
            (&off, "/healthz", None, Some("system:anonymous")),
            (&off, "/version/", None, Some("system:anonymous")),
            (&off, "/readyz/ping", None, None),
            (&off, "/healthz2", None, None),
            (&off, "/metrics", None, None),
            (&off, "/api/v1/pods", None, None),
            (&off, "/api", Some(""), None),
            (&on, "/api/v1/pods", None, Some("system:anonymous")),
            (&on, "/api/v1/pods", Some("wrong"), None),
        ];
        for (authenticator, path, bearer, expected) in cases {
            let found = authenticator.authenticate(path, bearer, None);
            let name = found.as_ref().ok().map(|user| user.name.as_str());
            assert_eq!(name, expected, "{path} {bearer:?}");
            assert!(found.is_ok() || found == Err(Status::unauthorized()));
        }
    }

    #[test]
    fn a_certificate_that_names_nobody_leaves_the_token() {
        let authenticator = with_token();
        let found = authenticator.authenticate("/api", Some("secret"), Some(b"no certificate"));
        assert_eq!(found.unwrap().name, "alice");
        assert_eq!(authenticator.authenticate("/healthz", None, Some(b"no certificate")), Err(Status::unauthorized()));
    }

    #[tokio::test]
    async fn an_account_is_known_as_long_as_it_is_there() {
        let store = Store::open(Options { path: None, fsync: false, history: HistoryLimits::default() }).unwrap();
        let key = TokenKey::from_pkcs8(&rcgen::KeyPair::generate().unwrap().serialize_der()).unwrap();
        let now = OffsetDateTime::now_utc().unix_timestamp();
        let serviceaccount = Reference { name: "robot".into(), uid: "7".into() };
        let claims = Claims {
            aud: vec![ISSUER.into(), "vault".into()],
            exp: now + 600,
            iat: now,
            iss: ISSUER.into(),
            jti: "j".into(),
            binding: Binding { namespace: "ns".into(), serviceaccount, ..Binding::default() },
            nbf: now,
            sub: "system:serviceaccount:ns:robot".into(),
        };
        let token = key.sign(&claims).unwrap();
        let authenticator = with_token().with_accounts(Arc::new(key), store.clone());
        let name = |token: &str| authenticator.authenticate("/api", Some(token), None).ok().map(|user| user.name);
        assert_eq!(name(&token), None, "the account is not there yet");
        let place = Key { collection: "core/serviceaccounts".into(), namespace: "ns".into(), name: "robot".into() };
        let put = |uid: &str| Change::Put(json!({"metadata": {"name": "robot", "namespace": "ns", "uid": uid}}));
        let first = store.write(Write { key: place.clone(), expect: Expect::Absent, change: put("7") }).await.unwrap();
        assert_eq!(name(&token).as_deref(), Some("system:serviceaccount:ns:robot"));
        assert_eq!(authenticator.token(&token, &["vault".into()]).unwrap().audiences, ["vault"]);
        assert!(authenticator.token("secret", &["vault".into()]).is_err());
        let again = Write { key: place, expect: Expect::Revision(first.revision), change: put("8") };
        store.write(again).await.unwrap();
        assert_eq!(name(&token), None, "another account of the same name");
        store.close();
    }
}
