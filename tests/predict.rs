//! `plimsoll predict` from outside: what it says is certain is what the embedded API server then does, over configurations and
//! objects that nobody chose. `PREDICT_CASES` says how many (100), `PREDICT_SEED` which.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod predict {
    #[path = "../../apiserver/tests/support/authority.rs"]
    mod authority;
    #[allow(dead_code, reason = "what fails is tried elsewhere")]
    #[path = "../../apiserver/tests/support/engine.rs"]
    mod engine;

    mod cases;
    mod cluster;
    mod driver;
    mod embedded;
}
