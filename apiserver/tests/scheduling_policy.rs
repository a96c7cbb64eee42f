//! The scheduling-policy hook against engines that fail in every way, and against one that works.

#[cfg(test)]
mod scheduling_policy {
    #[path = "../support/authority.rs"]
    mod authority;
    #[path = "../support/engine.rs"]
    mod engine;
    mod hook;

    mod faults;
    mod opa;
    mod policies;
    mod protocol;
    mod server;
    mod tls;
}
