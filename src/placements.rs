//! The table of every placed object, re-decided when policy, state or the object changes; notifications to the sidecar.

pub mod table;

pub use table::{Filter, Gone, Table};
