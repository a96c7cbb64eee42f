//! Cluster to state, decision to annotations: the sidecar of Plimsoll, run by `plimsoll sync`.
//!
//! ```text
//!   federation API server                                                    engine
//!        │ discovery: which kinds                                              ▲
//!        │ replicate/follow: list, watch ──► replicate: replace, delta ────────┤ engine (client)
//!        │ replicate/policies: ConfigMaps ──► one set ─────────────────────────┤
//!        │                                                                     │ remediate/feed
//!        ▲                                                                     ▼
//!        └── write/{apply,events} ◄── remediate/{gate,budget} ◄── remediate/{plan,book}
//!                 ▲ write/lease: one replica
//! ```
//!
//! * [`config`], [`cluster`], [`engine`]: what is asked for, and the two ends of the wire.
//! * [`discovery`]: rows of the table of kinds become kinds that the API server serves.
//! * [`replicate`]: cluster to state; read verbs only.
//! * [`remediate`]: decision to plan; [`remediate::plan`], [`remediate::budget`], [`remediate::book`] and
//!   [`remediate::gate`] are pure.
//! * [`mod@write`]: the only folder that writes to the cluster.
//! * [`run`]: the composition root.

pub mod backoff;
pub mod cluster;
pub mod config;
pub mod discovery;
pub mod engine;
pub mod health;
pub mod lines;
pub mod metrics;
pub mod remediate;
pub mod replicate;
pub mod run;
#[cfg(test)]
mod scripted;
pub mod write;
