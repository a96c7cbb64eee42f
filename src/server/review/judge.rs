//! From a request to a verdict; runs on the pool.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_contract::annotations::{APPLIED, HOLD};
use plimsoll_contract::kind::{Gvr, Kind, Target};
use plimsoll_contract::version::ResourceVersion;
use serde_json::{Value as Json, json};

use super::culprit::Difference;
use super::object::previous;
use super::scope::{self, Change};
use super::verdict::{self, Denial, NotReady, Verdict};
use super::wire::{GroupVersionKind, Request, Version};
use super::{frozen, hold, patch};
use crate::decision::{Previous, Subject, Way, Writer, evaluate, exempt, owner};
use crate::server::Engine;
use crate::snapshot::{Knowledge, Snapshot};

/// One review on one snapshot.
#[derive(Debug)]
pub struct Review<'a> {
    /// What decides.
    pub engine: &'a Engine,
    /// What it is decided on.
    pub snapshot: Arc<Snapshot>,
    /// Asked and answered in.
    pub version: Version,
    /// What is asked.
    pub request: Request,
    /// What is known beside the snapshot.
    pub knowledge: Knowledge,
    /// Time that the decision may take.
    pub budget: Duration,
    /// When the request came (time since the engine started).
    pub received: Duration,
    /// It may be asked again when more is known.
    pub is_patient: bool,
    /// It may be asked again where things may take long.
    pub is_brief: bool,
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undecided {
    /// Nothing is loaded yet.
    #[error(transparent)]
    NotReady(#[from] NotReady),
    /// Somebody has seen this version of the fleet, and this engine has not yet: a moment's patience.
    #[error("version {0} of the fleet has not been seen yet")]
    Behind(ResourceVersion),
    /// It was to be brief, and policy has to be evaluated, or the mirror waited for, or nothing can be decided.
    #[error("this review takes longer")]
    Long,
}

/// The endpoint, which says what a decision means: it patches, or it denies what differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judge {
    /// Decides and patches.
    Mutate,
    /// Decides again and denies what is not as decided.
    Validate,
}

impl Review<'_> {
    /// Untouched if it is out of scope, frozen if it is being deleted, else what `judge` makes of the decision.
    pub fn verdict(&self, judge: Judge) -> Result<Verdict, Undecided> {
        let request = &self.request;
        if scope::other_operation(request) {
            return Ok(Verdict::untouched());
        }
        let previous = match previous(request) {
            Ok(previous) => previous,
            Err(denied) => return Ok(Verdict::denied(denied)),
        };
        let change = match (&request.old_object, &request.object) {
            (Some(old), Some(new)) if previous.is_some() => scope::change(old, new, &self.managed()),
            _ => Change::Intent,
        };
        match change {
            Change::Nothing => return Ok(Verdict::untouched()),
            Change::Deleting => return Ok(self.frozen(judge, previous.as_ref())),
            Change::Notes | Change::Intent => (),
        }
        match self.object(previous.as_ref()) {
            Ok(object) => self.judged(judge, &object, previous.as_ref(), change),
            Err(denied) => Ok(Verdict::denied(denied)),
        }
    }

    fn judged(&self, judge: Judge, object: &Json, previous: Option<&Previous<'_>>, change: Change) -> Result<Verdict, Undecided> {
        let writer = self.engine.config.writer(&self.request.user_info.username);
        if let Some(denied) = hold::refused(&self.engine.config.hold, writer, &self.request.user_info, object, previous) {
            return Ok(Verdict::denied(denied));
        }
        if change == Change::Notes && writer == Writer::Other && self.is_child(object) {
            return Ok(Verdict::untouched());
        }
        let last = previous.and_then(|previous| self.engine.table.last(previous.uid()));
        let way = previous.map_or(Way::Create, Way::Update);
        let subject = Subject { object, kind: self.row_of(object), way, writer, last: last.as_ref() };
        if let Some(respected) = self.respected(judge, subject, previous) {
            return respected;
        }
        let begun = Instant::now();
        let decision = self.steady(subject, previous, self.ruled(subject)?);
        let verdict = match judge {
            Judge::Mutate => verdict::mutate(object, &decision)?,
            Judge::Validate => {
                let culprit = |found: Difference<'_>| self.culprit(object, previous, found, &decision.patch);
                self.explained(object, verdict::verify(object, &decision, culprit)?)
            }
        };
        let mut told = self.told(judge, (subject, &decision), begun);
        told.extend(hold::misspelt(&self.engine.config.hold, object));
        Ok(verdict.telling(&told))
    }

    /// The object is being deleted: what policy and we wrote stays, so that it takes no other placement on its way out.
    fn frozen(&self, judge: Judge, previous: Option<&Previous<'_>>) -> Verdict {
        let config = &self.engine.config;
        let is_unarmed = self.snapshot.ready() && !evaluate::armed(&self.snapshot.policies.program, config);
        let row = self.row(&self.request.kind.api_version(), &self.request.kind.kind);
        if is_unarmed || exempt::exempt_namespace(&self.request.namespace, row, &self.snapshot.state, config) {
            return Verdict::untouched();
        }
        let new = self.request.object.as_ref().and_then(|new| Previous::read(new.get().as_bytes()).ok());
        let (Some(stored), Some(new)) = (previous, new) else { return Verdict::untouched() };
        let annotations = new.annotations();
        let changes = frozen::changes(&stored.annotations(), &annotations, &self.managed());
        match judge {
            Judge::Mutate => {
                // Without annotations the API server sends no map of them either, to which one could be added.
                let object = json!({"metadata": {"annotations": Some(annotations).filter(|map| !map.is_empty())}});
                Verdict { patch: patch::operations(&object, &changes), ..Verdict::default() }
            }
            Judge::Validate => Verdict { denied: frozen::refusal(&changes).map(Denial::forbidden), ..Verdict::default() },
        }
    }

    /// Whether the object follows a placed owner, and was never placed itself.
    fn is_child(&self, object: &Json) -> bool {
        owner::owner(object, &self.snapshot.state).is_some() && !exempt::has_own_record(object)
    }

    /// The annotations that policy and we write on objects of this kind, record and hold included.
    pub(super) fn managed(&self) -> BTreeSet<String> {
        let mut keys = self.allowed();
        keys.extend([APPLIED, HOLD].map(str::to_owned));
        keys
    }

    /// The annotations that policy may write on objects of this kind.
    pub(super) fn allowed(&self) -> BTreeSet<String> {
        let GroupVersionKind { kind, .. } = &self.request.kind;
        let row = self.row(&self.request.kind.api_version(), kind);
        let target = row.map_or_else(|| Target::of_kind(kind), Kind::effective_target);
        self.engine.config.allowed_keys(target.as_ref())
    }

    /// The row of the table for an object by its own type.
    pub(super) fn row_of(&self, object: &Json) -> Option<&Kind> {
        let text = |field: &str| object.get(field).and_then(Json::as_str).unwrap_or_default();
        self.row(text("apiVersion"), text("kind"))
    }

    /// The row of the table: by the object's own type, else by the resource that was asked for.
    fn row(&self, api_version: &str, kind: &str) -> Option<&Kind> {
        self.snapshot.state.kind_of(api_version, kind).or_else(|| {
            let resource = &self.request.resource;
            let (group, version, resource) = (resource.group.clone(), resource.version.clone(), resource.resource.clone());
            self.snapshot.state.kind(&Gvr { group, version, resource })
        })
    }
}
