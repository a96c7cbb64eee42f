//! A schema as it is validated with: all of its parts in one list, so that they may refer to each other.

use std::sync::Arc;

use crate::builtins::regex::Compiled;
use crate::value::Value;

/// A part of a schema.
pub(super) type Id = usize;

/// Which words a schema knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Draft {
    Four,
    Six,
    Seven,
    /// It does not say.
    Hybrid,
}

/// The parts of a schema; the first is the whole.
#[derive(Default)]
pub(super) struct Schema {
    pub(super) parts: Vec<Part>,
}

/// What is allowed beyond what is named.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Additional {
    #[default]
    Anything,
    Nothing,
    Fitting(Id),
}

/// What a member brings with it.
pub(super) enum Dependency {
    Keys(Vec<String>),
    Schema(Id),
}

/// One part.
#[derive(Default)]
pub(super) struct Part {
    /// `true` or `false`.
    pub(super) pass: Option<bool>,
    /// `$ref`: nothing else counts then.
    pub(super) reference: Option<Id>,
    pub(super) types: Vec<String>,
    pub(super) limits: Limits,
    pub(super) properties: Vec<(String, Id)>,
    pub(super) additional_properties: Additional,
    pub(super) pattern_properties: Vec<(Arc<Compiled>, Id)>,
    pub(super) property_names: Option<Id>,
    pub(super) required: Vec<String>,
    pub(super) dependencies: Vec<(String, Dependency)>,
    /// One for each item, or one for all.
    pub(super) items: Vec<Id>,
    pub(super) items_are_alike: bool,
    pub(super) additional_items: Additional,
    pub(super) unique_items: bool,
    pub(super) contains: Option<Id>,
    pub(super) pattern: Option<(String, Arc<Compiled>)>,
    pub(super) format: Option<String>,
    /// Values by their JSON text.
    pub(super) constant: Option<String>,
    pub(super) enumeration: Option<Vec<String>>,
    pub(super) one_of: Vec<Id>,
    pub(super) any_of: Vec<Id>,
    pub(super) all_of: Vec<Id>,
    pub(super) not: Option<Id>,
    pub(super) condition: Option<Id>,
    pub(super) then: Option<Id>,
    pub(super) otherwise: Option<Id>,
}

/// What numbers and sizes must be.
#[derive(Default)]
pub(super) struct Limits {
    pub(super) multiple_of: Option<Value>,
    pub(super) minimum: Option<Value>,
    pub(super) exclusive_minimum: Option<Value>,
    pub(super) maximum: Option<Value>,
    pub(super) exclusive_maximum: Option<Value>,
    pub(super) length: Range,
    pub(super) properties: Range,
    pub(super) items: Range,
}

/// From and to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Range {
    pub(super) min: Option<i64>,
    pub(super) max: Option<i64>,
}

impl Schema {
    /// A new part, with nothing in it.
    pub(super) fn add(&mut self) -> Id {
        self.parts.push(Part::default());
        self.parts.len().saturating_sub(1)
    }
}
