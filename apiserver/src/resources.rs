//! The table of kinds: what is served, and what an object of each kind must look like.
//!
//! ```text
//!   schemas/*.json ─► definitions ─► rows ─┐
//!                                          ├─► registry (Live: swapped when definitions change)
//!   CustomResourceDefinitions ─► crd ──────┘
//!
//!   body ─► decode ─► prepare (types, unknown fields, defaults) ─► validate ─► strategy (what the server owns) ─► convert
//! ```

pub mod connect;
pub mod convert;
pub mod crd;
pub mod decode;
pub mod definitions;
pub mod initializers;
pub mod object;
pub mod prepare;
#[cfg(test)]
mod recorded;
mod refusal;
pub mod registry;
pub mod resource;
mod rows;
mod runtime_config;
pub mod scale;
pub mod schema;
pub mod strategy;
pub mod validate;

pub use convert::convert;
pub use prepare::{FieldValidation, PrepareError, Warning};
pub use registry::{Group, Live, Registry};
pub use resource::{Cell, Column, Resource, Scale, Scope, Subresources};
pub use rows::TableError;
pub use runtime_config::{RuntimeConfig, RuntimeConfigError};
pub use schema::Schema;
