//! `rand.intn` (`v1/topdown/numbers.go`): one number for the same operands throughout an evaluation.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::super::operand::{integer, string};
use super::super::{BuiltinError, Context};
use crate::value::{Str, Value};

/// What was drawn, and where the next draw begins.
#[derive(Debug, Default)]
struct Drawn {
    numbers: HashMap<(Str, u64), u64>,
    state: Option<u64>,
}

pub(super) fn intn(context: &mut Context, operands: &[&Value]) -> Result<Option<Value>, BuiltinError> {
    let (text, below) = (string(operands, 0)?, integer(operands, 1)?.unsigned_abs());
    if below == 0 {
        return Ok(Some(Value::Int(0)));
    }
    context.account.charge(text.len().saturating_add(64))?;
    let seed = context.seed;
    let drawn = context.kept.get::<Drawn>();
    let key = (text.clone(), below);
    let number = match drawn.numbers.get(&key) {
        Some(number) => *number,
        None => {
            let number = drawn.next(seed, below);
            drawn.numbers.insert(key, number);
            number
        }
    };
    Ok(Some(i64::try_from(number).map_or(Value::Int(0), Value::Int)))
}

impl Drawn {
    /// A number below a bound. Of 64 bits, what a product with them favours is nothing.
    fn next(&mut self, seed: Option<u64>, below: u64) -> u64 {
        let start = || seed.unwrap_or_else(|| RandomState::new().hash_one(0));
        let state = self.state.unwrap_or_else(start).wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.state = Some(state);
        let product = u128::from(mixed(state)).saturating_mul(u128::from(below)) >> 64;
        u64::try_from(product).unwrap_or(0)
    }
}

/// SplitMix64.
fn mixed(state: u64) -> u64 {
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{answer, context};

    #[test]
    fn one_number_is_drawn_for_the_same_operands() {
        let mut context = context();
        let first: Vec<_> = (0..200).map(|at| answer(&mut context, "rand.intn", &format!("[\"{at}\", 1000]"))).collect();
        let again: Vec<_> = (0..200).map(|at| answer(&mut context, "rand.intn", &format!("[\"{at}\", 1000]"))).collect();
        assert_eq!(first, again);
        let numbers: Vec<u64> = first.iter().map(|text| text.parse().unwrap()).collect();
        assert!(numbers.iter().all(|number| *number < 1_000) && numbers.iter().any(|number| *number > 500), "{numbers:?}");
        assert!(numbers.iter().any(|number| *number < 500), "{numbers:?}");
        assert_eq!(answer(&mut context, "rand.intn", "[\"x\", 0]"), "0");
        assert_eq!(answer(&mut context, "rand.intn", "[\"x\", -1]"), "0");
        let expected = "eval_type_error: rand.intn: operand 2 must be integer number but got floating-point number";
        assert_eq!(answer(&mut context, "rand.intn", "[\"x\", 1.5]"), expected);
    }
}
