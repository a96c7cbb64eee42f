//! Rego, exactly as OPA 1.22 means it.
//!
//! ```text
//!  text ─► syntax ─► compile ─► ir ─► program ─► bind(data) ─► eval ─► value
//!                                        │                      ▲
//!                                        └──► depend      builtins
//! ```
//!
//! - [`syntax`]: text to tree, v0 and v1 into one, with every error of a file.
//! - [`compile`]: the stages of OPA's compiler by their names, from trees to the intermediate form.
//! - [`ir`]: what is evaluated: variables are slots, references are resolved.
//! - [`value`]: values, exact numbers, OPA's order, JSON.
//! - [`eval`]: bodies, references, rules, comprehensions, `with`.
//! - [`depend`]: what an entry point reads, and what does not depend on input.
//! - [`builtins`]: one table, a folder for each topic of OPA's list.

pub mod builtins;
pub mod compile;
pub mod depend;
pub mod error;
pub mod eval;
pub mod ir;
pub mod limits;
pub mod program;
pub mod syntax;
pub mod value;
