//! Sets.

use std::sync::Arc;

use super::operand::{at, set, wrong};
use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context};
use crate::value::{Set, Value};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("and", &[Type::Set(&Type::Any), Type::Set(&Type::Any)], Some(Type::Set(&Type::Any))).by(and).infix("&"),
    row("intersection", &[Type::Set(&Type::Set(&Type::Any))], Some(Type::Set(&Type::Any))).by(intersection),
    row("or", &[Type::Set(&Type::Any), Type::Set(&Type::Any)], Some(Type::Set(&Type::Any))).by(or).infix("|"),
    row("set_diff", &[Type::Set(&Type::Any), Type::Set(&Type::Any)], Some(Type::Set(&Type::Any))).by(difference).deprecated(),
    row("union", &[Type::Set(&Type::Set(&Type::Any))], Some(Type::Set(&Type::Any))).by(union),
];

type Answer = Result<Option<Value>, BuiltinError>;

fn and(context: &mut Context, operands: &[&Value]) -> Answer {
    let (a, b) = (set(operands, 0)?, set(operands, 1)?);
    context.account.charge(bytes(a.len().min(b.len())))?;
    Ok(Some(Value::Set(Arc::new(a.intersection(b, &mut context.account)?))))
}

fn or(context: &mut Context, operands: &[&Value]) -> Answer {
    let (a, b) = (set(operands, 0)?, set(operands, 1)?);
    if a.is_empty() {
        return at(operands, 1).cloned().map(Some);
    }
    if b.is_empty() {
        return at(operands, 0).cloned().map(Some);
    }
    context.account.charge(bytes(a.len().saturating_add(b.len())))?;
    Ok(Some(Value::Set(Arc::new(a.union(b, &mut context.account)?))))
}

fn difference(context: &mut Context, operands: &[&Value]) -> Answer {
    let (a, b) = (set(operands, 0)?, set(operands, 1)?);
    context.account.charge(bytes(a.len()))?;
    Ok(Some(Value::Set(Arc::new(a.difference(b, &mut context.account)?))))
}

fn intersection(context: &mut Context, operands: &[&Value]) -> Answer {
    let sets = members(set(operands, 0)?)?;
    let Some((first, rest)) = sets.split_first() else { return Ok(Some(Value::set([]))) };
    let mut common = (*first).clone();
    for other in rest {
        context.account.charge(bytes(common.len().min(other.len())))?;
        common = Arc::new(common.intersection(other, &mut context.account)?);
    }
    Ok(Some(Value::Set(common)))
}

fn union(context: &mut Context, operands: &[&Value]) -> Answer {
    let sets = members(set(operands, 0)?)?;
    let count = sets.iter().fold(0_usize, |count, set| count.saturating_add(set.len()));
    context.account.charge(bytes(count))?;
    let all = sets.iter().flat_map(|set| set.members().iter().cloned()).collect();
    Ok(Some(Value::Set(Arc::new(Set::new_within(all, &mut context.account)?))))
}

fn members<'s>(sets: &'s Set) -> Result<Vec<&'s Arc<Set>>, BuiltinError> {
    let inner = |member: &'s Value| if let Value::Set(set) = member { Ok(set) } else { Err(wrong(0, member, &["set"])) };
    sets.members().iter().map(inner).collect()
}

fn bytes(members: usize) -> usize {
    members.saturating_mul(size_of::<Value>()).saturating_add(size_of::<Set>())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answer, context};

    /// As OPA 1.22 answers with `--strict-builtin-errors`.
    #[test]
    fn sets_are_those_of_opa() {
        let mut context = context();
        let pair = |a: &str, b: &str| format!("[{{\"set\": {a}}}, {{\"set\": {b}}}]");
        for (name, a, b, expected) in [
            ("and", "[1, 2]", "[2.0, 3]", "{2}"),
            ("and", "[1.0, 2]", "[1]", "{1}"),
            ("or", "[1, 2]", "[2.0, 3]", "{1, 2, 3}"),
            ("or", "[]", "[]", "set()"),
            ("set_diff", "[1, 2]", "[1.0]", "{2}"),
        ] {
            assert_eq!(answer(&mut context, name, &pair(a, b)), expected, "{name} {a} {b}");
        }
        for (name, operands, expected) in [
            ("union", r#"[{"set": [{"set": [1, 2]}, {"set": [3]}, {"set": []}]}]"#, "{1, 2, 3}"),
            ("intersection", r#"[{"set": [{"set": [1, 2]}, {"set": [2, 3]}]}]"#, "{2}"),
            ("intersection", r#"[{"set": []}]"#, "set()"),
            ("union", r#"[{"set": [{"set": [1]}, 2]}]"#, "eval_type_error: union: operand 1 must be set but got number"),
            ("or", r#"[{"set": []}, [1]]"#, "eval_type_error: or: operand 2 must be set but got array"),
        ] {
            assert_eq!(answer(&mut context, name, operands), expected, "{name} {operands}");
        }
    }
}
