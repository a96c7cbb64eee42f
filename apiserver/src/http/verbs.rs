//! The verbs. Each takes a [`super::context::Context`] and gives an object or a list of them; HTTP is not known here.

pub mod collection;
pub mod create;
pub mod delete;
pub mod identity;
pub mod list;
pub mod patch;
pub mod scale;
pub mod settle;
pub mod update;
