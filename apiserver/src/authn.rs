//! Who is calling.
//!
//! ```text
//!   certificate ─┐
//!   static token ├─► authenticator ─► user
//!   signed token ┘
//! ```

pub mod authenticator;
pub mod certificate;
pub mod pki;
pub mod service_account;
pub mod token_file;
pub mod token_request;
pub mod user;

pub use authenticator::{Anonymous, Authenticator};
pub use token_file::StaticTokens;
pub use user::User;
