//! Versions of objects, as an API server counts them.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A `resourceVersion` that can be compared: a decimal number of any length without leading zeros, as KEP-5504 has it. Only versions
/// of one cluster can be compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ResourceVersion(String);

/// A `resourceVersion` that says nothing about its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incomparable;

impl ResourceVersion {
    /// Longest version that is read: 128 bits and more.
    const LONGEST: usize = 40;

    /// Reads a version; `None` if it cannot be compared.
    pub fn parse(text: &str) -> Option<Self> {
        Self::try_from(text.to_owned()).ok()
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ResourceVersion {
    type Error = Incomparable;

    fn try_from(text: String) -> Result<Self, Incomparable> {
        let is_number = (1..=Self::LONGEST).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && !text.starts_with('0') { Ok(Self(text)) } else { Err(Incomparable) }
    }
}

impl From<ResourceVersion> for String {
    fn from(version: ResourceVersion) -> Self {
        version.0
    }
}

impl fmt::Display for ResourceVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Incomparable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a resourceVersion: 1 to {} decimal digits without leading zeros", ResourceVersion::LONGEST)
    }
}

impl std::error::Error for Incomparable {}

impl Ord for ResourceVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        // Without leading zeros the longer number is the larger one.
        (self.0.len(), &self.0).cmp(&(other.0.len(), &other.0))
    }
}

impl PartialOrd for ResourceVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_as_numbers_of_any_length() {
        let version = |text| ResourceVersion::parse(text).unwrap();
        assert!(version("9") < version("10"));
        assert!(version("99999999999999999999") < version("100000000000000000000"));
        assert!(version("12") > version("11"));
    }

    #[test]
    fn what_is_no_number_cannot_be_compared() {
        for text in ["", "0", "01", "-1", "1.0", "abc", &"9".repeat(41)] {
            assert_eq!(ResourceVersion::parse(text), None, "{text}");
        }
    }
}
