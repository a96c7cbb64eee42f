//! What must be so, of what was stored and of what was said.

use std::time::Duration;

use super::pair::STALE_AFTER;

mod end;
mod events;
mod order;
mod truth;
mod values;

pub(super) use end::{settle, stays};
pub(super) use events::events;
pub(super) use order::{freshness, order};
pub(super) use truth::Truth;
pub(super) use values::values;

/// The configured detection time, and five seconds more.
const DETECTION: Duration = Duration::from_secs(STALE_AFTER + 5);

/// Who said or stored what is not so.
pub(super) type Violations = Vec<String>;
