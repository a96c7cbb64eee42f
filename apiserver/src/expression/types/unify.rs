//! Which types go together. Source of the rules: cel-go, `checker/types.go`.

use std::collections::BTreeMap;

use super::Type;

/// What the parameters of a signature stand for in one call.
pub(in crate::expression) type Bindings = BTreeMap<&'static str, Type>;

/// Whether an argument fits where a signature wants `wanted`. What its parameters stand for is noted.
pub(in crate::expression) fn fits(wanted: &Type, given: &Type, bound: &mut Bindings) -> bool {
    match (wanted, given) {
        (Type::Parameter(name), given) => {
            let both = bound.get(name).map_or_else(|| Some(given.clone()), |before| join(before, given));
            let fits = both.is_some();
            bound.extend(both.map(|both| (*name, both)));
            fits
        }
        (Type::Dyn | Type::Free, _) | (_, Type::Dyn | Type::Free) => true,
        (Type::List(wanted), Type::List(given)) | (Type::Optional(wanted), Type::Optional(given)) => fits(wanted, given, bound),
        (Type::Map(keys, values), Type::Map(own_keys, own_values)) => {
            fits(keys, own_keys, bound) && fits(values, own_values, bound)
        }
        (wanted, given) => join(wanted, given).is_some(),
    }
}

/// The more general of two types; `None` if no value is of both.
pub(in crate::expression) fn join(one: &Type, other: &Type) -> Option<Type> {
    Some(match (one, other) {
        (Type::Free, kind) | (kind, Type::Free) => kind.clone(),
        (Type::Dyn, _) | (_, Type::Dyn) => Type::Dyn,
        (Type::List(one), Type::List(other)) => Type::list(join(one, other)?),
        (Type::Optional(one), Type::Optional(other)) => Type::optional(join(one, other)?),
        (Type::Map(keys, values), Type::Map(other_keys, other_values)) => {
            Type::map(join(keys, other_keys)?, join(values, other_values)?)
        }
        (Type::Meta(_), Type::Meta(_)) => Type::Meta(Box::new(Type::Dyn)),
        (Type::Null, kind) | (kind, Type::Null) if is_nullable(kind) => kind.clone(),
        (one, other) => return (one == other).then(|| one.clone()),
    })
}

/// Whether two types are the same, as far as they are known.
pub(in crate::expression) fn is_equivalent(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Free, _) | (_, Type::Free) => true,
        (Type::List(one), Type::List(other))
        | (Type::Optional(one), Type::Optional(other))
        | (Type::Meta(one), Type::Meta(other)) => is_equivalent(one, other),
        (Type::Map(keys, values), Type::Map(other_keys, other_values)) => {
            is_equivalent(keys, other_keys) && is_equivalent(values, other_values)
        }
        (one, other) => one == other,
    }
}

/// A type of a signature, with what its parameters stand for.
pub(in crate::expression) fn with(kind: &Type, bound: &Bindings) -> Type {
    match kind {
        Type::Parameter(name) => bound.get(name).cloned().unwrap_or(Type::Free),
        Type::List(of) => Type::list(with(of, bound)),
        Type::Optional(of) => Type::optional(with(of, bound)),
        Type::Meta(of) => Type::Meta(Box::new(with(of, bound))),
        Type::Map(keys, values) => Type::map(with(keys, bound), with(values, bound)),
        kind => kind.clone(),
    }
}

fn is_nullable(kind: &Type) -> bool {
    matches!(kind, Type::Null | Type::Named(_) | Type::Optional(_) | Type::Duration | Type::Timestamp)
}
