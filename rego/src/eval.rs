//! Evaluation: bodies, references, rules, functions, comprehensions, `with`.
//!
//! A body is run from its first expression to its last one. What has at most one solution is answered where it stands; what has
//! many calls the rest of the body for each. Documents of rules are computed when they are first asked for, and kept until the
//! evaluation ends, or until the `with` that they were computed under does.

mod body;
mod builtin;
mod cache;
mod call;
mod calls;
mod comprehension;
mod conflict;
mod document;
pub mod error;
mod function;
mod head;
mod index;
mod join;
mod keyed;
mod labels;
mod layers;
mod object;
mod ordered;
mod partial;
mod parts;
mod pattern;
mod piecewise;
mod place;
mod places;
mod plain;
mod quick;
mod reference;
mod rule;
mod seen;
mod spots;
mod term;
#[cfg(test)]
mod tests;
mod val;
mod walk;
mod with;

use std::sync::Arc;

pub(crate) use builtin::{failure, printed};
use cache::Cache;
pub(crate) use calls::Calls;
pub(crate) use conflict::{MOST as MOST_CONFLICTS, listed};
pub use error::{EvalCode, EvalError, Stop, Suspended};
pub use index::{Candidates, Known};
pub(crate) use layers::{Layers, Replaced, merge, put, without};
pub(crate) use ordered::Ending;
use parking_lot::Mutex;
pub(crate) use parts::Parts;
pub(crate) use place::{Filled, Place, Prepared};
pub(crate) use plain::unusual;
use quick::Quick;
pub use seen::{Observe, Seen};
pub(crate) use spots::Spots;
pub use typed_arena::Arena;
use val::{Val, slot_of};
pub(crate) use val::{index, is_name};

use crate::builtins::Context;
use crate::ir::{Block, Policy, Slot, Term};
use crate::syntax::span::Span;
use crate::value::Value;

/// Who hears what is printed: the place, and the text.
pub type PrintHook = Arc<Mutex<dyn FnMut(Span, String) + Send>>;

/// Whether to go on looking for solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    /// Look for the next one.
    Next,
    /// It is enough.
    Enough,
}

type Found = Result<Flow, Stop>;

/// What an evaluation reads.
#[derive(Clone, Copy, Debug)]
pub struct Documents<'a> {
    /// Base documents.
    pub data: &'a Value,
    /// `input`, if there is one.
    pub input: Option<&'a Value>,
}

/// How an evaluation goes.
#[derive(Clone, Default)]
pub struct Options {
    /// A builtin that fails ends in an error, instead of being undefined.
    pub strict_builtin_errors: bool,
    /// Who hears what is printed.
    pub print: Option<PrintHook>,
    /// Who hears what policies say with `trace(…)`.
    pub note: Option<PrintHook>,
    /// Everything happens in OPA's order, because somebody sees it.
    pub in_order: bool,
    /// Every definition of a rule is tried, and every comprehension computed where it stands, instead of being looked up.
    pub without_indices: bool,
    /// All definitions of a rule are tried, though the first one that holds is enough.
    pub without_early_exit: bool,
    /// What is remembered.
    pub observe: Observe,
    /// The labels of rules that hold are remembered, in OPA's order.
    pub labels: bool,
}

impl Options {
    /// Whether somebody sees what is evaluated, and not the answer alone.
    pub(crate) fn sees_evaluation(&self) -> bool {
        self.in_order || self.without_indices || self.without_early_exit || self.observe.coverage || self.observe.test_cases
    }
}

/// How many bytes a value of a solution takes, with what is said beside it.
const SOLUTION: usize = 64;

/// One evaluation.
pub struct Evaluation<'a> {
    policy: &'a Policy,
    arena: &'a Arena<Value>,
    context: Context,
    options: Options,
    scope: with::Scope<'a>,
    slots: Vec<Val<'a>>,
    places: places::Places<'a>,
    joins: join::Joins<'a>,
    depth: u32,
    failed: Option<EvalError>,
    seen: Seen,
    met_unusual: bool,
    /// Whether it mattered which of several equal values came first (`1` or `1.0`): of a function's solutions, of its operands, or of a
    /// rule's keys.
    met_several: bool,
    /// Whether a rule was asked at a key, or by a pattern, that may find something else than all of its document has, or a function for a
    /// given answer.
    asked_narrowly: bool,
    /// Which groups may read base documents, by their numbers, where something is kept.
    base_readers: &'a [bool],
    used_kept: bool,
    recording: Option<parts::Recording<'a>>,
    calls: Option<&'a Calls>,
    labels: Option<labels::Met>,
}

impl<'a> Evaluation<'a> {
    /// An evaluation that has cost nothing yet. What it makes and keeps until its end is in `arena`.
    pub fn new(
        policy: &'a Policy,
        arena: &'a Arena<Value>,
        documents: Documents<'a>,
        context: Context,
        options: Options,
    ) -> Self {
        let scope = with::Scope::new(documents);
        let (places, joins) = Default::default();
        let (slots, seen, depth) = (Vec::new(), Seen::default(), 0);
        let (failed, recording, calls) = (None, None, None);
        let (met_unusual, met_several, asked_narrowly, used_kept) = (false, false, false, false);
        let labels = (options.labels && !policy.labels.is_empty()).then(labels::Met::default);
        Self {
            policy,
            arena,
            context,
            options,
            scope,
            slots,
            places,
            joins,
            depth,
            failed,
            seen,
            met_unusual,
            met_several,
            asked_narrowly,
            base_readers: &[],
            used_kept,
            recording,
            calls,
            labels,
        }
    }

    /// The document at a path below `data`; `None` when it is undefined.
    pub fn document(&mut self, path: &[Value]) -> Result<Option<Value>, EvalError> {
        let keys: Vec<_> = path.iter().cloned().map(Val::Own).collect();
        let value = self.data(&keys);
        self.finish(value.map(|value| value.map(Val::into_value)))
    }

    /// The same with documents of groups, by their numbers, that are found once for all evaluations.
    pub(crate) fn with_prepared(mut self, prepared: &'a [Place]) -> Self {
        let labelled = if self.labels.is_some() { self.policy.labelled.as_slice() } else { &[] };
        self.scope.cache = Cache::with(prepared, labelled);
        self
    }

    /// The same, where something is kept for others, or is to be: it has to be known which groups may read base documents.
    pub(crate) fn with_base_readers(self, base_readers: &'a [bool]) -> Self {
        Self { base_readers, ..self }
    }

    /// Calls back with the values of the variables for each solution of a query, each of which is charged for.
    pub fn query(
        &mut self,
        body: &'a Block,
        slots: usize,
        variables: &'a [Slot],
        solution: &mut dyn FnMut(Vec<Value>),
    ) -> Result<(), EvalError> {
        let base = self.push(slots);
        let found = self.run(body, base, &mut |eval| {
            eval.context.account.charge(SOLUTION.saturating_mul(variables.len().saturating_add(1)))?;
            solution(variables.iter().map(|slot| eval.slot(base, *slot).value().clone()).collect());
            Ok(Flow::Next)
        });
        self.slots.truncate(base);
        self.finish(found.map(drop))
    }

    /// What it has cost.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// What it has remembered, which is then forgotten.
    pub fn take_seen(&mut self) -> Seen {
        std::mem::take(&mut self.seen)
    }

    /// Where builtins are strict, the first that failed is the error, whatever came after it; but for the bounds.
    fn finish<T>(&mut self, result: Result<T, Stop>) -> Result<T, EvalError> {
        let is_bound = result.as_ref().err().is_some_and(|stop| stop.halt().is_some());
        match self.failed.take() {
            Some(error) if self.options.strict_builtin_errors && !is_bound => Err(error),
            _ => result.map_err(Stop::into_error),
        }
    }

    /// Whether everything happens in OPA's order.
    fn is_in_order(&self) -> bool {
        self.options.in_order || self.labels.is_some()
    }

    /// Whether somebody sees what is evaluated, and not the answer alone: then nothing is passed over that OPA evaluates.
    fn is_observed(&self) -> bool {
        self.options.sees_evaluation()
    }

    /// A frame of so many slots; returns where it begins.
    fn push(&mut self, slots: usize) -> usize {
        let base = self.slots.len();
        self.slots.resize(base.saturating_add(slots), Val::NULL);
        base
    }

    fn slot(&self, base: usize, slot: Slot) -> &Val<'a> {
        slot_of(&self.slots, base, slot)
    }

    #[inline]
    fn bind(&mut self, base: usize, slot: Slot, value: Val<'a>) {
        if let Some(place) = self.slots.get_mut(base.saturating_add(slot.index())) {
            *place = value;
        }
    }

    /// Keeps a value until the evaluation ends.
    fn keep(&self, value: Value) -> &'a Value {
        self.arena.alloc(value)
    }

    /// Runs what calls others, with enough stack for it.
    fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        self.depth = self.depth.saturating_add(1);
        let limit = self.context.account.limits().depth;
        if self.depth > limit {
            return Err(crate::limits::Halt::Depth(limit).into());
        }
        let result = self.grown(run);
        self.depth = self.depth.saturating_sub(1);
        result
    }

    /// Does what comes next where there is stack for it: what is done with a value is done inside of what found it.
    fn grown<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        const RED_ZONE: usize = 128 * 1024;
        const SEGMENT: usize = 1024 * 1024;
        stacker::maybe_grow(RED_ZONE, SEGMENT, || run(self))
    }

    /// The value of a term that stands alone.
    fn defined(&mut self, term: &'a Term, base: usize) -> Result<bool, Stop> {
        Ok(match self.quick(term, base)? {
            Quick::Is(value) => !matches!(value, Value::False),
            Quick::Undefined => false,
            Quick::Unknown => self.term(term, base)?.is_some_and(|value| !value.is_false()),
        })
    }
}
