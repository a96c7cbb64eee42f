//! UUIDs (`internal/uuid`, and `github.com/google/uuid`, which OPA reads them with).

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::error::Answer;
use super::signature::Type;
use super::table::{Builtin, Dependence, row};
use super::{Context, operand};
use crate::value::{ArcStr, Value};

mod fields;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("uuid.parse", &[Type::String], Some(Type::Object(&Type::String, &Type::Any))).by(parse),
    row("uuid.rfc4122", &[Type::String], Some(Type::String)).depends(Dependence::Random).nondeterministic().by(rfc4122),
];

/// What was made for each operand: it is the same throughout an evaluation.
#[derive(Default)]
struct Made(HashMap<ArcStr, ArcStr>);

fn parse(_: &mut Context, operands: &[Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    Ok(fields::bytes(text.as_bytes()).map(|uuid| fields::told(&uuid)))
}

/// A random one. OPA goes by the operand's hash, whatever its type; here only text comes this far.
fn rfc4122(context: &mut Context, operands: &[Value]) -> Answer {
    let key = operand::string(operands, 0)?;
    context.account.charge(128_usize.saturating_add(key.len()))?;
    let seed = context.seed;
    let made = &mut context.kept.get::<Made>().0;
    if let Some(uuid) = made.get(key) {
        return Ok(Some(Value::String(uuid.clone())));
    }
    let random = seed.map_or_else(|| uuid::Uuid::new_v4().into_bytes(), |seed| seeded(seed, key));
    let uuid = ArcStr::from(uuid::Builder::from_random_bytes(random).into_uuid().to_string());
    made.insert(key.clone(), uuid.clone());
    Ok(Some(Value::String(uuid)))
}

/// What a seed gives for an operand.
fn seeded(seed: u64, key: &str) -> [u8; 16] {
    let digest = Sha256::new().chain_update(seed.to_be_bytes()).chain_update(key).finalize();
    digest.first_chunk::<16>().copied().unwrap_or_default()
}
