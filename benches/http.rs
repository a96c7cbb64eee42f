//! Real servers, and a client that loads them.

#![allow(dead_code, reason = "each benchmark uses its own part of these files")]

pub(crate) mod client;
pub(crate) mod server;
mod tls;
pub(crate) mod workload;
