//! Who is calling, and what they may do.
//!
//! ```text
//!   certificate ─┐
//!   static token ├─► authenticator ─► user ─► impersonation ─► authorizer ─► verdict
//!   signed token ┘                                                │
//!                                             rbac policy ◄── roles and bindings of the store
//! ```

pub mod authenticator;
pub mod authorizer;
pub mod certificate;
pub mod impersonation;
pub mod pki;
pub mod rbac;
pub mod request;
pub mod review;
pub mod service_account;
pub mod token_file;
pub mod token_request;
pub mod user;

pub use authenticator::{Anonymous, Authenticator};
pub use authorizer::Authorizer;
pub use impersonation::Impersonation;
pub use request::{Access, Verdict, What};
pub use token_file::StaticTokens;
pub use user::User;
