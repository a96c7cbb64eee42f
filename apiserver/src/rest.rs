//! What may be done with stored objects. Each verb takes a [`context::Context`] and gives an object or a list of them, whoever
//! asks: a request, or a controller of the server itself. HTTP is not known here.
//!
//! ```text
//!  context ─► create, update, patch, delete ─► identity ─► settle (what the server owns) ─► admission ─► resources ─► server.write
//!          └► list ─► form (whole, table, metadata)
//!  connect: admission alone; no stream is opened here
//!  initialization: what is seen of an object, and for how long it is waited, before its initializers have answered
//! ```

pub mod access_review;
pub mod collection;
pub mod connect;
pub mod context;
pub mod continue_token;
pub mod create;
pub mod delete;
pub mod form;
pub mod garbage_collection;
pub mod identity;
pub mod initialization;
pub mod list;
pub mod namespaces;
pub mod patch;
pub mod scale;
pub mod settle;
pub mod update;
