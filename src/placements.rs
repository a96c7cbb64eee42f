//! The table of every placed object, re-decided when policy, state or the object changes; notifications to the sidecar.
//!
//! ```text
//!  Snapshot ─► inputs (what to decide again) ─► queue ─► verdict (one object) ─► rows + log ─► Table: list, watch
//!              └──────────────────── reconcile ──────────────────────────┘     └─ one writer, readers never wait ─┘
//! ```

mod log;
mod passes;
pub mod reconcile;
mod rows;
pub mod table;

pub use passes::Passes;
pub use reconcile::{PassReport, Reconciler, Trigger};
pub use rows::Counts;
pub use table::{Filter, Gone, Table};
