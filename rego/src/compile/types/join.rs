//! How types join (`v1/types/types.go`, `Or`; `v1/ast/env.go`, `mergeTypes`).

use std::sync::Arc;

use super::lattice::{Dynamic, Function, Object, Type, Union};

/// One of both; what is unknown adds nothing (`Or`). A function joins nothing but functions of as many operands.
pub fn or(a: Option<Type>, b: Option<Type>) -> Option<Type> {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(Type::Function(a)), Some(Type::Function(b))) => functions(&a, &b),
        (Some(Type::Function(_)), _) | (_, Some(Type::Function(_))) => None,
        (Some(a), Some(b)) => Some(joined(a, b)),
    }
}

/// One of all, in the time that sorting them takes.
pub fn or_all(types: impl IntoIterator<Item = Option<Type>>) -> Option<Type> {
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

fn joined(a: Type, b: Type) -> Type {
    if a.is_anything() || (!b.is_anything() && a == b) {
        return a;
    }
    if b.is_anything() {
        return b;
    }
    let mut all: Vec<Type> = alternatives(&a).iter().chain(alternatives(&b)).cloned().collect();
    all.sort();
    all.dedup();
    Type::Any(Arc::new(Union(all)))
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
pub fn merge(a: Option<Type>, b: Option<Type>) -> Option<Type> {
    let (Some(a), Some(b)) = (a.clone(), b.clone()) else { return a.or(b) };
    let (Some(a), Some(b)) = (a.unwrapped(), b.unwrapped()) else { return None };
    match (&a, &b) {
        (Type::Object(x), Type::Object(y)) if x.fixed.is_empty() && y.fixed.is_empty() => Some(objects(x, y)),
        (Type::Object(x), Type::Any(union)) | (Type::Any(union), Type::Object(x)) => {
            into_union(x, union).map(Type::Any).or_else(|| or(Some(a.clone()), Some(b.clone())))
        }
        (Type::Set(x), Type::Set(y)) => Some(Type::set(or(x.0.clone(), y.0.clone()))),
        _ => or(Some(a), Some(b)),
    }
}

fn objects(a: &Arc<Object>, b: &Arc<Object>) -> Type {
    let (Some(x), Some(y)) = (&a.dynamic, &b.dynamic) else {
        return Type::Object(Arc::clone(if a.dynamic.is_none() { b } else { a }));
    };
    let dynamic = Dynamic { key: or(x.key.clone(), y.key.clone()), value: merge(x.value.clone(), y.value.clone()) };
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
    }
}
