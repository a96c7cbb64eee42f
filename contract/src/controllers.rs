//! Whose writes are a controller's. A child of a placed object follows its owner only if one of these accounts writes it:
//! what an object says of its owner is user-writable, who writes it is not.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The controllers of an API server's own controller manager, whether it uses one account for all of them or, with
/// `--use-service-account-credentials`, one ServiceAccount each (kubernetes `plugin/pkg/auth/authorizer/rbac/bootstrappolicy`).
pub const DEFAULT: [&str; 2] = ["system:kube-controller-manager", "system:serviceaccount:kube-system:*-controller"];

/// User names of controllers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Controllers(Vec<Pattern>);

/// A user name in which `*` stands for any characters but `:`, so that it never reaches into another namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern(String);

/// A text that names no account, or nearly every one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPattern(String);

impl Controllers {
    /// These accounts, beside the default ones.
    pub fn with(more: impl IntoIterator<Item = Pattern>) -> Self {
        Self(DEFAULT.iter().map(|name| Pattern((*name).into())).chain(more).collect())
    }

    /// Whether an authenticated user is a controller.
    pub fn include(&self, user: &str) -> bool {
        self.0.iter().any(|pattern| pattern.matches(user))
    }

    /// One regular expression (RE2, as CEL's `matches` reads it) of exactly these names, anchored.
    pub fn expression(&self) -> String {
        let names: Vec<String> = self.0.iter().map(Pattern::expression).collect();
        format!("^({})$", names.join("|"))
    }
}

impl Default for Controllers {
    /// The default ones alone.
    fn default() -> Self {
        Self::with([])
    }
}

impl Pattern {
    fn matches(&self, user: &str) -> bool {
        wildcard(self.0.as_bytes(), user.as_bytes())
    }

    fn expression(&self) -> String {
        self.0.chars().fold(String::new(), |mut text, c| {
            match c {
                '*' => text.push_str("[^:]*"),
                c if c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '@' | '/') => text.push(c),
                c => text.extend(['\\', c]),
            }
            text
        })
    }
}

/// Goes back to the last `*` alone: the time is at most the product of both lengths.
fn wildcard(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut read, mut last) = (0, 0, None);
    while let Some(found) = text.get(read) {
        match pattern.get(at) {
            Some(b'*') => {
                last = Some((at, read));
                at += 1;
                continue;
            }
            Some(expected) if expected == found => {
                (at, read) = (at + 1, read + 1);
                continue;
            }
            _ => (),
        }
        match last {
            Some((star, from)) if text.get(from).is_some_and(|skipped| *skipped != b':') => {
                last = Some((star, from + 1));
                (at, read) = (star + 1, from + 1);
            }
            _ => return false,
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|rest| *rest == b'*')
}

impl TryFrom<String> for Pattern {
    type Error = InvalidPattern;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let named = text.chars().any(|c| c.is_ascii_alphanumeric());
        let plain = text.chars().all(|c| c.is_ascii_graphic() && !matches!(c, ',' | '\'' | '"' | '\\'));
        if named && plain { Ok(Self(text)) } else { Err(InvalidPattern(text)) }
    }
}

impl std::str::FromStr for Pattern {
    type Err = InvalidPattern;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::try_from(text.to_owned())
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0
    }
}

impl fmt::Display for InvalidPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no user name such as `system:serviceaccount:argo-rollouts:argo-rollouts`, `*` standing for any characters but `:`",
            self.0
        )
    }
}

impl std::error::Error for InvalidPattern {}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(more: &[&str]) -> Controllers {
        Controllers::with(more.iter().map(|text| text.parse().unwrap()))
    }

    #[test]
    fn the_default_is_the_controller_manager_in_both_its_forms() {
        let controllers = Controllers::default();
        for user in ["system:kube-controller-manager", "system:serviceaccount:kube-system:deployment-controller"] {
            assert!(controllers.include(user), "{user}");
        }
        for user in [
            "",
            "alice",
            "system:kube-controller-manager2",
            "x-system:kube-controller-manager",
            "system:serviceaccount:kube-system:default",
            "system:serviceaccount:shop:deployment-controller",
            "system:serviceaccount:kube-system:x:deployment-controller",
        ] {
            assert!(!controllers.include(user), "{user}");
        }
    }

    #[test]
    fn others_are_added() {
        let controllers = with(&["system:serviceaccount:argo-rollouts:*", "ci.bot@example.org", "a*b*c"]);
        for user in ["system:serviceaccount:argo-rollouts:argo-rollouts", "ci.bot@example.org", "a-b-b-c", "abc"] {
            assert!(controllers.include(user), "{user}");
        }
        for user in ["system:serviceaccount:argo-rollouts:x:y", "ci-bot@example.org", "ab", "a:bc"] {
            assert!(!controllers.include(user), "{user}");
        }
        assert!(controllers.include(DEFAULT[0]), "beside the default ones");
    }

    #[test]
    fn the_expression_is_anchored_and_escapes_what_is_no_letter() {
        let default = "^(system:kube-controller-manager|system:serviceaccount:kube-system:[^:]*-controller)$";
        assert_eq!(Controllers::default().expression(), default);
        assert!(with(&["ci.bot@example.org"]).expression().ends_with(r"|ci\.bot@example\.org)$"));
    }

    #[test]
    fn nobody_is_everybody_by_accident() {
        for text in ["", "*", "**", "a b", "a,b", "'a", "a\\b", "é"] {
            assert!(text.parse::<Pattern>().is_err(), "{text}");
        }
    }
}
