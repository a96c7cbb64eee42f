//! Where placements may be written: keys of annotations, as the API server checks them, that are not Plimsoll's own.

use crate::kind::Target;

/// Whose keys are not for placements: records of them, and what people ask for.
const OWN: &str = "plimsoll.io/";

/// Returns why placements cannot be written to a target; `None` if they can.
pub fn fault(target: &Target) -> Option<String> {
    let Target::Annotation(key) = target else { return None };
    if !is_annotation_key(key) {
        return Some(not_a_key(key));
    }
    key.starts_with(OWN)
        .then(|| format!("`{key}`: `{OWN}` is kept for Plimsoll itself; write another key, such as `example.com/clusters`"))
}

/// Returns whether `key` is `[prefix/]name` (`ValidateAnnotations` of apimachinery; capitals are allowed in the prefix).
fn is_annotation_key(key: &str) -> bool {
    match key.split_once('/') {
        Some((prefix, name)) => {
            prefix.len() <= 253 && prefix.split('.').all(|part| is_part(part, b"-")) && is_part(name, b"-_.") && name.len() <= 63
        }
        None => is_part(key, b"-_.") && key.len() <= 63,
    }
}

/// Letters and digits, with some others between them.
fn is_part(text: &str, between: &[u8]) -> bool {
    let is_outer = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    is_outer(bytes.first())
        && is_outer(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || between.contains(byte))
}

fn not_a_key(key: &str) -> String {
    format!(
        "`{key}` is no key of an annotation; write `replica-set-preferences`, `deployment-preferences`, or a key such as \
         `example.com/clusters`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_a_name_and_perhaps_a_prefix() {
        for key in ["a", "A_b.c-9", "example.com/clusters", "Example.com/x"] {
            assert!(is_annotation_key(key), "{key}");
        }
        let long = "x".repeat(64);
        for key in ["", "not a key", "/x", "x/", "a/b/c", "-a", "a-", "exa_mple.com/x", "a..b/x", long.as_str()] {
            assert!(!is_annotation_key(key), "{key}");
        }
    }

    #[test]
    fn placements_are_written_at_keys_of_others() {
        for target in ["deployment-preferences", "example.com/clusters", "example.com/plimsoll.io"] {
            assert_eq!(fault(&Target::from(target.to_owned())), None, "{target}");
        }
        for (target, part) in [("plimsoll.io/applied", "kept for Plimsoll itself"), ("not a key", "no key of an annotation")] {
            assert!(fault(&Target::from(target.to_owned())).is_some_and(|message| message.contains(part)), "{target}");
        }
    }
}
