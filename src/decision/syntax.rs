//! What Kubernetes allows as an annotation or label key and as a label value.

/// Whether `key` is `[prefix/]name` as label and annotation keys are.
pub fn qualified_name(key: &str) -> bool {
    match key.split_once('/') {
        Some((prefix, name)) => subdomain(prefix) && bounded_name(name),
        None => bounded_name(key),
    }
}

/// Annotation keys may have capitals in the prefix, where label keys may not.
pub fn annotation_key(key: &str) -> bool {
    qualified_name(&key.to_lowercase())
}

/// Whether `value` may be a label's value; the empty one may.
pub fn label_value(value: &str) -> bool {
    value.is_empty() || bounded_name(value)
}

fn bounded_name(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    name.len() <= 63 && name.bytes().all(inner) && has_alphanumeric_ends(name)
}

fn subdomain(prefix: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    prefix.len() <= 253 && prefix.split('.').all(|part| part.bytes().all(inner) && has_alphanumeric_ends(part))
}

fn has_alphanumeric_ends(text: &str) -> bool {
    let outer = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    outer(text.as_bytes().first()) && outer(text.as_bytes().last())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_as_the_api_server_checks_them() {
        for key in ["a", "A_b.c-9", "example.com/x", "federation.alpha.kubernetes.io/cluster-selector"] {
            assert!(qualified_name(key), "{key}");
        }
        let long = "x".repeat(64);
        for key in ["", "/x", "x/", "a/b/c", "-a", "a-", "a b", "Example.com/x", "exa_mple.com/x", "a..b/x", long.as_str()] {
            assert!(!qualified_name(key), "{key}");
        }
        assert!(annotation_key("Example.com/x"));
        assert!(label_value("") && label_value("true") && !label_value("[true]") && !label_value(&long));
    }
}
