//! Whether what is to be written moves an object, and why; and what has to be remembered to tell.

use std::collections::HashMap;
use std::sync::Arc;

use plimsoll_contract::kind::Kind;
use plimsoll_contract::moves::{Cause, Move};
use serde_json::Value as Json;

use super::cause::{Doubt, Mover, Pending, Wanted};
use super::history::{Named, Span};
use super::queue::Ticket;
use super::verdict::annotation;
use crate::decision::interner::Interner;
use crate::decision::{Decision, Last, Reading, Stands, ahead};
use crate::placements::rows::{Course, Known};

/// One object that is looked at, as it is.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) object: &'a Json,
    pub(super) uid: &'a str,
    pub(super) kind: &'a Kind,
    pub(super) reading: Reading<'a>,
    pub(super) stands: &'a Stands,
    /// It has not changed since it was last decided. Then perhaps only a part of it was read.
    pub(super) unchanged: bool,
}

/// The result of earlier passes for one object.
#[derive(Clone, Copy)]
pub(super) struct Past<'a> {
    pub(super) ticket: &'a Ticket,
    /// Of an object of this name, which may have been another one.
    pub(super) known: Option<&'a Known>,
    /// The last decision about it.
    pub(super) last: Option<&'a Arc<Last>>,
    /// What changed since then, by revision.
    pub(super) spans: &'a HashMap<u64, Span>,
    pub(super) interners: &'a Interners,
}

/// Finds equal values that many objects which move have.
#[derive(Debug, Default)]
pub(super) struct Interners {
    moves: Interner<Move>,
    pending: Interner<Pending>,
}

/// The first revision at which an object's row may have been out of date: nothing may have been decided of it for a while.
pub(super) fn since(ticket: &Ticket, known: Option<&Known>) -> u64 {
    let doubt = known.and_then(|known| known.course.pending.as_ref()?.doubt.as_ref());
    doubt.map_or(ticket.since, |doubt| doubt.since.min(ticket.since))
}

/// Nothing could be decided: what was known before is remembered until something can be.
pub(super) fn undecided(look: Look<'_>, past: Past<'_>) -> Course {
    let before = past.course(look.uid);
    let doubt = before
        .pending
        .as_ref()
        .and_then(|pending| pending.doubt.clone())
        .unwrap_or_else(|| Doubt { since: past.ticket.since, last: past.last.cloned() });
    let wanted = before.pending.as_ref().and_then(|pending| pending.wanted.clone());
    let pending = Some(Arc::new(Pending { doubt: Some(doubt), wanted }));
    Course { placed: before.placed || look.has_record(), pending }
}

/// Returns the move that a decision asks for, if it is one, and what is to be remembered. `policy` is the digest of those in force.
pub(super) fn decided(look: Look<'_>, decision: &Decision, policy: &str, past: Past<'_>) -> (Course, Option<Arc<Move>>) {
    let before = past.course(look.uid);
    let placed = before.placed || look.has_record() || decision.last.written;
    let after = look.stands.after(&decision.patch, look.reading);
    let (from, to) = (look.stands.digest(), after.digest());
    if from == to {
        return (Course { placed, pending: None }, None);
    }
    let wanted = before.pending.as_ref().and_then(|pending| pending.wanted.as_ref());
    let cause = match wanted.filter(|wanted| wanted.from == from && wanted.to == to) {
        Some(wanted) => wanted.cause.clone(),
        None => cause(look, policy, (past, &before), || named(look.stands, &after, decision)),
    };
    let moves = Move { from: look.stands.clusters().into_iter().collect(), cause: cause.clone(), urgent: decision.urgent };
    let wanted = Wanted { from: from.to_owned(), to: to.to_owned(), cause };
    let pending = past.interners.pending.intern(Arc::new(Pending { doubt: None, wanted: Some(wanted) }));
    (Course { placed, pending: Some(pending) }, Some(past.interners.moves.intern(Arc::new(moves))))
}

fn cause(look: Look<'_>, policy: &str, (past, before): (Past<'_>, &Course), named: impl FnOnce() -> Named) -> Cause {
    let Look { object, kind, reading, .. } = look;
    let doubt = before.pending.as_ref().and_then(|pending| pending.doubt.as_ref());
    let last: Option<&Arc<Last>> = match doubt {
        Some(doubt) => doubt.last.as_ref(),
        None => past.last,
    };
    let (last, allowed) = (last.map(AsRef::as_ref), reading.allowed);
    let mover = Mover { object, kind, allowed, last, placed: before.placed, unchanged: look.unchanged };
    mover.cause(policy).unwrap_or_else(|| match past.spans.get(&since(past.ticket, past.known)) {
        Some(span) if mover.was_decided() => span.cause(&named()),
        _ => Cause::Unknown,
    })
}

/// The clusters that the object leaves or goes to, and the others that are spoken of.
fn named(stands: &Stands, after: &Stands, decision: &Decision) -> Named {
    let (from, to) = (stands.clusters(), after.clusters());
    let (clusters, rejected) = (decision.clusters(), decision.rejected());
    let spoken = from.union(&to).chain(clusters.iter()).chain(rejected.keys()).cloned().collect();
    Named([from.symmetric_difference(&to).cloned().collect(), spoken])
}

impl Look<'_> {
    fn has_record(&self) -> bool {
        ahead::record(|key| annotation(self.object, key)).is_some()
    }
}

impl Past<'_> {
    /// Of this object; another one of its name has none.
    fn course(&self, uid: &str) -> Course {
        self.known.filter(|known| *known.uid == *uid && !uid.is_empty()).map(|known| known.course.clone()).unwrap_or_default()
    }
}
