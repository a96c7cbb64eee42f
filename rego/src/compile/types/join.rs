//! How types join (`v1/types/types.go`, `Or`; `v1/ast/env.go`, `mergeTypes`).

use std::sync::Arc;

use super::lattice::{Dynamic, Function, Object, Type, Union};

/// One of both; what is unknown adds nothing (`Or`). A function joins nothing but functions of as many operands.
pub(crate) fn or(a: Option<Type>, b: Option<Type>) -> Option<Type> {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(Type::Function(a)), Some(Type::Function(b))) => functions(&a, &b),
        (Some(Type::Function(_)), _) | (_, Some(Type::Function(_))) => None,
        (Some(a), Some(b)) => Some(joined(a, b)),
    }
}

/// One of all, in the time that sorting them takes.
pub(crate) fn or_all(types: impl IntoIterator<Item = Option<Type>>) -> Option<Type> {
    let mut known: Vec<Type> = types.into_iter().flatten().collect();
    if known.iter().any(|one| matches!(one, Type::Function(_))) {
        return known.into_iter().fold(None, |all, one| or(all, Some(one)));
    }
    if let Some(anything) = known.iter().find(|one| one.is_anything()) {
        return Some(anything.clone());
    }
    if known.len() > 1 && known.iter().any(|one| matches!(one, Type::Any(_))) {
        known = known.iter().flat_map(alternatives).cloned().collect();
    }
    known.sort();
    known.dedup();
    if known.len() > 1 { Some(Type::Any(Arc::new(Union(known)))) } else { known.pop() }
}

/// Joins in place what nobody else holds: the types of many rules of one name add up.
fn joined(mut a: Type, mut b: Type) -> Type {
    if a.is_anything() || (!b.is_anything() && a == b) {
        return a;
    }
    if b.is_anything() {
        return b;
    }
    if !matches!(a, Type::Any(_)) {
        std::mem::swap(&mut a, &mut b);
    }
    match &mut a {
        Type::Any(union) => {
            if let Some(union) = Arc::get_mut(union) {
                alternatives(&b).iter().for_each(|one| union.insert(one));
                return a;
            }
        }
        _ => return Type::Any(Arc::new(Union(if a < b { vec![a, b] } else { vec![b, a] }))),
    }
    let mut union = Union(alternatives(&a).to_vec());
    alternatives(&b).iter().for_each(|one| union.insert(one));
    Type::Any(Arc::new(union))
}

impl Union {
    fn insert(&mut self, one: &Type) {
        if let Err(at) = self.0.binary_search(one) {
            self.0.insert(at, one.clone());
        }
    }
}

fn alternatives(one: &Type) -> &[Type] {
    if let Type::Any(union) = one { &union.0 } else { std::slice::from_ref(one) }
}

fn functions(a: &Function, b: &Function) -> Option<Type> {
    if a.operands.len() != b.operands.len() || a.variadic.is_some() != b.variadic.is_some() {
        return None;
    }
    let operands = a.operands.iter().zip(&b.operands).map(|(a, b)| or(a.clone(), b.clone())).collect();
    let variadic = or(a.variadic.clone(), b.variadic.clone());
    Some(Type::Function(Arc::new(Function { operands, variadic, result: or(a.result.clone(), b.result.clone()), builtin: None })))
}

/// What rules of one name give together: sets and objects grow into one another, all else are alternatives (`mergeTypes`).
pub(crate) fn merge(a: Option<Type>, b: Option<Type>) -> Option<Type> {
    match (a, b) {
        (Some(a), Some(b)) => merged(a, b),
        (a, b) => a.or(b),
    }
}

fn merged(mut a: Type, mut b: Type) -> Option<Type> {
    match (&mut a, &mut b) {
        (Type::Object(x), Type::Object(y)) if x.fixed.is_empty() && y.fixed.is_empty() => Some(objects(x, y)),
        (Type::Object(x), Type::Any(union)) | (Type::Any(union), Type::Object(x)) => match into_union(x, union) {
            Some(union) => Some(Type::Any(union)),
            None => or(Some(a), Some(b)),
        },
        (Type::Set(x), Type::Set(y)) => {
            let of = match Arc::get_mut(x) {
                Some(own) => own.0.take(),
                None => x.0.clone(),
            };
            Some(Type::set(or(of, y.0.clone())))
        }
        _ => or(Some(a), Some(b)),
    }
}

fn objects(a: &mut Arc<Object>, b: &Arc<Object>) -> Type {
    let Some(y) = &b.dynamic else { return Type::Object(Arc::clone(a)) };
    let taken = match Arc::get_mut(a) {
        Some(own) => own.dynamic.take(),
        None => a.dynamic.clone(),
    };
    let Some(x) = taken else { return Type::Object(Arc::clone(b)) };
    let dynamic = Dynamic { key: or(x.key, y.key.clone()), value: merge(x.value, y.value.clone()) };
    Type::object(Vec::new(), Some(dynamic))
}

/// The union with the object taken into the first of its objects that has no named members.
fn into_union(object: &Object, union: &Union) -> Option<Arc<Union>> {
    let added = object.dynamic.as_ref().filter(|_| object.fixed.is_empty())?;
    let at = union.0.iter().position(|one| matches!(one, Type::Object(o) if o.fixed.is_empty() && o.dynamic.is_some()))?;
    let mut all = union.0.clone();
    let slot = all.get_mut(at)?;
    let Type::Object(old) = &*slot else { return None };
    let dynamic = old
        .dynamic
        .as_ref()
        .map(|old| Dynamic { key: or(old.key.clone(), added.key.clone()), value: or(old.value.clone(), added.value.clone()) });
    *slot = Type::object(Vec::new(), dynamic);
    all.sort();
    all.dedup();
    Some(Arc::new(Union(all)))
}

#[cfg(test)]
mod tests {
    use super::super::lattice::{Type, any};
    use super::{or, or_all};

    #[test]
    fn joining_many_is_joining_one_by_one() {
        let object = |key: &str| Type::object(vec![(key.into(), Some(Type::Number))], None);
        let all = [Type::String, object("b"), or(Some(Type::Null), Some(object("a"))).unwrap(), Type::String, object("b")];
        let one_by_one = all.iter().cloned().fold(None, |joined, one| or(joined, Some(one)));
        assert_eq!(or_all(all.iter().cloned().map(Some)), one_by_one);
        assert_eq!(or_all([Some(Type::Null), None, Some(any())]), Some(any()));
        assert_eq!(or_all([Some(Type::Null), None, Some(Type::Null)]), Some(Type::Null));
        let function = Type::function(vec![Some(Type::Number)], Some(Type::Boolean));
        for all in
            [vec![function.clone(), function.clone()], vec![Type::Null, function.clone()], vec![function, Type::Null, any()]]
        {
            let one_by_one = all.iter().cloned().fold(None, |joined, one| or(joined, Some(one)));
            assert_eq!(or_all(all.into_iter().map(Some)), one_by_one);
        }
    }

    #[test]
    fn what_is_joined_with_anything_is_anything() {
        for one in [Type::Null, Type::set(None), or(Some(Type::Null), Some(Type::String)).unwrap()] {
            assert_eq!(or(Some(one.clone()), Some(any())), Some(any()));
            assert_eq!(or(Some(any()), Some(one)), Some(any()));
        }
    }
}
