//! The table of every placed object, re-decided when policy, state or the object changes; notifications to the sidecar.
//!
//! ```text
//!  Snapshot ─► inputs (what to decide again) ─► queue ─► verdict (one object) ─► rows + log ─► Table: list, watch
//!              └─────────────────── sweep ────────────────────────────────┘     └─ one writer, readers never wait ─┘
//! ```

mod log;
mod rows;
pub mod sweep;
pub mod table;

pub use rows::Counts;
pub use sweep::{PassReport, Sweeper, Trigger};
pub use table::{Filter, Gone, Table};
