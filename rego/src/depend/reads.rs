//! What an answer depends on.

use super::{Document, PathSet, project};
use crate::syntax::span::Span;
use crate::value::Value;

/// The two documents that evaluation is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// `input`.
    Input,
    /// Base documents.
    Data,
}

/// What the answer of an entry point depends on beside the policy.
///
/// Documents are JSON: values without sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// Of `input`.
    pub input: PathSet,
    /// Of base documents, below `data`.
    pub data: PathSet,
    /// The clock.
    pub clock: bool,
    /// Randomness.
    pub random: bool,
    /// How the process was started.
    pub runtime: bool,
    /// Where all of a document is read, or any member of it: expressions, in the order of the texts.
    pub whole: Vec<(Root, Span)>,
}

impl Reads {
    /// The part of an input that is read. Two inputs with one projection have one answer, unless a function is called, or a rule asked, with a number
    /// that could be written otherwise (`1.0`): see [`crate::program::Evaluated::met_unusual`]. An input with such a number is its own projection.
    ///
    /// Projections are to be compared as they are written, not as Rego compares (`1.0` is not `1`): answers may show how a number
    /// is written. What is read only for being there keeps its type; what is not read is left out.
    pub fn project<'d>(&self, input: impl Document<'d>) -> Value {
        project::project(&self.input, input)
    }

    /// Whether an answer is the same whenever it is asked for, as long as what is read is.
    pub fn is_repeatable(&self) -> bool {
        !self.clock && !self.random && !self.runtime
    }

    /// The part of base documents that is read; see [`Reads::project`].
    pub fn project_data<'d>(&self, data: impl Document<'d>) -> Value {
        project::project(&self.data, data)
    }
}
