//! The formats, and what does not fit them. Source of rules and texts: `apiserver` `pkg/cel/library/format.go`, and for the
//! last four `kube-openapi` `pkg/validation/strfmt`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::NaiveDate;

use crate::expression::library::times::read_timestamp;
use crate::expression::library::url;
use crate::names::{self, NameRule};

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Dns1123Label,
    Dns1123Subdomain,
    Dns1035Label,
    QualifiedName,
    Dns1123LabelPrefix,
    Dns1123SubdomainPrefix,
    Dns1035LabelPrefix,
    LabelValue,
    Uri,
    Uuid,
    Byte,
    Date,
    DateTime,
}

impl Format {
    /// All of them.
    pub(super) const ALL: [Self; 13] = [
        Self::Dns1123Label,
        Self::Dns1123Subdomain,
        Self::Dns1035Label,
        Self::QualifiedName,
        Self::Dns1123LabelPrefix,
        Self::Dns1123SubdomainPrefix,
        Self::Dns1035LabelPrefix,
        Self::LabelValue,
        Self::Uri,
        Self::Uuid,
        Self::Byte,
        Self::Date,
        Self::DateTime,
    ];

    /// As expressions write it, behind `format.`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Dns1123Label => "dns1123Label",
            Self::Dns1123Subdomain => "dns1123Subdomain",
            Self::Dns1035Label => "dns1035Label",
            Self::QualifiedName => "qualifiedName",
            Self::Dns1123LabelPrefix => "dns1123LabelPrefix",
            Self::Dns1123SubdomainPrefix => "dns1123SubdomainPrefix",
            Self::Dns1035LabelPrefix => "dns1035LabelPrefix",
            Self::LabelValue => "labelValue",
            Self::Uri => "uri",
            Self::Uuid => "uuid",
            Self::Byte => "byte",
            Self::Date => "date",
            Self::DateTime => "datetime",
        }
    }

    /// What is wrong with a text.
    pub(super) fn faults(self, text: &str) -> Vec<String> {
        let unless = |fits: bool, fault: &str| if fits { Vec::new() } else { vec![fault.to_owned()] };
        match self {
            Self::Dns1123Label => NameRule::Label.faults(text, false),
            Self::Dns1123LabelPrefix => NameRule::Label.faults(text, true),
            Self::Dns1123Subdomain => NameRule::Subdomain.faults(text, false),
            Self::Dns1123SubdomainPrefix => NameRule::Subdomain.faults(text, true),
            Self::Dns1035Label => NameRule::Label1035.faults(text, false),
            Self::Dns1035LabelPrefix => NameRule::Label1035.faults(text, true),
            Self::QualifiedName => names::label_key(text),
            Self::LabelValue => names::label_value(text),
            Self::Uri => url::check(text).err().map(|error| error.to_string()).into_iter().collect(),
            Self::Uuid => unless(is_uuid(text), "does not match the UUID format"),
            Self::Byte => unless(!text.is_empty() && STANDARD.decode(text).is_ok(), "invalid base64"),
            Self::Date => unless(is_date(text), "invalid date"),
            Self::DateTime => unless(is_date_time(text), "invalid datetime"),
        }
    }
}

/// With dashes at their places, or without some of them.
fn is_uuid(text: &str) -> bool {
    let mut rest = text;
    for (number, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        let after = if number == 0 { rest } else { rest.strip_prefix('-').unwrap_or(rest) };
        let Some((part, after)) = after.split_at_checked(length) else { return false };
        if !part.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

/// With two and four digits, in the year 0, too.
fn is_date(text: &str) -> bool {
    let has_form =
        text.bytes().enumerate().all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() });
    text.len() == 10 && has_form && text.parse::<NaiveDate>().is_ok()
}

/// In upper or lower case.
fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_at_checked(10) else { return false };
    is_date(date) && read_timestamp(&format!("2000-01-01{}", time.to_ascii_uppercase())).is_some()
}
