//! One version. Source: `github.com/blang/semver/v4`, and `semverlib.go` for what is normalized.

use std::cmp::Ordering;

const NAMES: [&str; 3] = ["Major", "Minor", "Patch"];

/// A version. What it was built from does not count.
#[derive(Clone, Debug)]
pub(super) struct Version {
    numbers: [u64; 3],
    pre_release: Vec<Identifier>,
}

/// One part of a pre-release: numbers come before texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Text(String),
}

/// Why a text is no version. The texts are upstream's.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(super) enum ParseError {
    #[error("Version string empty")]
    Empty,
    #[error("No Major.Minor.Patch elements found")]
    Short,
    #[error("Invalid character(s) found in {} number {text:?}", name.to_lowercase())]
    NoNumber { name: &'static str, text: String },
    #[error("{0} number must not contain leading zeroes {1:?}")]
    Zeroes(&'static str, String),
    #[error("strconv.ParseUint: parsing {0:?}: value out of range")]
    TooLarge(String),
    #[error("Prerelease is empty")]
    EmptyPreRelease,
    #[error("Numeric PreRelease version must not contain leading zeroes {0:?}")]
    PreReleaseZeroes(String),
    #[error("Invalid character(s) found in prerelease {0:?}")]
    PreRelease(String),
    #[error("Build meta data is empty")]
    EmptyBuild,
    #[error("Invalid character(s) found in build meta data {0:?}")]
    Build(String),
    #[error("short version cannot contain PreRelease/Build meta data")]
    ShortWithMore,
}

impl Version {
    /// Reads `1.2.3-rc.1+build`. Fails when it is anything else.
    pub(super) fn parse(text: &str) -> Result<Self, ParseError> {
        if text.is_empty() {
            return Err(ParseError::Empty);
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(ParseError::Short);
        };
        let (major, minor) = (number(NAMES[0], major)?, number(NAMES[1], minor)?);
        let (rest, build) = split(rest, '+');
        let (patch, pre_release) = split(rest, '-');
        let numbers = [major, minor, number(NAMES[2], patch)?];
        let pre_release = words(pre_release).map(identifier).collect::<Result<_, _>>()?;
        words(build).try_for_each(built_from)?;
        Ok(Self { numbers, pre_release })
    }

    /// Which is first, as the specification says.
    pub(super) fn precedence(&self, other: &Self) -> Ordering {
        let released = |version: &Self| version.pre_release.is_empty();
        let pre_releases = || released(self).cmp(&released(other)).then_with(|| self.pre_release.cmp(&other.pre_release));
        self.numbers.cmp(&other.numbers).then_with(pre_releases)
    }

    /// Major, minor, patch; wraps as upstream's conversion does.
    pub(super) fn number(&self, index: usize) -> i64 {
        self.numbers.get(index).copied().unwrap_or_default().cast_signed()
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.precedence(other).is_eq()
    }
}

/// Without `v` and zeros before numbers, and with the numbers that are missing. Fails when it is short and has more than numbers.
pub(super) fn normalized(text: &str) -> Result<String, ParseError> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(without_zeros).collect();
    let has_more = parts.last().is_some_and(|last| last.contains(['+', '-']));
    if parts.len() < 3 && has_more {
        return Err(ParseError::ShortWithMore);
    }
    parts.resize(3, "0".to_owned());
    Ok(parts.join("."))
}

fn without_zeros(part: &str) -> String {
    let rest = part.trim_start_matches('0');
    if part.len() > 1 && !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return format!("0{rest}");
    }
    if part.len() > 1 { rest.to_owned() } else { part.to_owned() }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(text, rest)| (text, Some(rest)))
}

fn words(text: Option<&str>) -> impl Iterator<Item = &str> {
    text.into_iter().flat_map(|text| text.split('.'))
}

fn number(name: &'static str, text: &str) -> Result<u64, ParseError> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ParseError::NoNumber { name, text: text.to_owned() });
    }
    if has_zeros(text) {
        return Err(ParseError::Zeroes(name, text.to_owned()));
    }
    text.parse().map_err(|_| ParseError::TooLarge(text.to_owned()))
}

fn identifier(text: &str) -> Result<Identifier, ParseError> {
    match text {
        "" => Err(ParseError::EmptyPreRelease),
        text if text.bytes().all(|byte| byte.is_ascii_digit()) => match has_zeros(text) {
            true => Err(ParseError::PreReleaseZeroes(text.to_owned())),
            false => text.parse().map(Identifier::Number).map_err(|_| ParseError::TooLarge(text.to_owned())),
        },
        text if is_word(text) => Ok(Identifier::Text(text.to_owned())),
        text => Err(ParseError::PreRelease(text.to_owned())),
    }
}

fn built_from(text: &str) -> Result<(), ParseError> {
    match text {
        "" => Err(ParseError::EmptyBuild),
        text if is_word(text) => Ok(()),
        text => Err(ParseError::Build(text.to_owned())),
    }
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn has_zeros(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}
