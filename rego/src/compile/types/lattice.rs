//! The types of inference and how they join (`v1/types/types.go`).
//!
//! `None` stands for what is unknown, OPA's `nil`.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::syntax::steps;
use crate::value::Value;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// Any number.
    Number,
    /// Text.
    String,
    /// Items: some by position, others of one type.
    Array(Arc<Array>),
    /// Members: some by key, others by the types of key and value.
    Object(Arc<Object>),
    /// Members of one type; unknown is the empty set's.
    Set(Arc<Of>),
    /// One of these, sorted; without any, anything.
    Any(Arc<Union>),
    /// What is called.
    Function(Arc<Function>),
}

/// A type of more parts is anything: types are shared where terms name each other, so that few terms can have one of more parts than
/// anybody could compare or print.
const LARGEST: u32 = 1 << 18;

/// The items of an array.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Array {
    /// How many parts it has, those that are shared counted each time.
    pub parts: u32,
    /// By position.
    pub fixed: Vec<Option<Type>>,
    /// Those behind.
    pub dynamic: Option<Type>,
    /// Something in it is unknown.
    pub nil: bool,
}

/// The members of an object.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Object {
    /// How many parts it has, those that are shared counted each time.
    pub parts: u32,
    /// Sorted by key.
    pub fixed: Vec<(Value, Option<Type>)>,
    /// Others.
    pub dynamic: Option<Dynamic>,
    /// Something in it is unknown.
    pub nil: bool,
}

/// Types of the keys and values of members that have no place of their own; by those of the keys first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Dynamic {
    /// Of the keys.
    pub key: Option<Type>,
    /// Of the values.
    pub value: Option<Type>,
}

/// The members of a set, whether something in it is unknown, and how many parts it has.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Of(pub Option<Type>, pub bool, pub u32);

/// Alternatives, sorted, no two equal.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Union(pub Vec<Type>);

/// What is taken and given.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// The operands.
    pub operands: Vec<Option<Type>>,
    /// Further ones.
    pub variadic: Option<Type>,
    /// The answer; unknown for what has none.
    pub result: Option<Type>,
    /// The builtin that it declares: its operands have names.
    pub builtin: Option<&'static str>,
}

/// Whether something in it is unknown (`Nil`); of alternatives nothing is asked.
pub(crate) fn is_nil(of: Option<&Type>) -> bool {
    steps::one();
    match of {
        None => true,
        Some(Type::Array(array)) => array.nil,
        Some(Type::Object(object)) => object.nil,
        Some(Type::Set(members)) => members.1,
        Some(Type::Function(function)) => function.operands.iter().chain([&function.result]).any(|one| is_nil(one.as_ref())),
        Some(_) => false,
    }
}

/// How many parts a type has, itself included.
fn parts(of: Option<&Type>) -> u32 {
    match of {
        Some(Type::Array(array)) => array.parts,
        Some(Type::Object(object)) => object.parts,
        Some(Type::Set(members)) => members.2,
        Some(Type::Any(union)) => all_parts(union.0.iter().map(Some)),
        Some(Type::Function(function)) => {
            all_parts(function.operands.iter().map(Option::as_ref).chain([function.variadic.as_ref(), function.result.as_ref()]))
        }
        _ => 1,
    }
}

fn all_parts<'a>(all: impl Iterator<Item = Option<&'a Type>>) -> u32 {
    all.map(parts).fold(1, u32::saturating_add)
}

/// Anything.
pub(crate) fn any() -> Type {
    Type::Any(Arc::default())
}

impl Type {
    /// Where what it holds is; scalars hold nothing.
    pub(crate) fn address(&self) -> Option<usize> {
        match self {
            Self::Array(array) => Some(Arc::as_ptr(array).addr()),
            Self::Object(object) => Some(Arc::as_ptr(object).addr()),
            Self::Set(members) => Some(Arc::as_ptr(members).addr()),
            Self::Any(union) => Some(Arc::as_ptr(union).addr()),
            Self::Function(function) => Some(Arc::as_ptr(function).addr()),
            _ => None,
        }
    }

    /// An array.
    pub(crate) fn array(fixed: Vec<Option<Self>>, dynamic: Option<Self>) -> Self {
        let nil = fixed.iter().any(|one| is_nil(one.as_ref())) || dynamic.as_ref().is_some_and(|one| is_nil(Some(one)));
        let parts = all_parts(fixed.iter().map(Option::as_ref).chain([dynamic.as_ref()]));
        if parts > LARGEST { any() } else { Self::Array(Arc::new(Array { parts, fixed, dynamic, nil })) }
    }

    /// An object.
    pub(crate) fn object(mut fixed: Vec<(Value, Option<Self>)>, dynamic: Option<Dynamic>) -> Self {
        if !fixed.is_sorted_by(|(a, _), (b, _)| a <= b) {
            fixed.sort_by(|(a, _), (b, _)| a.cmp(b));
        }
        let open = |of: &Dynamic| is_nil(of.key.as_ref()) || is_nil(of.value.as_ref());
        let nil = fixed.iter().any(|(_, one)| is_nil(one.as_ref())) || dynamic.as_ref().is_some_and(open);
        let others = dynamic.iter().flat_map(|of| [of.key.as_ref(), of.value.as_ref()]);
        let parts = all_parts(fixed.iter().map(|(_, one)| one.as_ref()).chain(others));
        if parts > LARGEST { any() } else { Self::Object(Arc::new(Object { parts, fixed, dynamic, nil })) }
    }

    /// A set.
    pub(crate) fn set(of: Option<Self>) -> Self {
        let nil = is_nil(of.as_ref());
        let parts = all_parts([of.as_ref()].into_iter());
        if parts > LARGEST { any() } else { Self::Set(Arc::new(Of(of, nil, parts))) }
    }

    /// A function that somebody wrote.
    pub(crate) fn function(operands: Vec<Option<Self>>, result: Option<Self>) -> Self {
        Self::Function(Arc::new(Function { operands, variadic: None, result, builtin: None }))
    }

    /// Whether it is `any` without alternatives.
    pub(crate) fn is_anything(&self) -> bool {
        matches!(self, Self::Any(union) if union.0.is_empty())
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Boolean => 1,
            Self::Number => 2,
            Self::String => 3,
            Self::Array(_) => 4,
            Self::Object(_) => 5,
            Self::Set(_) => 6,
            Self::Any(_) => 7,
            Self::Function(_) => 8,
        }
    }
}

impl PartialOrd for Type {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Type {
    fn cmp(&self, other: &Self) -> Ordering {
        steps::one();
        match (self, other) {
            (Self::Array(a), Self::Array(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
            (Self::Array(a), Self::Array(b)) => a.dynamic.cmp(&b.dynamic).then_with(|| a.fixed.cmp(&b.fixed)),
            (Self::Object(a), Self::Object(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
            (Self::Object(a), Self::Object(b)) => a.dynamic.cmp(&b.dynamic).then_with(|| a.fixed.cmp(&b.fixed)),
            (Self::Set(a), Self::Set(b)) => a.0.cmp(&b.0),
            (Self::Any(a), Self::Any(b)) => a.0.cmp(&b.0),
            (Self::Function(a), Self::Function(b)) => functions(a, b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

fn functions(a: &Function, b: &Function) -> Ordering {
    (a.operands.len().cmp(&b.operands.len()))
        .then_with(|| a.operands.cmp(&b.operands))
        .then_with(|| a.result.cmp(&b.result))
        .then_with(|| a.variadic.cmp(&b.variadic))
}

impl Union {
    /// Whether it takes all of another type (`Any.Contains`).
    pub(crate) fn contains(&self, other: &Type) -> bool {
        !matches!(other, Type::Function(_)) && (self.0.is_empty() || self.0.binary_search(other).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::{Dynamic, LARGEST, Type, parts};

    /// One part less than is allowed: its own, one for each item, one for those that it might have besides.
    fn largest() -> Type {
        let items = usize::try_from(LARGEST).unwrap() - 3;
        let of = Type::array(vec![Some(Type::Number); items], None);
        assert_eq!(parts(Some(&of)), LARGEST - 1);
        of
    }

    #[test]
    fn what_has_too_many_parts_is_anything() {
        let set = |of| Type::set(Some(of));
        let array = |of| Type::array(Vec::new(), Some(of));
        let object = |of| Type::object(vec![("k".into(), Some(of))], None);
        let values = |of| Type::object(Vec::new(), Some(Dynamic { key: None, value: Some(of) }));
        for around in [set, array, object] as [fn(Type) -> Type; 3] {
            assert_eq!(parts(Some(&around(largest()))), LARGEST);
            assert!(around(around(largest())).is_anything());
        }
        assert!(values(largest()).is_anything());
    }
}
