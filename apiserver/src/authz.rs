//! What a caller may do.
//!
//! ```text
//!   user ─► impersonation ─► authorizer ─► verdict
//!                                │
//!            rbac policy ◄── roles and bindings of the store
//! ```

pub mod authorizer;
pub mod impersonation;
pub mod rbac;
pub mod request;
pub mod review;

pub use authorizer::Authorizer;
pub use impersonation::Impersonation;
pub use request::{Access, Verdict, What};
