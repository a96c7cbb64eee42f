//! What the upload's buffer may hold, and what becomes of the rest.

use super::{WhenFull, upload};
use crate::management::config::decision_logs::{BufferType, Reporting};

/// OPA has no bound by default; memory has.
const BYTES: usize = 64 << 20;
/// OPA's default of the event buffer.
const EVENTS: usize = 10_000;

/// Limits of the buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Bytes of lines.
    pub bytes: usize,
    /// Number of lines.
    pub events: usize,
    /// Lines taken in a second.
    pub per_second: Option<f64>,
    /// What becomes of a line that finds no room.
    pub when_full: WhenFull,
    /// Bytes of a batch, compressed.
    pub batch: usize,
}

impl Bounds {
    /// As configured.
    pub fn of(reporting: &Reporting, when_full: WhenFull) -> Self {
        let bytes = reporting.buffer_size_limit_bytes.map_or(BYTES, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let events = match reporting.buffer_type {
            BufferType::Event => reporting.buffer_size_limit_events.unwrap_or(EVENTS),
            BufferType::Size => usize::MAX,
        };
        Self { bytes, events, per_second: reporting.max_decisions_per_second, when_full, batch: upload::batch(reporting) }
    }
}
