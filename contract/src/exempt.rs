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

/// The policy namespace and those of the system.
pub fn is_namespace_exempt(namespace: &str) -> bool {
    namespace.starts_with("kube-") || namespace == POLICY_NAMESPACE
}

#[cfg(test)]
mod tests {
    use super::*;

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
