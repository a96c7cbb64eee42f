//! A type that a schema refers to from inside of itself (`v1/types/types.go`, `Recursive`).

use std::sync::{OnceLock, Weak};

use super::lattice::Type;

/// A type by the name that the schema refers to it with. It does not own what it stands for: the schema's type does.
#[derive(Debug)]
pub struct Recursive {
    name: String,
    stands_for: OnceLock<Target>,
}

/// What it stands for, without a circle of owners.
#[derive(Debug)]
enum Target {
    Array(Weak<super::lattice::Array>),
    Object(Weak<super::lattice::Object>),
    Any(Weak<super::lattice::Union>),
    Set(Weak<super::lattice::Of>),
    Plain(Type),
}

impl Recursive {
    /// One whose meaning follows.
    pub fn named(name: String) -> Self {
        Self { name, stands_for: OnceLock::new() }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Says what it stands for.
    pub fn set(&self, of: &Type) {
        use std::sync::Arc;
        let target = match of {
            Type::Array(array) => Target::Array(Arc::downgrade(array)),
            Type::Object(object) => Target::Object(Arc::downgrade(object)),
            Type::Any(union) => Target::Any(Arc::downgrade(union)),
            Type::Set(set) => Target::Set(Arc::downgrade(set)),
            other => Target::Plain(other.clone()),
        };
        let _ = self.stands_for.set(target);
    }

    /// What it stands for.
    pub fn get(&self) -> Option<Type> {
        match self.stands_for.get()? {
            Target::Array(array) => array.upgrade().map(Type::Array),
            Target::Object(object) => object.upgrade().map(Type::Object),
            Target::Any(union) => union.upgrade().map(Type::Any),
            Target::Set(set) => set.upgrade().map(Type::Set),
            Target::Plain(plain) => Some(plain.clone()),
        }
    }
}

impl PartialEq for Recursive {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Recursive {}
