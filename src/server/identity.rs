//! Who calls, for policies to judge: the bearer token as it was sent, or the subject of the client's certificate.
//! Source: OPA `v1/server/identifier`.

use std::any::Any;

use actix_tls::accept::rustls_0_23::TlsStream;
use actix_web::dev::Extensions;
use actix_web::rt::net::TcpStream;
use rustls::pki_types::CertificateDer;
use x509_parser::parse_x509_certificate;
use x509_parser::x509::X509Name;

use crate::rego::{CertificateError, Value};

/// The certificates that a connection was made with, the client's own first.
#[derive(Clone, Debug, Default)]
pub struct Peer {
    certificates: Vec<CertificateDer<'static>>,
}

/// Keeps what the handshake verified, for every request of the connection.
pub fn remember_peer(stream: &dyn Any, connection: &mut Extensions) {
    let Some(stream) = stream.downcast_ref::<TlsStream<TcpStream>>() else { return };
    let shown = stream.get_ref().1.peer_certificates().unwrap_or_default();
    connection.insert(Peer { certificates: shown.iter().map(|der| der.clone().into_owned()).collect() });
}

impl Peer {
    /// The subject of the client's certificate.
    pub fn identity(&self) -> Option<String> {
        let (_, certificate) = parse_x509_certificate(self.certificates.first()?).ok()?;
        Some(distinguished_name(certificate.subject()))
    }

    /// Returns what policies are told of the certificates, which is what Go's are marshalled to; `None` without any. Fails where one
    /// cannot be read.
    pub fn certificates(&self) -> Result<Option<Value>, CertificateError> {
        match self.certificates.as_slice() {
            [] => Ok(None),
            all => Value::certificates(all.iter().map(AsRef::as_ref)).map(Some),
        }
    }
}

/// Attribute types in the order in which Go writes a name, the reverse of that of `pkix.Name.ToRDNSequence`; of the first two
/// only the last value counts.
const ATTRIBUTES: [(&str, &str, bool); 9] = [
    ("2.5.4.5", "SERIALNUMBER", true),
    ("2.5.4.3", "CN", true),
    ("2.5.4.11", "OU", false),
    ("2.5.4.10", "O", false),
    ("2.5.4.17", "POSTALCODE", false),
    ("2.5.4.9", "STREET", false),
    ("2.5.4.7", "L", false),
    ("2.5.4.8", "ST", false),
    ("2.5.4.6", "C", false),
];

/// `CN=my-client,OU=a+OU=b,O=Torchwood`, as Go's `pkix.RDNSequence` writes it.
fn distinguished_name(name: &X509Name<'_>) -> String {
    let one = |(oid, label, single): &(&str, &str, bool)| {
        let attributes = name.iter_attributes().filter(|attribute| attribute.attr_type().to_id_string() == *oid);
        let mut values: Vec<_> = attributes.filter_map(|attribute| attribute.as_str().ok()).collect();
        if *single {
            values = values.last().copied().filter(|value| !value.is_empty()).into_iter().collect();
        }
        let values: Vec<_> = values.iter().map(|value| format!("{label}={}", escaped(value))).collect();
        (!values.is_empty()).then(|| values.join("+"))
    };
    ATTRIBUTES.iter().filter_map(one).collect::<Vec<_>>().join(",")
}

/// RFC 2253, section 2.4.
fn escaped(value: &str) -> String {
    let last = value.chars().count().saturating_sub(1);
    let escape = |(index, c): (usize, char)| {
        let special = matches!(c, ',' | '+' | '"' | '\\' | '<' | '>' | ';');
        let edge = (c == ' ' && (index == 0 || index == last)) || (c == '#' && index == 0);
        if special || edge { format!("\\{c}") } else { c.to_string() }
    };
    value.chars().enumerate().map(escape).collect()
}

/// The token of an `Authorization` header, as OPA takes it: `Bearer`, in this case, blanks, and no blank in it.
pub fn bearer(header: &str) -> Option<&str> {
    let token = header.strip_prefix("Bearer").filter(|rest| rest.starts_with(char::is_whitespace))?.trim_start();
    (!token.is_empty() && !token.contains(char::is_whitespace)).then_some(token)
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, SanType, SerialNumber};
    use serde_json::{Value as Json, json};

    use super::*;

    fn peer(parts: &[(DnType, &str)]) -> Peer {
        numbered(parts, &[1, 0])
    }

    fn numbered(parts: &[(DnType, &str)], serial: &[u8]) -> Peer {
        let mut params = CertificateParams::new(vec!["client.example".to_owned()]).unwrap();
        params.subject_alt_names.push(SanType::URI("spiffe://a/b".try_into().unwrap()));
        params.distinguished_name = DistinguishedName::new();
        params.serial_number = Some(SerialNumber::from_slice(serial));
        parts.iter().for_each(|(kind, value)| params.distinguished_name.push(kind.clone(), *value));
        let certificate = params.self_signed(&KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap()).unwrap();
        Peer { certificates: vec![certificate.der().clone()] }
    }

    #[test]
    fn names_are_written_as_go_writes_them() {
        let table: [(&[(DnType, &str)], &str); 4] = [
            (&[(DnType::CommonName, "my-client")], "CN=my-client"),
            (
                &[(DnType::OrganizationName, "Torchwood"), (DnType::OrganizationalUnitName, "opa-client-01")],
                "OU=opa-client-01,O=Torchwood",
            ),
            (
                &[
                    (DnType::CountryName, "DE"),
                    (DnType::StateOrProvinceName, "Bavaria"),
                    (DnType::LocalityName, "Munich"),
                    (DnType::OrganizationName, "Shop"),
                    (DnType::OrganizationalUnitName, "it"),
                    (DnType::CommonName, "ann"),
                ],
                "CN=ann,OU=it,O=Shop,L=Munich,ST=Bavaria,C=DE",
            ),
            (&[(DnType::CountryName, "GB"), (DnType::CommonName, "#a, b ")], "CN=\\#a\\, b\\ ,C=GB"),
        ];
        for (parts, expected) in table {
            assert_eq!(peer(parts).identity().as_deref(), Some(expected));
        }
        assert_eq!(Peer::default().identity(), None);
    }

    #[test]
    fn certificates_are_described() {
        let described =
            peer(&[(DnType::CommonName, "c")]).certificates().unwrap().unwrap().document(usize::MAX).unwrap().to_json().unwrap();
        let certificate = &described[0];
        assert_eq!(certificate["Subject"]["CommonName"], "c");
        assert_eq!(certificate["Subject"]["Names"], json!([{"Type": [2, 5, 4, 3], "Value": "c"}]));
        assert_eq!((&certificate["Subject"]["Country"], &certificate["EmailAddresses"]), (&Json::Null, &Json::Null));
        assert_eq!(certificate["DNSNames"], json!(["client.example"]));
        assert_eq!((&certificate["URIs"][0]["Scheme"], &certificate["URIs"][0]["Host"]), (&json!("spiffe"), &json!("a")));
        assert_eq!((&certificate["SerialNumber"], certificate.get("URIStrings")), (&json!(256), None));
        assert_eq!(Peer::default().certificates().unwrap(), None);
        let large = numbered(&[(DnType::CommonName, "c")], &[127; 16]).certificates().unwrap().unwrap();
        let expected = u128::from_be_bytes([127; 16]).to_string();
        assert!(format!("{large:?}").contains(&expected), "{large:?}");
    }

    #[test]
    fn tokens_are_taken_as_opa_takes_them() {
        let table = [
            ("Bearer a-token", Some("a-token")),
            ("Bearer    spaces", Some("spaces")),
            ("bearer a", None),
            ("Bearer a b", None),
            ("Bearer ", None),
            ("Bearera", None),
            ("Basic a", None),
        ];
        for (header, expected) in table {
            assert_eq!(bearer(header), expected, "{header}");
        }
    }
}
