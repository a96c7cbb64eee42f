//! The stages of OPA's compiler.

pub mod lower;
