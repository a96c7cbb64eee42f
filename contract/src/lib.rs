//! What the parts of Plimsoll agree on: serde types only, no I/O.
//!
//! ```text
//!  sidecar ── declare, sync (source) ──► engine ── placements (notification) ──► sidecar
//!                  policies (policy) ──►        ◄── kinds (the one table)
//! ```
//!
//! * [`kind`]: one row of the table of kinds, written in the sidecar's configuration and sent to the engine.
//! * [`source`]: declaring a source and replicating objects (`/plimsoll/v1/sources`).
//! * [`policy`]: sending a whole policy set, `/plimsoll/v1/policies/{source}`, and its diagnostics.
//! * [`outcome`]: what a decision can be; a closed sum type.
//! * [`placement`]: one row of the placements table and its notification stream (`/plimsoll/v1/placements`).
//! * [`moves`]: where an object stands, where it is to go, and what moves it.
//! * [`annotations`]: annotation keys, the `plimsoll.io/applied` record and canonical JSON.
//! * [`controllers`]: whose writes are a controller's.
//! * [`exempt`]: what is never decided.
//! * [`pointer`](mod@pointer): JSON pointers to fields.
//! * [`status`]: what `/plimsoll/v1/status` answers.
//! * [`still`]: where placements stand still.
//! * [`target`]: where placements may be written.
//! * [`token`]: files of bearer tokens.
//! * [`version`]: versions of objects, compared.
//! * [`why`]: why an object is placed as it is (`/plimsoll/v1/why`).

pub mod annotations;
pub mod controllers;
pub mod exempt;
pub mod kind;
pub mod moves;
pub mod outcome;
pub mod placement;
pub mod pointer;
pub mod policy;
pub mod source;
pub mod status;
pub mod still;
pub mod target;
pub mod token;
pub mod version;
pub mod why;
