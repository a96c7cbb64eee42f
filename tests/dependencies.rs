//! What `deny.toml` says of dependencies with a known advisory: the database is not always there to ask.

/// Crates with an advisory that stays for a reason, and its number.
const KNOWN: [(&str, &str); 3] =
    [("backoff", "RUSTSEC-2025-0012"), ("instant", "RUSTSEC-2024-0384"), ("rsa", "RUSTSEC-2023-0071")];

#[test]
fn each_exception_is_named_with_its_reason_and_needed() {
    let (lock, deny) = (include_str!("../Cargo.lock"), include_str!("../deny.toml"));
    let exceptions: Vec<&str> = deny.lines().map(str::trim).filter(|line| line.starts_with("{ id = \"RUSTSEC-")).collect();
    for (name, advisory) in KNOWN {
        assert!(lock.contains(&format!("name = \"{name}\"\n")), "{name} is gone: so is its exception");
        let exception = exceptions.iter().find(|line| line.contains(advisory)).unwrap_or_else(|| panic!("{name}: {advisory}"));
        let reason = exception.split("reason = \"").nth(1).unwrap_or_default();
        assert!(reason.starts_with(name) || reason.contains(name), "{exception}");
        assert!(reason.len() > 30, "{exception}");
    }
    assert_eq!(exceptions.len(), KNOWN.len(), "{exceptions:?}");
}
