//! Cluster to state, decision to annotations: the sidecar of Plimsoll, run by `plimsoll sync`.
//!
//! ```text
//!   federation API server                                                     engine
//!        │ replicate/discovery: which kinds                                     ▲
//!        │ replicate/reflector: list, watch ──► replicate: replace, delta ──────┤ engine (client)
//!        │ replicate/policies: ConfigMaps ──► one set ──────────────────────────┤
//!        │                                                                      │ engine/placements
//!        ▲                                                                      ▼
//!        ├── write/{apply,events} ◄── remediator ◄── plan: row, queue, gate, budget
//!        └── write/initialize ◄── initialize: new objects that wait for this sidecar (--initializer)
//!                 ▲ write/lease: one replica
//! ```
//!
//! * [`config`], [`cluster`]: what is asked for, and the way to the API server.
//! * [`engine`]: the engine's API, its status, its placements.
//! * [`replicate`]: cluster to state; read verbs only.
//! * [`plan`]: decision to what is written and said; pure.
//! * [`mod@write`]: the only folder that writes to the cluster.
//! * [`stale`]: what the ages of the mirror mean for readiness.
//! * [`remediator`]: the loop from rows to writes. [`initialize`]: the loop from new objects to writes. [`run`]: the composition root.

pub mod backoff;
pub mod cluster;
pub mod config;
pub mod engine;
pub mod health;
pub mod initialize;
pub mod lines;
pub mod metrics;
pub mod notes;
pub mod plan;
pub mod remediator;
pub mod replicate;
pub mod results;
pub mod run;
#[cfg(test)]
mod scripted;
pub mod stale;
pub mod write;
