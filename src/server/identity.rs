//! Who calls, for policies to judge: the bearer token as it was sent, or the subject of the client's certificate.
//! Source: OPA `v1/server/identifier`.

use std::any::Any;

use actix_tls::accept::rustls_0_23::TlsStream;
use actix_web::dev::Extensions;
use actix_web::rt::net::TcpStream;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::pki_types::CertificateDer;
use serde_json::{Value as Json, json};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::parse_x509_certificate;
use x509_parser::x509::X509Name;

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

    /// What policies are told of the certificates: the fields of Go's that identify.
    pub fn certificates(&self) -> Option<Json> {
        if self.certificates.is_empty() {
            return None;
        }
        let parsed = self.certificates.iter().filter_map(|der| parse_x509_certificate(der).ok().map(|(_, parsed)| (der, parsed)));
        Some(parsed.map(|(der, certificate)| described(der, &certificate)).collect())
    }
}

/// Attribute types in the order in which Go writes a name, which is that of RFC 2253: the last comes first.
const ATTRIBUTES: [(&str, &str); 9] = [
    ("2.5.4.5", "SERIALNUMBER"),
    ("2.5.4.3", "CN"),
    ("2.5.4.17", "POSTALCODE"),
    ("2.5.4.9", "STREET"),
    ("2.5.4.8", "ST"),
    ("2.5.4.7", "L"),
    ("2.5.4.11", "OU"),
    ("2.5.4.10", "O"),
    ("2.5.4.6", "C"),
];

/// `CN=my-client,OU=a+OU=b,O=Torchwood`, as Go's `pkix.RDNSequence` writes it.
fn distinguished_name(name: &X509Name<'_>) -> String {
    let one = |(oid, label): &(&str, &str)| {
        let attributes = name.iter_attributes().filter(|attribute| attribute.attr_type().to_id_string() == *oid);
        let values = attributes.filter_map(|attribute| attribute.as_str().ok());
        let values: Vec<_> = values.map(|value| format!("{label}={}", escaped(value))).collect();
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

fn described(der: &CertificateDer<'_>, certificate: &X509Certificate<'_>) -> Json {
    let names = certificate.subject_alternative_name().ok().flatten();
    let names = names.map(|names| names.value.general_names.clone()).unwrap_or_default();
    let of = |pick: fn(&GeneralName<'_>) -> Option<String>| names.iter().filter_map(pick).collect::<Vec<_>>();
    json!({
        "Raw": STANDARD.encode(der),
        "Version": certificate.version().0.saturating_add(1),
        "SerialNumber": certificate.tbs_certificate.raw_serial_as_string(),
        "Subject": described_name(certificate.subject()),
        "Issuer": described_name(certificate.issuer()),
        "NotBefore": time(certificate.validity().not_before.timestamp()),
        "NotAfter": time(certificate.validity().not_after.timestamp()),
        "DNSNames": of(|name| match name { GeneralName::DNSName(name) => Some((*name).to_owned()), _ => None }),
        "EmailAddresses": of(|name| match name { GeneralName::RFC822Name(name) => Some((*name).to_owned()), _ => None }),
        "URIStrings": of(|name| match name { GeneralName::URI(uri) => Some((*uri).to_owned()), _ => None }),
        "IsCA": certificate.is_ca(),
    })
}

fn described_name(name: &X509Name<'_>) -> Json {
    let all = |oid: &str| {
        let found = name.iter_attributes().filter(|attribute| attribute.attr_type().to_id_string() == oid);
        found.filter_map(|attribute| attribute.as_str().ok()).collect::<Vec<_>>()
    };
    let first = |oid: &str| all(oid).first().copied().unwrap_or_default().to_owned();
    json!({
        "CommonName": first("2.5.4.3"),
        "SerialNumber": first("2.5.4.5"),
        "Organization": all("2.5.4.10"),
        "OrganizationalUnit": all("2.5.4.11"),
        "Country": all("2.5.4.6"),
        "Locality": all("2.5.4.7"),
        "Province": all("2.5.4.8"),
    })
}

/// RFC 3339.
fn time(seconds: i64) -> Json {
    let moment = time::OffsetDateTime::from_unix_timestamp(seconds).ok();
    moment.and_then(|moment| moment.format(&time::format_description::well_known::Rfc3339).ok()).map_or(Json::Null, Json::String)
}

/// The token of an `Authorization` header, as OPA takes it: `Bearer`, in this case, blanks, and no blank in it.
pub fn bearer(header: &str) -> Option<&str> {
    let token = header.strip_prefix("Bearer").filter(|rest| rest.starts_with(char::is_whitespace))?.trim_start();
    (!token.is_empty() && !token.contains(char::is_whitespace)).then_some(token)
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, SanType};

    use super::*;

    fn peer(parts: &[(DnType, &str)]) -> Peer {
        let mut params = CertificateParams::new(vec!["client.example".to_owned()]).unwrap();
        params.subject_alt_names.push(SanType::URI("spiffe://a/b".try_into().unwrap()));
        params.distinguished_name = DistinguishedName::new();
        parts.iter().for_each(|(kind, value)| params.distinguished_name.push(kind.clone(), *value));
        let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        Peer { certificates: vec![certificate.der().clone()] }
    }

    #[test]
    fn names_are_written_as_go_writes_them() {
        let table: [(&[(DnType, &str)], &str); 3] = [
            (&[(DnType::CommonName, "my-client")], "CN=my-client"),
            (
                &[(DnType::OrganizationName, "Torchwood"), (DnType::OrganizationalUnitName, "opa-client-01")],
                "OU=opa-client-01,O=Torchwood",
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
        let described = peer(&[(DnType::CommonName, "c")]).certificates().unwrap();
        assert_eq!(described[0]["Subject"]["CommonName"], "c");
        assert_eq!(described[0]["DNSNames"], json!(["client.example"]));
        assert_eq!(described[0]["URIStrings"], json!(["spiffe://a/b"]));
        assert_eq!(Peer::default().certificates(), None);
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
