//! A program with its data.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::carry::Unusual;
use super::in_order::in_order;
use super::{Program, prepared};
use crate::builtins::{Context, context::Kept};
use crate::eval::{Arena, Calls, Documents, Ending, EvalError, Evaluation, Options, Parts, Place, PrintHook};
use crate::limits::{Account, Limits};
use crate::value::Value;

/// A program with its data, ready for many threads.
#[derive(Clone, Debug)]
pub struct Bound {
    pub(super) program: Arc<Program>,
    pub(super) data: Value,
    pub(super) prepared: Arc<[Place]>,
    /// Parts of documents, of this and of older data.
    pub(super) parts: Arc<Parts>,
    /// Answers of functions, whatever they were computed over.
    pub(super) calls: Arc<Calls>,
    /// How many numbers of the data may be written in another way.
    pub(super) unusual: Unusual,
    /// Somebody computes what is kept; or it ended in a panic, and is not tried again.
    pub(super) preparing: Arc<AtomicBool>,
}

/// How something is asked for.
#[derive(Clone, Default)]
pub struct Request<'a> {
    /// `input`, if there is one.
    pub input: Option<&'a Value>,
    /// What it may cost.
    pub limits: Limits,
    /// A builtin that fails ends in an error.
    pub strict_builtin_errors: bool,
    /// Who hears what is printed.
    pub print: Option<PrintHook>,
    /// Who hears what policies say with `trace(…)`.
    pub note: Option<PrintHook>,
    /// The time, in nanoseconds since 1970.
    pub now_ns: i64,
    /// What random builtins start from; `None` is the system's.
    pub seed: Option<u64>,
    /// What `opa.runtime` says; null for the empty object.
    pub runtime: Option<&'a Value>,
    /// Every definition of a rule is tried, and every comprehension computed where it stands, instead of being looked up.
    pub without_indices: bool,
    /// The labels of rules that hold are wanted, too.
    pub labels: bool,
}

/// What comes of one evaluation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluated {
    /// `None` when it is undefined.
    pub document: Option<Value>,
    /// What METADATA labels the rules with that were found to hold, if that is wanted: each object once, in OPA's order
    /// (opa `v1/topdown/evaluated.go`).
    pub labels: Vec<Value>,
    /// Functions, or rules at known keys, were asked for something with a number that could be written in another way: what comes of it
    /// may depend on what was evaluated before.
    pub met_unusual: bool,
    /// How many steps the evaluation took, as [`Limits::steps`] counts them. If it was repeated without kept documents, because their
    /// numbers made the first answer doubtful, or in OPA's order, the steps of the last one.
    pub steps: u64,
}

/// The document that one evaluation found, or the error that it ended in, and whether OPA's order could change that.
type Answer = (Result<Evaluated, EvalError>, Ending);

impl Bound {
    pub(super) fn new(program: Arc<Program>, data: Value) -> Self {
        let (prepared, parts, calls, unusual, preparing) = Default::default();
        Self { program, data, prepared, parts, calls, unusual, preparing }
    }

    /// The same, with what depends on base documents alone computed beforehand, as far as one evaluation within these limits comes.
    #[must_use]
    pub fn prepared(self, limits: Limits) -> Self {
        let prepared = prepared::documents(&self, &limits);
        Self { prepared, calls: prepared::calls(self.program()), ..self }
    }

    /// The same, where what depends on base documents alone is kept from one evaluation to the next, once it was asked for: see
    /// [`Self::prepare_wanted`].
    #[must_use]
    pub fn keeping(self) -> Self {
        let prepared = prepared::all(prepared::places(self.program()));
        Self { prepared, calls: prepared::calls(self.program()), ..self }
    }

    /// Computes what evaluations before this one have asked for and what can be kept, each document in an evaluation of its own, within
    /// these limits and in this time together; at once if there is nothing, or if another thread is at it. So what is kept does not
    /// depend on who asked first.
    pub fn prepare_wanted(&self, limits: impl FnOnce() -> Limits) {
        if self.prepared.iter().any(Place::is_wanted) && !self.preparing.swap(true, Ordering::Acquire) {
            prepared::wanted(self, &self.prepared, &limits());
            self.preparing.store(false, Ordering::Release);
        }
    }

    /// The same for what was kept for older base documents (see [`Self::succeeding`]), before anybody asks for it: as much as took no more
    /// than `time` then.
    pub fn prepare_again(&self, time: Duration, limits: impl FnOnce() -> Limits) {
        if self.prepared.iter().any(|place| place.took_before().is_some()) && !self.preparing.swap(true, Ordering::Acquire) {
            prepared::again(self, &self.prepared, &limits(), time);
            self.preparing.store(false, Ordering::Release);
        }
    }

    /// How many documents are kept.
    pub fn kept(&self) -> usize {
        self.prepared.iter().filter(|place| place.filled().is_some()).count()
    }

    /// Answers of functions that are kept.
    #[cfg(test)]
    pub(crate) fn calls(&self) -> &Calls {
        &self.calls
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Base documents.
    pub fn data(&self) -> &Value {
        &self.data
    }

    /// The document at a path below `data`; `None` when it is undefined.
    pub fn document(&self, path: &[Value], request: &Request<'_>) -> Result<Option<Value>, EvalError> {
        self.evaluate(path, request).map(|found| found.document)
    }

    /// Returns the document at a path, labels and whether it met unusual numbers. Fails where the evaluation does.
    pub fn evaluate(&self, path: &[Value], request: &Request<'_>) -> Result<Evaluated, EvalError> {
        in_order(request, request.options(), |request, options| self.found(path, request, &options))
    }

    fn found(&self, path: &[Value], request: &Request<'_>, options: &Options) -> Answer {
        match self.answer(path, request, options.clone(), true) {
            // Functions answer for `1.0` what they did for `1`: where both are met, it matters what was evaluated before, and what is kept
            // was not evaluated here.
            (_, true) => self.answer(path, request, options.clone(), false).0,
            (found, false) => found,
        }
    }

    /// Evaluates a document, perhaps with what is kept, and whether it may be another one without that. What ended at a bound is in no
    /// doubt.
    fn answer(&self, path: &[Value], request: &Request<'_>, options: Options, kept: bool) -> (Answer, bool) {
        let arena = Arena::new();
        let mut evaluation = if kept { self.evaluation(&arena, request, options) } else { self.fresh(&arena, request, options) };
        let document = evaluation.document(path);
        let ending = evaluation.ending(document.as_ref().err());
        let is_in_doubt = evaluation.is_in_doubt() && ending != Ending::AtBound;
        let met_unusual = evaluation.has_met_unusual();
        let steps = evaluation.context().account.steps();
        let found = document.map(|document| Evaluated { document, labels: evaluation.take_labels(), met_unusual, steps });
        ((found, ending), is_in_doubt)
    }

    /// An evaluation, for those who want to know more than what comes of it.
    pub(crate) fn evaluation<'e>(&'e self, arena: &'e Arena<Value>, request: &Request<'e>, options: Options) -> Evaluation<'e> {
        let is_used = !self.prepared.is_empty() && !options.sees_evaluation() && !options.strict_builtin_errors;
        // Where such numbers are in the documents, they are likely to be met.
        let is_used = is_used && self.is_plain() && request.input.is_none_or(Value::is_plain);
        if !is_used {
            return self.fresh(arena, request, options);
        }
        let fresh = self.fresh(arena, request, options).with_base_readers(self.program.base_readers());
        fresh.with_prepared(&self.prepared).with_calls(&self.calls)
    }

    /// The same, by nothing that is kept.
    pub(super) fn fresh<'e>(&'e self, arena: &'e Arena<Value>, request: &Request<'e>, options: Options) -> Evaluation<'e> {
        let documents = Documents { data: &self.data, input: request.input };
        Evaluation::new(self.program.policy(), arena, documents, request.context(), options)
    }
}

impl Request<'_> {
    /// How the evaluation goes: whoever hears what is printed sees the order, too.
    pub(crate) fn options(&self) -> Options {
        Options {
            strict_builtin_errors: self.strict_builtin_errors,
            print: self.print.clone(),
            note: self.note.clone(),
            in_order: self.print.is_some() || self.note.is_some(),
            without_indices: self.without_indices,
            labels: self.labels,
            ..Options::default()
        }
    }

    pub(super) fn context(&self) -> Context {
        Context {
            account: Account::new(self.limits.clone()),
            now_ns: self.now_ns,
            runtime: self.runtime.cloned().unwrap_or_else(|| Value::object([])),
            seed: self.seed,
            kept: Kept::default(),
        }
    }
}
