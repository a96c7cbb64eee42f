//! The targets, which `cargo test --test fuzz` runs as well.

#[path = "../../tests/fuzz/bundle.rs"]
mod bundle;
#[path = "../../tests/fuzz/findings.rs"]
mod findings;
#[path = "../../tests/fuzz/http.rs"]
mod http;
#[path = "../../tests/fuzz/json.rs"]
mod json;
#[path = "../../tests/fuzz/policy.rs"]
mod policy;

/// Policy text.
pub fn policy(input: &[u8]) {
    policy::run(input);
}

/// JSON.
pub fn json(input: &[u8]) {
    json::run(input);
}

/// Bundles.
pub fn bundle(input: &[u8]) {
    bundle::run(input);
}

/// HTTP.
pub fn http(input: &[u8]) {
    http::run(input);
}
