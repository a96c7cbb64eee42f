//! Plimsoll: policy-based placement for federated Kubernetes. This crate is the engine and the command line.
//!
//! ```text
//!    policies/*.rego                                federation API server (clusters, workloads, …)
//!         │ policy_set                                 │  sidecar/replicate ─► ingest  ▲
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
//!
//! The rooms, each using only those above it (`tests/rooms.rs`):
//!
//! - `printable`: what is written where people read lines
//! - `budget`: what the process may take of memory, and for whom
//! - `rego`: what the engine asks of Rego: programs, documents, queries, limits
//! - `yaml`: YAML as OPA reads it
//! - `state`: what the sources replicated, as a persistent tree of pruned bytes
//! - `fields`: objects as Go reads them into a struct
//! - `snapshot`: policies and state, frozen, with epoch and revision; one writer
//! - `ingest`: what writes the state: sources' declarations and syncs, OPA's data API
//! - `policy_set`: policies that come from directories: read, watched, the last good ones kept
//! - `decision`: one object and one snapshot in, one outcome out
//! - `placements`: the table of placed objects, reconciled when policy, state or an object changes
//! - `why`: why an object is placed as it is
//! - `management`: OPA's configuration file and plugins: bundles, decision log, status
//! - `server`: HTTP: OPA's API, AdmissionReview, `/plimsoll/v1`
//! - `cli`: the command line, which puts the rooms together

pub mod budget;
pub mod cli;
pub mod decision;
pub mod fields;
pub mod ingest;
pub mod management;
pub mod placements;
pub mod policy_set;
pub mod printable;
pub mod rego;
pub mod server;
pub mod snapshot;
pub mod state;
pub mod why;
pub mod yaml;
