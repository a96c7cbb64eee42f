//! The embedded federation API server: stock kubectl, the federation v1 types, the scheduling-policy admission hook.
//! For development, tests, CI and single machines; production uses the team's own API servers.
//!
//! ```text
//!   request ─► http ─► auth ─► http/verbs ─► patch ─► admission (mutate) ─► resources (default, prune, validate)
//!                                                                              │
//!             watch ◄── history ◄── storage (one revisioned store) ◄── admission (validate)
//! ```

pub mod admission;
pub mod auth;
pub mod gc;
pub mod http;
pub mod metrics;
pub mod namespaces;
pub mod patch;
pub mod resources;
pub mod run;
pub mod status;
pub mod storage;
pub mod table;
pub mod watch;
