//! A caller from its client certificate: common name and organizations of the subject. The chain has been verified by
//! rustls during the handshake. Source: `apiserver` `pkg/authentication/request/x509`.

use sha2::{Digest as _, Sha256};
use x509_parser::certificate::X509Certificate;
use x509_parser::oid_registry::{Oid, asn1_rs::oid};
use x509_parser::parse_x509_certificate;

use super::User;

/// Where Kubernetes puts the uid of a user into a subject.
const UID: Oid<'static> = oid!(1.3.6.1.4.1.57683.2);
/// Under which a credential's id is told.
pub(super) const CREDENTIAL_ID: &str = "authentication.kubernetes.io/credential-id";

/// A client certificate that names nobody.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// It is no certificate.
    #[error("the client certificate cannot be read: {0}")]
    Unreadable(String),
    /// It has expired since the handshake, or is not valid yet.
    #[error("the client certificate is not valid now; get a new one")]
    Expired,
    /// It is for something else, such as a server.
    #[error("the client certificate is not for client authentication; its extended key usage must hold clientAuth")]
    Usage,
    /// It has no name.
    #[error("the client certificate has no common name, which would be the user name")]
    Nameless,
}

/// Who a verified client certificate names.
pub fn user(der: &[u8]) -> Result<User, CertificateError> {
    let (_, certificate) = parse_x509_certificate(der).map_err(|why| CertificateError::Unreadable(why.to_string()))?;
    if !certificate.validity().is_valid() {
        return Err(CertificateError::Expired);
    }
    if !for_clients(&certificate)? {
        return Err(CertificateError::Usage);
    }
    let subject = certificate.subject();
    let name = subject.iter_common_name().find_map(|name| name.as_str().ok()).unwrap_or_default();
    if name.is_empty() {
        return Err(CertificateError::Nameless);
    }
    let groups = subject.iter_organization().filter_map(|group| group.as_str().ok()).map(str::to_owned).collect();
    let uid = subject.iter_by_oid(&UID).find_map(|uid| uid.as_str().ok()).unwrap_or_default();
    let mut user = User::authenticated(name, uid, groups);
    user.extra.insert(CREDENTIAL_ID.into(), vec![format!("X509SHA256={}", hex(&Sha256::digest(der)))]);
    Ok(user)
}

/// Without the extension a certificate may be used for anything, as in RFC 5280 and upstream.
fn for_clients(certificate: &X509Certificate<'_>) -> Result<bool, CertificateError> {
    let usage = certificate.extended_key_usage().map_err(|why| CertificateError::Unreadable(why.to_string()))?;
    Ok(usage.is_none_or(|usage| usage.value.any || usage.value.client_auth))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, KeyPair, date_time_ymd};

    use super::*;

    fn certificate(change: impl FnOnce(&mut CertificateParams)) -> Vec<u8> {
        let mut params = CertificateParams::default();
        let mut subject = DistinguishedName::new();
        subject.push(DnType::CommonName, "alice");
        subject.push(DnType::OrganizationName, "dev");
        params.distinguished_name = subject;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        change(&mut params);
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn the_subject_is_the_user() {
        let user = user(&certificate(|_| ())).unwrap();
        assert_eq!((user.name.as_str(), user.uid.as_str()), ("alice", ""));
        assert_eq!(user.groups, ["dev", "system:authenticated"]);
        assert!(user.extra[CREDENTIAL_ID][0].starts_with("X509SHA256="));
    }

    #[test]
    fn a_certificate_for_something_else_names_nobody() {
        use ExtendedKeyUsagePurpose as Purpose;
        type Change = fn(&mut CertificateParams);
        let cases: [(Change, Option<CertificateError>); 5] = [
            (|made| made.extended_key_usages = vec![Purpose::ServerAuth], Some(CertificateError::Usage)),
            (|made| made.extended_key_usages = vec![], None),
            (|made| made.extended_key_usages = vec![Purpose::Any], None),
            (|made| made.not_after = date_time_ymd(2001, 1, 1), Some(CertificateError::Expired)),
            (|made| made.distinguished_name = DistinguishedName::new(), Some(CertificateError::Nameless)),
        ];
        for (change, expected) in cases {
            assert_eq!(user(&certificate(change)).err(), expected);
        }
        assert!(matches!(user(b"no certificate"), Err(CertificateError::Unreadable(_))));
    }
}
