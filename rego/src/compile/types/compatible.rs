//! Whether two types may have a value in common (`v1/ast/check.go`, `unifies`).

use foldhash::HashMap;

use super::lattice::{Array, Function, Object, Type, Union};
use super::select::member;
use crate::syntax::steps;

/// Whether two types may have a value in common; not when one is unknown.
pub(crate) fn unifies(a: Option<&Type>, b: Option<&Type>) -> bool {
    Pairs::default().unify(a, b)
}

/// Pairs of types that were compared: what is held many times is compared once.
#[derive(Default)]
struct Pairs(HashMap<(usize, usize), bool>);

impl Pairs {
    fn unify(&mut self, a: Option<&Type>, b: Option<&Type>) -> bool {
        steps::one();
        let (Some(a), Some(b)) = (a, b) else { return false };
        let Some(pair) = a.address().zip(b.address()) else { return self.compare(a, b) };
        if let Some(known) = self.0.get(&pair) {
            return *known;
        }
        let found = self.compare(a, b);
        self.0.insert(pair, found);
        found
    }

    fn compare(&mut self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Any(x), _) => self.with_union(x, b),
            (_, Type::Any(y)) => self.with_union(y, a),
            (Type::Array(a), Type::Array(b)) => self.arrays(a, b),
            (Type::Object(a), Type::Object(b)) => self.objects(a, b),
            (Type::Set(a), Type::Set(b)) => self.dynamics(a.0.as_ref(), b.0.as_ref()),
            (Type::Function(a), Type::Function(b)) => self.functions(a, b),
            (Type::Null, Type::Null)
            | (Type::Boolean, Type::Boolean)
            | (Type::Number, Type::Number)
            | (Type::String, Type::String) => true,
            _ => false,
        }
    }

    fn with_union(&mut self, union: &Union, other: &Type) -> bool {
        !matches!(other, Type::Function(_))
            && (union.0.is_empty() || union.0.iter().any(|one| self.unify(Some(one), Some(other))))
    }

    fn arrays(&mut self, a: &Array, b: &Array) -> bool {
        let longer = a.fixed.len().max(b.fixed.len());
        let item = |array: &Array, at: usize| array.fixed.get(at).unwrap_or(&array.dynamic).clone();
        (0..longer).all(|at| self.unify(item(a, at).as_ref(), item(b, at).as_ref()))
            && self.dynamics(a.dynamic.as_ref(), b.dynamic.as_ref())
    }

    fn dynamics(&mut self, a: Option<&Type>, b: Option<&Type>) -> bool {
        a.is_none() || b.is_none() || self.unify(a, b)
    }

    fn objects(&mut self, a: &Object, b: &Object) -> bool {
        let value = |object: &Object| object.dynamic.as_ref().and_then(|dynamic| dynamic.value.clone());
        let (x, y) = (value(a), value(b));
        let open = x.is_some() || y.is_some();
        self.named(a, b, open) && self.named(b, a, open) && self.dynamics(x.as_ref(), y.as_ref())
    }

    fn named(&mut self, a: &Object, b: &Object, open: bool) -> bool {
        a.fixed.iter().all(|(key, value)| match member(b, key) {
            Some(other) => self.unify(value.as_ref(), Some(&other)),
            None => open,
        })
    }

    fn functions(&mut self, a: &Function, b: &Function) -> bool {
        a.operands.len() == b.operands.len()
            && a.operands.iter().zip(&b.operands).all(|(a, b)| self.unify(a.as_ref(), b.as_ref()))
    }
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
