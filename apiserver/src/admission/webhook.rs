//! Admission webhooks, `admissionregistration.k8s.io/v1`: mutating ones one after the other, validating ones at once. Source:
//! `apiserver` `pkg/admission/plugin/webhook`, 1.36.3.
//!
//! ```text
//!   store ─► configuration (in force from the commit on; that of another API server from the next read on)
//!               │
//!  folder ─► manifest (in force once it was found twice, and not known to the API)
//!               │
//!   write ─► matching (selectors, rules, equivalent versions, conditions) ─► review ─► client ─► hook
//!               │                                                               │
//!               └── mutating: patch, default, perhaps once more ◄── verdict ◄───┘
//!               └── validating: all at once, the first refusal in order counts
//! ```
//!
//! Departures from upstream: redirects are not followed, an answer has a limit, of several refusals always the same one is told,
//! and a patch that does not apply is told with the webhook's name, which administrators need and 1.36.3 leaves out. Requests
//! that are answered and forgotten (reviews, tokens) meet no webhook; upstream exempts reviews from 1.37 on. The objects
//! that a server makes at its start meet no webhook either: one that is gone would keep it from starting.

mod authorization;
mod call;
mod client;
mod condition;
mod configuration;
mod error;
pub mod manifest;
pub mod matching;
mod metrics;
mod mutating;
mod noted;
pub mod plugin;
mod review;
mod rule;
mod services;
mod spec;
mod validating;

pub use call::Calls;
pub use client::{ANSWER_LIMIT, Caller};
pub use condition::{COST_LIMIT, Condition};
pub use configuration::{Configurations, Hooks, LoadError, Webhook, of_object};
pub use error::{CallError, CallFault, ReviewFault};
pub use manifest::{ManifestError, Manifests};
pub use metrics::{Called, ErrorType, Metrics, Type};
pub use mutating::MutatingWebhooks;
pub use review::variables;
pub use rule::Rule;
pub use services::{RemoteServices, Services};
pub use spec::{ClientConfig, FailurePolicy, MatchCondition, MatchPolicy, ReinvocationPolicy, Service, Spec};
pub use validating::ValidatingWebhooks;
