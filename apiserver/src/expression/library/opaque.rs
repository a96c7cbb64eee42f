//! Values that only the functions of their own library look into.

use std::any::Any;
use std::fmt::Debug;

use cel::common::types::Type;
use cel::common::value::{StaticVal, Val};

/// What such a value holds.
pub(super) trait Opaque: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// Its type, by upstream's name.
    const KIND: &'static Type;
}

/// The value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Held<T>(pub(super) T);

/// A type of such values.
pub(super) const fn kind(name: &'static str) -> Type {
    Type::new_unspecified_type(name)
}

impl<T: Opaque> Val for Held<T> {
    fn get_type(&self) -> &Type {
        T::KIND
    }

    fn cel_type() -> &'static Type {
        T::KIND
    }

    fn equals(&self, other: &dyn Val) -> bool {
        other.downcast_ref::<Self>().is_some_and(|other| self == other)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl<T: Opaque> StaticVal for Held<T> {}
