//! Extended key usages, by their numbers in Go.

/// Any use.
pub(super) const ANY: i64 = 0;
/// The use of servers, which is what nothing said means.
pub(super) const SERVER: i64 = 1;

/// OPA's name and the object identifier of each, at the place that is its number.
const USAGES: [(&str, &str); 14] = [
    ("KeyUsageAny", "2.5.29.37.0"),
    ("KeyUsageServerAuth", "1.3.6.1.5.5.7.3.1"),
    ("KeyUsageClientAuth", "1.3.6.1.5.5.7.3.2"),
    ("KeyUsageCodeSigning", "1.3.6.1.5.5.7.3.3"),
    ("KeyUsageEmailProtection", "1.3.6.1.5.5.7.3.4"),
    ("KeyUsageIPSECEndSystem", "1.3.6.1.5.5.7.3.5"),
    ("KeyUsageIPSECTunnel", "1.3.6.1.5.5.7.3.6"),
    ("KeyUsageIPSECUser", "1.3.6.1.5.5.7.3.7"),
    ("KeyUsageTimeStamping", "1.3.6.1.5.5.7.3.8"),
    ("KeyUsageOCSPSigning", "1.3.6.1.5.5.7.3.9"),
    ("KeyUsageMicrosoftServerGatedCrypto", "1.3.6.1.4.1.311.10.3.3"),
    ("KeyUsageNetscapeServerGatedCrypto", "2.16.840.1.113730.4.1"),
    ("KeyUsageMicrosoftCommercialCodeSigning", "1.3.6.1.4.1.311.2.1.22"),
    ("KeyUsageMicrosoftKernelCodeSigning", "1.3.6.1.4.1.311.61.1.1"),
];

/// By OPA's name.
pub(super) fn named(name: &str) -> Option<i64> {
    position(|(known, _)| *known == name)
}

/// By object identifier.
pub(super) fn identified(oid: &str) -> Option<i64> {
    position(|(_, known)| *known == oid)
}

fn position(wanted: impl Fn(&(&str, &str)) -> bool) -> Option<i64> {
    USAGES.iter().position(wanted).and_then(|at| i64::try_from(at).ok())
}
