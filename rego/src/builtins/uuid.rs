//! UUIDs (`internal/uuid`, and `github.com/google/uuid`, which OPA reads them with).

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::error::Answer;
use super::signature::Type;
use super::table::{Builtin, Dependence, row};
use super::{Context, operand};
use crate::value::{Str, Value};

mod fields;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("uuid.parse", &[Type::String], Some(Type::Object(&Type::String, &Type::Any))).by(parse),
    row("uuid.rfc4122", &[Type::String], Some(Type::String)).depends(Dependence::Random).nondeterministic().by(rfc4122),
];

/// What was made for each operand: it is the same throughout an evaluation.
#[derive(Default)]
struct Made(HashMap<Value, Str>);

fn parse(_: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    Ok(fields::bytes(text.as_bytes()).map(|uuid| fields::told(&uuid)))
}

/// A random one. OPA goes by the operand's hash, whatever its type.
fn rfc4122(context: &mut Context, operands: &[&Value]) -> Answer {
    let key = operand::at(operands, 0)?;
    context.account.charge(128_usize.saturating_add(key.as_str().map_or(0, |text| text.len())))?;
    let seed = context.seed;
    let made = &mut context.kept.get::<Made>().0;
    if let Some(uuid) = made.get(key) {
        return Ok(Some(Value::String(uuid.clone())));
    }
    let random = seed.map_or_else(|| uuid::Uuid::new_v4().into_bytes(), |seed| seeded(seed, key));
    let uuid = Str::from(uuid::Builder::from_random_bytes(random).into_uuid().to_string());
    made.insert(key.clone(), uuid.clone());
    Ok(Some(Value::String(uuid)))
}

/// What a seed gives for an operand.
fn seeded(seed: u64, key: &Value) -> [u8; 16] {
    let digest = Sha256::new().chain_update(seed.to_be_bytes()).chain_update(key.to_string()).finalize();
    digest.first_chunk::<16>().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtins::context::Kept;
    use crate::limits::{Account, Limits};

    fn context(seed: Option<u64>) -> Context {
        let (account, kept) = (Account::new(Limits::default()), Kept::default());
        Context { account, now_ns: 0, runtime: Value::Null, seed, kept }
    }

    fn made(context: &mut Context, key: &Value) -> String {
        rfc4122(context, &[key]).unwrap().unwrap().as_str().unwrap().to_string()
    }

    #[test]
    fn random_ones_are_the_same_for_one_key_in_one_evaluation() {
        let (a, b) = (Value::from("a"), Value::from(1_i64));
        let (mut one, mut other) = (context(None), context(None));
        let first = made(&mut one, &a);
        assert_eq!(uuid::Uuid::parse_str(&first).unwrap().get_version_num(), 4);
        assert_eq!(made(&mut one, &a), first);
        assert_ne!(made(&mut one, &b), first);
        assert_ne!(made(&mut other, &a), first);
    }

    #[test]
    fn a_seed_makes_them_repeatable() {
        let key = Value::from("a");
        assert_eq!(made(&mut context(Some(7)), &key), made(&mut context(Some(7)), &key));
        assert_ne!(made(&mut context(Some(7)), &key), made(&mut context(Some(8)), &key));
    }
}
