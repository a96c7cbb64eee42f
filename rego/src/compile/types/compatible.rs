//! Whether two types may have a value in common (`v1/ast/check.go`, `unifies`).

use super::lattice::{Array, Function, Object, Type, Union};
use super::select::member;
use crate::syntax::steps;

/// Whether two types may have a value in common; not when one is unknown.
pub(crate) fn unifies(a: Option<&Type>, b: Option<&Type>) -> bool {
    steps::one();
    let (Some(a), Some(b)) = (a, b) else { return false };
    match (a, b) {
        (Type::Any(x), Type::Any(y)) => with_union(x, b) || with_union(y, a),
        (Type::Any(x), _) => with_union(x, b),
        (_, Type::Any(y)) => with_union(y, a),
        (Type::Array(a), Type::Array(b)) => arrays(a, b),
        (Type::Object(a), Type::Object(b)) => objects(a, b),
        (Type::Set(a), Type::Set(b)) => a.0.is_none() || b.0.is_none() || unifies(a.0.as_ref(), b.0.as_ref()),
        (Type::Function(a), Type::Function(b)) => functions(a, b),
        (Type::Null, Type::Null)
        | (Type::Boolean, Type::Boolean)
        | (Type::Number, Type::Number)
        | (Type::String, Type::String) => true,
        _ => false,
    }
}

fn with_union(union: &Union, other: &Type) -> bool {
    !matches!(other, Type::Function(_)) && (union.0.is_empty() || union.0.iter().any(|one| unifies(Some(one), Some(other))))
}

fn arrays(a: &Array, b: &Array) -> bool {
    let longer = a.fixed.len().max(b.fixed.len());
    let item = |array: &Array, at: usize| array.fixed.get(at).unwrap_or(&array.dynamic).clone();
    (0..longer).all(|at| unifies(item(a, at).as_ref(), item(b, at).as_ref())) && dynamics(a.dynamic.as_ref(), b.dynamic.as_ref())
}

fn dynamics(a: Option<&Type>, b: Option<&Type>) -> bool {
    a.is_none() || b.is_none() || unifies(a, b)
}

fn objects(a: &Object, b: &Object) -> bool {
    let value = |object: &Object| object.dynamic.as_ref().and_then(|dynamic| dynamic.value.clone());
    let (x, y) = (value(a), value(b));
    let open = x.is_some() || y.is_some();
    named(a, b, open) && named(b, a, open) && dynamics(x.as_ref(), y.as_ref())
}

fn named(a: &Object, b: &Object, open: bool) -> bool {
    a.fixed.iter().all(|(key, value)| match member(b, key) {
        Some(other) => unifies(value.as_ref(), Some(&other)),
        None => open,
    })
}

fn functions(a: &Function, b: &Function) -> bool {
    a.operands.len() == b.operands.len() && a.operands.iter().zip(&b.operands).all(|(a, b)| unifies(a.as_ref(), b.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::super::join::or;
    use super::super::lattice::{Dynamic, Type, any};
    use super::unifies;

    #[test]
    fn as_opa() {
        let dynamic = |value: Type| Type::object(Vec::new(), Some(Dynamic { key: Some(Type::String), value: Some(value) }));
        let named = |key: &str, value: Type| Type::object(vec![(key.into(), Some(value))], None);
        let either = or(Some(Type::Null), Some(Type::String)).unwrap();
        let cases = [
            (Type::Null, Type::Null, true),
            (Type::Null, Type::Boolean, false),
            (any(), Type::set(None), true),
            (either.clone(), Type::String, true),
            (Type::Number, either, false),
            (Type::set(None), Type::set(Some(Type::Number)), true),
            (Type::set(Some(Type::String)), Type::set(Some(Type::Number)), false),
            (Type::array(vec![Some(Type::Number)], None), Type::array(vec![], Some(Type::Number)), true),
            (Type::array(vec![Some(Type::Number)], None), Type::array(vec![], None), false),
            (named("a", Type::Number), named("b", Type::Number), false),
            (named("a", Type::Number), dynamic(Type::Number), true),
            (named("a", Type::Number), dynamic(Type::String), false),
            (dynamic(Type::Number), dynamic(Type::String), false),
        ];
        for (a, b, expected) in cases {
            assert_eq!(unifies(Some(&a), Some(&b)), expected, "{a} and {b}");
            assert_eq!(unifies(Some(&b), Some(&a)), expected, "{b} and {a}");
        }
        assert!(!unifies(None, Some(&any())));
    }
}
