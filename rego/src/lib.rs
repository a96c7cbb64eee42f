//! Rego, exactly as OPA 1.22 means it: parsed, compiled and evaluated. Nothing here does any I/O.
//!
//! ```text
//!  text ─► syntax ─► compile ─► ir ─► program ─► bind(data) ─► eval ─► value
//!                                │                              ▲
//!                                └──► depend               builtins
//! ```
//!
//! - [`syntax`]: text to tree, v0, v1 and v2 into one, with every error of a file.
//! - [`compile`]: the stages of OPA's compiler by their names, then down to what is evaluated.
//! - [`ir`]: what is evaluated: variables are slots, references are resolved.
//! - [`depend`]: what an entry point reads.
//! - [`program`]: a set that is compiled once, bound to data, and asked.
//! - [`eval`]: bodies, references, rules, comprehensions, `with`.
//! - [`testing`]: tests of policies, and what they cover.
//! - [`trace`]: what an evaluation does, step by step, as OPA tells it.
//! - [`builtins`]: one table, a folder for each topic of OPA's list.
//! - [`value`]: values, exact numbers, OPA's order, JSON.
//!
//! ```
//! use std::sync::Arc;
//!
//! use plimsoll_rego::program::{Program, Request, Text};
//! use plimsoll_rego::value::{Value, json};
//!
//! let text = "package fleet\n ready contains name if { some name, cluster in data.clusters; cluster.ready == input.ready }";
//! let text = Text { name: "fleet.rego".to_owned(), text: text.to_owned(), version: None };
//! let program = Arc::new(Program::compile(&[text], &Default::default()).map_err(|refused| refused.errors)?);
//! let bound = program.bind(json::read(br#"{"clusters": {"a": {"ready": true}, "b": {"ready": false}}}"#, 128)?);
//! let input = json::read(br#"{"ready": true}"#, 128)?;
//! let ready = bound.document(&["fleet", "ready"].map(Value::from), &Request { input: Some(&input), ..Request::default() })?;
//! assert_eq!(ready, Some(Value::set(["a".into()])));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod builtins;
pub mod compile;
pub mod depend;
pub mod error;
pub mod eval;
pub mod ir;
pub mod limits;
pub mod program;
pub mod syntax;
pub mod testing;
pub mod trace;
pub mod value;
