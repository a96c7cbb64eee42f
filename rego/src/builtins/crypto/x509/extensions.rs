//! The extensions of certificates and requests that Go knows.

use std::collections::HashSet;
use std::net::IpAddr;

use x509_parser::asn1_rs::{FromDer, Oid};
use x509_parser::extensions::{
    AuthorityInfoAccess, BasicConstraints, CRLDistributionPoints, DistributionPointName, GeneralName, NameConstraints,
    ParsedExtension, PolicyConstraints, X509Extension,
};

use super::usage;
use crate::builtins::BuiltinError;
use crate::builtins::uri::Url;

/// One extension as it stands.
#[derive(Clone, Debug)]
pub(super) struct Extension {
    pub(super) oid: String,
    pub(super) critical: bool,
    pub(super) value: Vec<u8>,
}

/// Names of one subject, or that are allowed or forbidden below an issuer.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub(super) dns: Vec<String>,
    pub(super) emails: Vec<String>,
    pub(super) addresses: Vec<Vec<u8>>,
    pub(super) uris: Vec<String>,
}

impl Names {
    fn add(&mut self, name: &GeneralName<'_>) {
        match name {
            GeneralName::DNSName(text) => self.dns.push((*text).to_owned()),
            GeneralName::RFC822Name(text) => self.emails.push((*text).to_owned()),
            GeneralName::IPAddress(bytes) => self.addresses.push(bytes.to_vec()),
            GeneralName::URI(text) => self.uris.push((*text).to_owned()),
            _ => {}
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.dns.is_empty() && self.emails.is_empty() && self.addresses.is_empty() && self.uris.is_empty()
    }
}

/// What the extensions say.
#[derive(Clone, Debug, Default)]
pub(super) struct Extensions {
    pub(super) all: Vec<Extension>,
    pub(super) key_usage: i64,
    /// Go's numbers of extended key usages.
    pub(super) usages: Vec<i64>,
    pub(super) unknown_usages: Vec<String>,
    /// Whether the certificate is an authority's, and how many certificates may stand between it and the last.
    pub(super) constraints: Option<(bool, Option<u32>)>,
    pub(super) subject_key: Vec<u8>,
    pub(super) authority_key: Vec<u8>,
    pub(super) ocsp: Vec<String>,
    pub(super) issuing: Vec<String>,
    pub(super) crls: Vec<String>,
    pub(super) names: Names,
    pub(super) permitted: Names,
    pub(super) excluded: Names,
    pub(super) name_constraints_critical: bool,
    pub(super) policies: Vec<String>,
    pub(super) mappings: Vec<(String, String)>,
    pub(super) inhibit_any: Option<u32>,
    pub(super) require_explicit: Option<u32>,
    pub(super) inhibit_mapping: Option<u32>,
    pub(super) unhandled_critical: Vec<String>,
}

impl Extensions {
    pub(super) fn of(extensions: &[X509Extension<'_>]) -> Result<Self, BuiltinError> {
        let (mut read, mut seen) = (Self::default(), HashSet::new());
        for extension in extensions {
            let oid = extension.oid.to_id_string();
            if !seen.insert(oid.clone()) {
                return Err(BuiltinError::failed("x509: certificate contains duplicate extensions"));
            }
            read.all.push(Extension { oid, critical: extension.critical, value: extension.value.to_vec() });
            read.add(extension)?;
        }
        Ok(read)
    }

    fn add(&mut self, extension: &X509Extension<'_>) -> Result<(), BuiltinError> {
        let malformed = || BuiltinError::failed(format!("x509: invalid extension {}", extension.oid.to_id_string()));
        match extension.parsed_extension() {
            ParsedExtension::ParseError { .. } => return Err(malformed()),
            ParsedExtension::KeyUsage(usage) => self.key_usage = i64::from(usage.flags),
            ParsedExtension::ExtendedKeyUsage(_) => self.usages(extension.value).ok_or_else(malformed)?,
            ParsedExtension::BasicConstraints(BasicConstraints { ca, path_len_constraint }) => {
                self.constraints = Some((*ca, *path_len_constraint));
            }
            ParsedExtension::SubjectKeyIdentifier(id) => self.subject_key = id.0.to_vec(),
            ParsedExtension::AuthorityKeyIdentifier(id) => {
                self.authority_key = id.key_identifier.as_ref().map(|id| id.0.to_vec()).unwrap_or_default();
            }
            ParsedExtension::SubjectAlternativeName(names) => {
                names.general_names.iter().for_each(|name| self.names.add(name));
                self.check_names()?;
            }
            ParsedExtension::AuthorityInfoAccess(access) => self.access(access),
            ParsedExtension::CRLDistributionPoints(points) => self.points(points),
            ParsedExtension::NameConstraints(constraints) => self.name_constraints(constraints, extension.critical),
            policy if self.add_policy(policy) => {}
            _ if extension.critical => self.unhandled_critical.push(extension.oid.to_id_string()),
            _ => {}
        }
        Ok(())
    }

    /// What says something of policies of certificates; whether it does.
    fn add_policy(&mut self, parsed: &ParsedExtension<'_>) -> bool {
        match parsed {
            ParsedExtension::CertificatePolicies(policies) => {
                self.policies = policies.iter().map(|policy| policy.policy_id.to_id_string()).collect();
            }
            ParsedExtension::PolicyMappings(mappings) => {
                let pair = |m: &x509_parser::extensions::PolicyMapping<'_>| {
                    (m.issuer_domain_policy.to_id_string(), m.subject_domain_policy.to_id_string())
                };
                self.mappings = mappings.mappings.iter().map(pair).collect();
            }
            ParsedExtension::PolicyConstraints(PolicyConstraints { require_explicit_policy, inhibit_policy_mapping }) => {
                (self.require_explicit, self.inhibit_mapping) = (*require_explicit_policy, *inhibit_policy_mapping);
            }
            ParsedExtension::InhibitAnyPolicy(inhibit) => self.inhibit_any = Some(inhibit.skip_certs),
            _ => return false,
        }
        true
    }

    fn usages(&mut self, value: &[u8]) -> Option<()> {
        let (_, usages) = <Vec<Oid<'_>>>::from_der(value).ok()?;
        for oid in usages.iter().map(Oid::to_id_string) {
            match usage::identified(&oid) {
                Some(number) => self.usages.push(number),
                None => self.unknown_usages.push(oid),
            }
        }
        Some(())
    }

    fn check_names(&self) -> Result<(), BuiltinError> {
        for uri in &self.names.uris {
            Url::parse(uri).map_err(|error| BuiltinError::failed(format!("x509: cannot parse URI \"{uri}\": {error}")))?;
        }
        match self.names.addresses.iter().all(|bytes| address(bytes).is_some()) {
            true => Ok(()),
            false => Err(BuiltinError::failed("x509: cannot parse IP address")),
        }
    }

    fn access(&mut self, access: &AuthorityInfoAccess<'_>) {
        for description in &access.accessdescs {
            let GeneralName::URI(uri) = description.access_location else { continue };
            match description.access_method.to_id_string().as_str() {
                "1.3.6.1.5.5.7.48.1" => self.ocsp.push(uri.to_owned()),
                "1.3.6.1.5.5.7.48.2" => self.issuing.push(uri.to_owned()),
                _ => {}
            }
        }
    }

    fn points(&mut self, points: &CRLDistributionPoints<'_>) {
        for point in &points.points {
            if let Some(DistributionPointName::FullName(names)) = &point.distribution_point {
                let uri = |name: &GeneralName<'_>| if let GeneralName::URI(uri) = name { Some((*uri).to_owned()) } else { None };
                self.crls.extend(names.iter().filter_map(uri));
            }
        }
    }

    fn name_constraints(&mut self, constraints: &NameConstraints<'_>, critical: bool) {
        let trees =
            [(&constraints.permitted_subtrees, &mut self.permitted), (&constraints.excluded_subtrees, &mut self.excluded)];
        for (trees, names) in trees {
            trees.iter().flatten().for_each(|tree| names.add(&tree.base));
        }
        self.name_constraints_critical = critical;
    }
}

/// An address of four or sixteen bytes.
pub(super) fn address(bytes: &[u8]) -> Option<IpAddr> {
    match bytes.len() {
        4 => <[u8; 4]>::try_from(bytes).ok().map(IpAddr::from),
        16 => <[u8; 16]>::try_from(bytes).ok().map(IpAddr::from),
        _ => None,
    }
}
