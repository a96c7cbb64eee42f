//! The audit log: one line of JSON for each request, `audit.k8s.io/v1` `Event`, with what admission noted of it. Source:
//! `apiserver` `pkg/audit`, `pkg/endpoints/filters/audit.go`, `pkg/apis/audit/v1`.
//!
//! ```text
//!   request ─► trail (who, what, annotations) ─► policy (its level) ─► event ─► log (a queue, a thread, a file)
//! ```
//!
//! Departures from upstream: levels are `None` and `Metadata`, for bodies hold secrets, and a policy with another one is refused; without a
//! policy every request is written; there is no stage `RequestReceived`, whose line says nothing that the later one does not.

mod event;
mod log;
mod metrics;
mod policy;
mod trail;

pub use event::{Answered, Event, Stage};
pub use log::{Log, LogError, Mode, Options, Receipt};
pub use metrics::Metrics;
pub use policy::{Level, Policy, PolicyError};
pub use trail::{ObjectRef, Subject, Trail};
