//! Rego itself (`v1/topdown/parse.go`). `rego.metadata.*` are the compiler's: what is left of them when a body is evaluated stands
//! outside of rules.

use super::error::Answer;

use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context, operand};
use crate::syntax::json::{Style, module};
use crate::syntax::parse::{Options, parse_module};
use crate::syntax::report::listed;
use crate::syntax::source::{Source, Sources};
use crate::syntax::stack::with_depth;
use crate::syntax::tree::Version;
use crate::value::Value;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("rego.metadata.chain", &[], Some(Type::Array(&Type::Any))).by(chain),
    row("rego.metadata.rule", &[], Some(Type::Any)).by(rule),
    row("rego.parse_module", &[Type::String, Type::String], Some(Type::Object(&Type::String, &Type::Any))).by(parse),
];

/// Bytes of a tree and its JSON, for each byte of a module.
const TREE: usize = 64;

fn chain(_: &mut Context, _: &[&Value]) -> Answer {
    Err(outside("rego.metadata.chain"))
}

fn rule(_: &mut Context, _: &[&Value]) -> Answer {
    Err(outside("rego.metadata.rule"))
}

fn outside(name: &str) -> BuiltinError {
    BuiltinError::failed(format!("the {name} function must only be called within the scope of a rule"))
}

/// A module as OPA shows its tree in JSON.
fn parse(context: &mut Context, operands: &[&Value]) -> Answer {
    let name = operand::string(operands, 0)?;
    // OPA counts both as the first.
    let text = operand::string(operands.get(1..).unwrap_or_default(), 0)?;
    context.account.charge(text.len().saturating_mul(TREE))?;
    let source = Source::new(name, text);
    let id = Sources::default().next();
    let parsed = parse_module(&source, id, &Options { skip_annotations: true, ..Options::of(Version::V1) });
    let parsed = parsed.map_err(|errors| BuiltinError::failed(listed(&source, &errors)))?;
    // The tree is shown and dropped there.
    let depth = parsed.depth;
    Ok(Some(with_depth(depth, move || module(Style { source: &source, locations: false }, &parsed))))
}
