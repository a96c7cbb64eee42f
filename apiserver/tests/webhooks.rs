//! Admission webhooks from outside: real servers with TLS, real requests.

#[cfg(test)]
mod webhooks {
    #[path = "../support/authority.rs"]
    mod authority;
    #[path = "../support/engine.rs"]
    mod engine;
    #[path = "../support/eventually.rs"]
    mod eventually;
    mod server;

    mod alpha;
    mod audit;
    mod beta;
    mod conditions;
    mod configurations;
    mod connect;
    mod credentials;
    mod fail_open_creation;
    mod faults;
    mod hostile;
    mod initializers;
    mod mutating;
    mod remote;
    mod reviews;
    mod static_manifests;
    mod switches;
    mod validating;
    mod versions;
}
