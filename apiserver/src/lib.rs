//! The embedded federation API server: stock kubectl, the federation v1 types, the scheduling-policy admission hook, initializers,
//! admission webhooks of every generation.
//! For development, tests, CI and single machines; production uses the team's own API servers.
//!
//! ```text
//!   request ─► http ─► authn, authz ─► rest ─► patch ─► admission (mutate) ─► resources (default, prune, validate)
//!                                                                                          │
//!                          watch ◄── history ◄── storage (one revisioned store) ◄── admission (validate)
//! ```
//!
//! A room uses only those that stand before it here: storage, status, names, quantity, expression, resources, patch, table, selector,
//! authn, authz, admission, metrics, server, rest, watch, http. `run` puts them together.

pub mod admission;
pub mod audit;
pub mod authn;
pub mod authz;
pub mod expression;
pub mod http;
pub mod metrics;
pub mod names;
pub mod patch;
pub mod quantity;
pub mod resources;
pub mod rest;
pub mod run;
pub mod selector;
pub mod server;
pub mod status;
pub mod storage;
pub mod table;
pub mod watch;
