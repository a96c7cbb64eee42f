//! Tokens of ServiceAccounts: signed claims (JWT, ES256 alone), bound to the account and on request to one more object.
//! Source: `kubernetes` `pkg/serviceaccount/{jwt,claims}.go`; RFC 7515 and 7519 for the form.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::User;
use super::certificate::CREDENTIAL_ID;

/// Who issues the tokens, and the audience that this server is.
pub const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";
/// The only signature that is made, and the only one that is read: a token cannot choose a weaker one.
const ALGORITHM: &str = "ES256";
/// Longer is no token.
const MAX_LENGTH: usize = 16 << 10;
/// How far the clocks of issuer and reader may be apart: both are this server, or its own restart.
const LEEWAY_SECONDS: i64 = 60;

/// Signs and verifies tokens. Its key is neither printed nor logged.
pub struct TokenKey {
    pair: EcdsaKeyPair,
    id: String,
}

/// What a token says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// For whom; one must be ours.
    pub aud: Vec<String>,
    /// Seconds since 1970.
    pub exp: i64,
    /// Seconds since 1970.
    pub iat: i64,
    /// By whom.
    pub iss: String,
    /// Its own id.
    pub jti: String,
    /// Whose it is.
    #[serde(rename = "kubernetes.io")]
    pub binding: Binding,
    /// Seconds since 1970.
    pub nbf: i64,
    /// The user name.
    pub sub: String,
}

/// Which objects must still be there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// Of all of them.
    pub namespace: String,
    /// Bound to a pod too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<Reference>,
    /// Bound to a secret too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Reference>,
    /// The account.
    pub serviceaccount: Reference,
}

/// One object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Its name.
    pub name: String,
    /// Its uid; another object of the same name is another object.
    pub uid: String,
}

/// Why a token is none, or could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The key is no ECDSA key on P-256.
    #[error("the key for ServiceAccount tokens is not usable: {0}")]
    Key(String),
    /// The random source failed.
    #[error("cannot sign a ServiceAccount token")]
    Sign,
    /// Not three parts of base64, not JSON, too long.
    #[error("the token is malformed")]
    Malformed,
    /// Signed by somebody else, or in another way, or changed.
    #[error("the token's signature is not ours")]
    Signature,
    /// Too old.
    #[error("service account token has expired")]
    Expired,
    /// Too young.
    #[error("service account token is not valid yet")]
    Early,
    /// For another audience or by another issuer.
    #[error("the token is for the audiences {found:?}, not for any of {expected:?}")]
    Audience {
        /// The token's.
        found: Vec<String>,
        /// Ours.
        expected: Vec<String>,
    },
    /// The account, or the other bound object, is gone or another one.
    #[error("service account token has been invalidated: {0} is gone")]
    Gone(String),
}

#[derive(Serialize, Deserialize)]
struct Header {
    alg: String,
    #[serde(default)]
    kid: String,
}

impl TokenKey {
    /// From a private key in PKCS#8.
    pub fn from_pkcs8(der: &[u8]) -> Result<Self, TokenError> {
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &SystemRandom::new())
            .map_err(|why| TokenError::Key(why.to_string()))?;
        let id = BASE64.encode(Sha256::digest(pair.public_key().as_ref()));
        Ok(Self { pair, id })
    }

    /// A token with these claims.
    pub fn sign(&self, claims: &Claims) -> Result<String, TokenError> {
        let header = Header { alg: ALGORITHM.into(), kid: self.id.clone() };
        let signed = format!("{}.{}", encode(&header)?, encode(claims)?);
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).map_err(|_| TokenError::Sign)?;
        Ok(format!("{signed}.{}", BASE64.encode(signature)))
    }

    /// The claims of a token that this key signed for one of `audiences`, at `now` (seconds since 1970).
    pub fn verify(&self, token: &str, audiences: &[String], now: i64) -> Result<Claims, TokenError> {
        let claims = self.signed(token)?;
        if claims.exp < now.saturating_sub(LEEWAY_SECONDS) {
            return Err(TokenError::Expired);
        }
        if claims.nbf > now.saturating_add(LEEWAY_SECONDS) || claims.iat > now.saturating_add(LEEWAY_SECONDS) {
            return Err(TokenError::Early);
        }
        if claims.iss != ISSUER || !claims.aud.iter().any(|audience| audiences.contains(audience)) {
            return Err(TokenError::Audience { found: claims.aud, expected: audiences.to_vec() });
        }
        Ok(claims)
    }

    fn signed(&self, token: &str) -> Result<Claims, TokenError> {
        if token.len() > MAX_LENGTH {
            return Err(TokenError::Malformed);
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
        let (header, claims) = signed.split_once('.').ok_or(TokenError::Malformed)?;
        let header: Header = decode(header)?;
        if header.alg != ALGORITHM || header.kid != self.id {
            return Err(TokenError::Signature);
        }
        let signature = BASE64.decode(signature).map_err(|_| TokenError::Malformed)?;
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, self.pair.public_key().as_ref())
            .verify(signed.as_bytes(), &signature)
            .map_err(|_| TokenError::Signature)?;
        decode(claims)
    }
}

impl Claims {
    /// Whose token it is, if all objects that it is bound to are still there: `uid_of` tells the uid of a live object by
    /// collection, namespace and name.
    pub fn user(&self, uid_of: impl Fn(&str, &str, &str) -> Option<String>) -> Result<User, TokenError> {
        let Binding { namespace, pod, secret, serviceaccount } = &self.binding;
        let bound =
            [("core/serviceaccounts", Some(serviceaccount)), ("core/pods", pod.as_ref()), ("core/secrets", secret.as_ref())];
        for (collection, reference) in bound {
            let Some(reference) = reference else { continue };
            if uid_of(collection, namespace, &reference.name).as_ref() != Some(&reference.uid) {
                return Err(TokenError::Gone(format!("{collection} {namespace}/{}", reference.name)));
            }
        }
        let mut user = User::service_account(namespace, &serviceaccount.name, &serviceaccount.uid);
        user.extra.insert(CREDENTIAL_ID.into(), vec![format!("JTI={}", self.jti)]);
        if let Some(pod) = pod {
            user.extra.insert("authentication.kubernetes.io/pod-name".into(), vec![pod.name.clone()]);
            user.extra.insert("authentication.kubernetes.io/pod-uid".into(), vec![pod.uid.clone()]);
        }
        Ok(user)
    }
}

fn encode(part: &impl Serialize) -> Result<String, TokenError> {
    serde_json::to_vec(part).map(|json| BASE64.encode(json)).map_err(|_| TokenError::Malformed)
}

fn decode<T: for<'de> Deserialize<'de>>(part: &str) -> Result<T, TokenError> {
    let json = BASE64.decode(part).map_err(|_| TokenError::Malformed)?;
    serde_json::from_slice(&json).map_err(|_| TokenError::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn key() -> TokenKey {
        let der = rcgen::KeyPair::generate().unwrap().serialize_der();
        TokenKey::from_pkcs8(&der).unwrap()
    }

    fn claims() -> Claims {
        let serviceaccount = Reference { name: "robot".into(), uid: "7".into() };
        Claims {
            aud: vec![ISSUER.into()],
            exp: NOW + 3600,
            iat: NOW,
            iss: ISSUER.into(),
            jti: "id".into(),
            binding: Binding { namespace: "ns".into(), serviceaccount, ..Binding::default() },
            nbf: NOW,
            sub: "system:serviceaccount:ns:robot".into(),
        }
    }

    #[test]
    fn a_token_is_valid_for_its_time_and_audience() {
        let key = key();
        let ours = [ISSUER.to_owned()];
        let token = key.sign(&claims()).unwrap();
        assert_eq!(key.verify(&token, &ours, NOW), Ok(claims()));
        let theirs = ["vault".to_owned()];
        let cases = [
            (key.verify(&token, &ours, NOW + 3600 + LEEWAY_SECONDS + 1), "service account token has expired"),
            (key.verify(&token, &ours, NOW - LEEWAY_SECONDS - 1), "service account token is not valid yet"),
            (key.verify(&token, &theirs, NOW), "the token is for the audiences"),
        ];
        for (result, expected) in cases {
            let message = result.unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}");
        }
    }

    #[test]
    fn another_key_another_algorithm_or_a_changed_claim_is_refused() {
        let key = key();
        let audience = [ISSUER.to_owned()];
        let token = key.sign(&claims()).unwrap();
        let parts: Vec<&str> = token.split('.').collect();
        let none = encode(&Header { alg: "none".into(), kid: key.id.clone() }).unwrap();
        let forged = Claims { sub: "system:serviceaccount:kube-system:root".into(), ..claims() };
        let cases = [
            (super::tests::key().sign(&claims()).unwrap(), TokenError::Signature),
            (format!("{none}.{}.", parts[1]), TokenError::Signature),
            (format!("{none}.{}.{}", parts[1], parts[2]), TokenError::Signature),
            (format!("{}.{}.{}", parts[0], encode(&forged).unwrap(), parts[2]), TokenError::Signature),
            (format!("{}.{}.", parts[0], parts[1]), TokenError::Signature),
            (String::new(), TokenError::Malformed),
            ("a.b".into(), TokenError::Malformed),
            ("a.b.c".into(), TokenError::Malformed),
            ("x".repeat(MAX_LENGTH + 1), TokenError::Malformed),
        ];
        for (token, expected) in cases {
            assert_eq!(key.verify(&token, &audience, NOW), Err(expected), "{token}");
        }
    }

    #[test]
    fn a_token_dies_with_what_it_is_bound_to() {
        let mut claims = claims();
        claims.binding.pod = Some(Reference { name: "web".into(), uid: "8".into() });
        let live = |pod: &'static str| {
            move |collection: &str, namespace: &str, name: &str| match (collection, namespace, name) {
                ("core/serviceaccounts", "ns", "robot") => Some("7".to_owned()),
                ("core/pods", "ns", "web") => Some(pod.to_owned()),
                _ => None,
            }
        };
        let user = claims.user(live("8")).unwrap();
        assert_eq!((user.name.as_str(), user.uid.as_str()), ("system:serviceaccount:ns:robot", "7"));
        assert_eq!(user.extra["authentication.kubernetes.io/pod-name"], ["web"]);
        assert_eq!(claims.user(live("9")), Err(TokenError::Gone("core/pods ns/web".into())));
        assert!(claims.user(|_, _, _| None).is_err());
    }
}
