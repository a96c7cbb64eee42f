//! The table of kinds: what is served, and what an object of each kind must look like.

pub mod resource;
pub mod schema;

pub use resource::{Resource, Scope, Subresources};
pub use schema::Schema;
