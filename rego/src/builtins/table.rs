//! The table: one row for each builtin.

use std::sync::LazyLock;

use foldhash::HashMap;

use super::{BuiltinError, Context, Type};
use crate::value::Value;

/// What an answer depends on beside the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// Nothing.
    Pure,
    /// The clock.
    Clock,
    /// Randomness.
    Random,
    /// How the process was started.
    Runtime,
}

/// Returns the answer of a builtin; `None` is undefined. It is called with the right number of operands, of any types, by reference.
/// Fails when an operand is of a wrong type or form, when the builtin itself fails, and when a limit ends the evaluation.
pub type Function = fn(&mut Context, &[&Value]) -> Result<Option<Value>, BuiltinError>;

/// Returns the operand, or the part of one, that is the answer; fails as a [`Function`] does.
pub type Selection = for<'v> fn(&mut Context, &[&'v Value]) -> Result<Option<&'v Value>, BuiltinError>;

/// Returns whether two values compare as an operator says. Fails when a limit ends the evaluation.
pub type Comparison = fn(&mut Context, &Value, &Value) -> Result<bool, BuiltinError>;

/// One builtin.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// As policies call it.
    pub name: &'static str,
    /// What it takes.
    pub operands: &'static [Type],
    /// It takes any number of operands of any type (`print`).
    pub variadic: bool,
    /// What it answers; `None` for what only has an effect.
    pub result: Option<Type>,
    /// The operator that stands for it.
    pub infix: Option<&'static str>,
    /// It has any number of answers, as `walk`.
    pub relation: bool,
    /// What its answer depends on.
    pub dependence: Dependence,
    /// OPA's capabilities say so; it is then logged, and not computed beforehand.
    pub nondeterministic: bool,
    /// Given up in Rego v1.
    pub deprecated: bool,
    /// What computes it; `None` for what the evaluator or the compiler does itself (`walk`, `print`, `trace`, `eq`), and for what
    /// is refused by name.
    pub function: Option<Function>,
    /// The same for operators that compare, on values that stay where they are.
    pub comparison: Option<Comparison>,
    /// The same for what answers with a part of an operand: it stays where it is.
    pub selection: Option<Selection>,
}

/// A row: a pure builtin that nothing computes yet. A builtin's types are those of OPA 1.22 (`opa capabilities --current`); those of
/// a program of its own are its own, in [`crate::compile::Options::extra_builtins`].
pub const fn row(name: &'static str, operands: &'static [Type], result: Option<Type>) -> Builtin {
    Builtin {
        name,
        operands,
        variadic: false,
        result,
        infix: None,
        relation: false,
        dependence: Dependence::Pure,
        nondeterministic: false,
        deprecated: false,
        function: None,
        comparison: None,
        selection: None,
    }
}

impl Builtin {
    /// The same, computed by this.
    pub const fn by(self, function: Function) -> Self {
        Self { function: Some(function), ..self }
    }

    /// The same, which compares so.
    pub(super) const fn comparing(self, comparison: Comparison) -> Self {
        Self { comparison: Some(comparison), ..self }
    }

    /// The same, which selects so.
    pub(super) const fn selecting(self, selection: Selection) -> Self {
        Self { selection: Some(selection), ..self }
    }

    pub(super) const fn variadic(self) -> Self {
        Self { variadic: true, ..self }
    }

    pub(super) const fn infix(self, infix: &'static str) -> Self {
        Self { infix: Some(infix), ..self }
    }

    pub(super) const fn relation(self) -> Self {
        Self { relation: true, ..self }
    }

    /// The same, whose answer depends on this, too.
    pub const fn depends(self, dependence: Dependence) -> Self {
        Self { dependence, ..self }
    }

    /// The same, not computed beforehand.
    pub const fn nondeterministic(self) -> Self {
        Self { nondeterministic: true, ..self }
    }

    pub(super) const fn deprecated(self) -> Self {
        Self { deprecated: true, ..self }
    }
}

/// A builtin by its name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    static BY_NAME: LazyLock<HashMap<&'static str, &'static Builtin>> =
        LazyLock::new(|| all().map(|builtin| (builtin.name, builtin)).collect());
    BY_NAME.get(name).copied()
}

/// All of them, topic by topic.
pub fn all() -> impl Iterator<Item = &'static Builtin> {
    TOPICS.iter().flat_map(|topic| topic.iter())
}

/// Each topic's rows.
const TOPICS: &[&[Builtin]] = &[
    super::aggregates::ROWS,
    super::arrays::ROWS,
    super::bits::ROWS,
    super::comparison::ROWS,
    super::conversions::ROWS,
    super::crypto::ROWS,
    super::encoding::ROWS,
    super::glob::ROWS,
    super::graph::ROWS,
    super::graphql::ROWS,
    super::internal::ROWS,
    super::jwt::ROWS,
    super::net::ROWS,
    super::numbers::ROWS,
    super::objects::ROWS,
    super::opa::ROWS,
    super::refused::ROWS,
    super::regex::ROWS,
    super::rego::ROWS,
    super::semver::ROWS,
    super::sets::ROWS,
    super::strings::ROWS,
    super::time::ROWS,
    super::tracing::ROWS,
    super::types::ROWS,
    super::units::ROWS,
    super::uri::ROWS,
    super::uuid::ROWS,
];
