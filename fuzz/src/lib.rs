//! The targets, which `cargo test --test fuzz` runs as well.

#[cfg(feature = "engine")]
#[path = "../../tests/fuzz/bundle.rs"]
mod bundle;
#[path = "../../rego/tests/fuzz/compiler.rs"]
mod compiler;
#[path = "../../rego/tests/fuzz/evaluator.rs"]
mod evaluator;
#[cfg(feature = "engine")]
#[path = "../../tests/fuzz/findings.rs"]
mod findings;
#[cfg(feature = "engine")]
#[path = "../../tests/fuzz/http.rs"]
mod http;
#[cfg(feature = "engine")]
#[path = "../../tests/fuzz/json.rs"]
mod json;
#[path = "../../rego/tests/fuzz/parser.rs"]
mod parser;
#[cfg(feature = "engine")]
#[path = "../../tests/fuzz/policy.rs"]
mod policy;

/// Policy text.
#[cfg(feature = "engine")]
pub fn policy(input: &[u8]) {
    policy::run(input);
}

/// JSON.
#[cfg(feature = "engine")]
pub fn json(input: &[u8]) {
    json::run(input);
}

/// Bundles.
#[cfg(feature = "engine")]
pub fn bundle(input: &[u8]) {
    bundle::run(input);
}

/// HTTP.
#[cfg(feature = "engine")]
pub fn http(input: &[u8]) {
    http::run(input);
}

/// The parser of plimsoll-rego.
pub fn parser(input: &[u8]) {
    parser::run(input);
}

/// Its compiler.
pub fn compiler(input: &[u8]) {
    compiler::run(input);
}

/// Its evaluator.
pub fn evaluator(input: &[u8]) {
    evaluator::run(input);
}
