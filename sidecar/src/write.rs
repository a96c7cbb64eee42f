//! The only folder that writes to the cluster: patches, Events, the Lease, the record of the brake.

mod answer;
pub mod apply;
pub mod brake;
pub mod events;
pub mod initialize;
pub mod leader;
pub mod lease;
mod request;
pub mod throttle;

/// Field manager, Event source and default Lease name.
pub const COMPONENT: &str = "plimsoll";

#[cfg(test)]
mod tests;
