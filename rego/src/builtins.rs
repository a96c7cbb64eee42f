//! The functions that OPA knows: one table, a folder for each topic of OPA's list.

mod aggregates;
mod arrays;
mod bits;
mod bytes;
mod comparison;
pub mod context;
mod conversions;
mod crypto;
mod encoding;
pub mod error;
mod float;
mod glob;
mod graph;
mod graphql;
mod internal;
mod json_schema;
mod jwt;
mod net;
mod numbers;
mod objects;
mod opa;
pub mod operand;
mod output;
mod quote;
mod recent;
mod refused;
mod regex;
mod rego;
mod semver;
mod sets;
pub mod signature;
mod strings;
pub mod table;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod time;
mod tracing;
mod types;
mod units;
mod uri;
mod uuid;

pub use context::Context;
pub use crypto::marshalled_certificate;
pub use encoding::yaml_document;
pub use error::{BuiltinError, Fault};
pub use refused::refusal;
pub use signature::Type;
pub use table::{Builtin, Dependence, find, row};
pub(crate) use uri::Url;
