//! What is never decided, whoever asks: the hook does not ask about it, and the engine does not decide it (T2, T3).

/// Where policies live; never decided, so that a policy can always be repaired. Federation v1's own name.
pub const POLICY_NAMESPACE: &str = "kube-federation-scheduling-policy";

/// Groups whose objects decide who may do what, or what an API server serves.
pub const GROUPS: [&str; 6] = [
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "rbac.authorization.k8s.io",
];

/// So many further namespaces can be exempted for one source.
pub const MOST_NAMESPACES: usize = 1_000;

/// Whether a text can be the name of a namespace: a DNS label.
pub fn is_namespace_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    (1..=63).contains(&text.len())
        && text.chars().all(|c| is_letter(c) || c == '-')
        && text.starts_with(is_letter)
        && text.ends_with(is_letter)
}

/// The policy namespace and those of the system.
pub fn is_namespace_exempt(namespace: &str) -> bool {
    namespace.starts_with("kube-") || namespace == POLICY_NAMESPACE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_dns_label() {
        let cases = [("cert-manager", true), ("a", true), ("9", true), ("", false), ("a.b", false), ("A", false), ("-a", false)];
        for (text, expected) in cases.into_iter().chain([("a-", false), ("a=b", false), ("*", false)]) {
            assert_eq!(is_namespace_name(text), expected, "{text}");
        }
        assert!(is_namespace_name(&"a".repeat(63)) && !is_namespace_name(&"a".repeat(64)));
    }

    #[test]
    fn only_the_systems_namespaces_are_exempt() {
        for namespace in ["kube-system", "kube-public", POLICY_NAMESPACE] {
            assert!(is_namespace_exempt(namespace), "{namespace}");
        }
        for namespace in ["", "default", "my-kube-system", "kubernetes"] {
            assert!(!is_namespace_exempt(namespace), "{namespace}");
        }
    }
}
