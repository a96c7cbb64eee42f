//! Plimsoll: policy-based placement for federated Kubernetes. This crate is the engine and the command line.
//!
//! ```text
//!    policies/*.rego                                federation API server (clusters, workloads, …)
//!         │ policy_set                                 │  sidecar/replicate            ▲
//!         ▼                                            ▼                               │ patch
//!    PolicySet ────────┐                     ┌────── State (state)                     │
//!                      ▼                     ▼                                         │
//!                    Snapshot  (both, frozen, with epoch + revision)                   │
//!                      │ decision                                                      │
//!                      ▼                                                               │
//!                    Outcome { place | nowhere | no opinion | denied | undefined | unavailable }
//!                      │                                                               │
//!           ┌──────────┴────────────────┐                                              │
//!           ▼ at admission              ▼ afterwards                                   │
//!    server (v0, v1,              placements: table of every placed object,            │
//!    AdmissionReview)             swept on change ─► notifications ─► sidecar: plan ─► budget ─► write
//! ```

pub mod budget;
pub mod cli;
pub mod decision;
pub mod fields;
pub mod management;
pub mod placements;
pub mod policy_set;
pub mod printable;
pub mod rego;
pub mod server;
pub mod snapshot;
pub mod state;
pub mod why;
mod yaml;
