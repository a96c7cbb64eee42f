//! Who is calling, and what they may do.

pub mod user;

pub use user::User;
