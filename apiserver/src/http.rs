//! HTTP: requests in, answers out.
//!
//! ```text
//!  edge (audit id, panics, metrics) ─► info (path) ─► authn, authz ─┬─► paths (health, version, discovery, openapi, metrics)
//!                                                                   └─► dispatch ─► body, accept, options ─► rest ─► respond
//! ```

pub mod accept;
mod audited;
pub mod body;
pub mod discovery;
pub mod dispatch;
pub mod edge;
pub mod health;
pub mod info;
pub mod listen;
pub mod openapi;
pub mod options;
pub mod paths;
pub mod protobuf;
pub mod published;
pub mod query;
pub mod respond;
pub mod warnings;
