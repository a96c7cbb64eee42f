//! Whether an answer may differ where members of one base document changed: by what those alone make of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Program;
use super::bound::{Bound, Request};
use super::changes::Changes;
use crate::depend::{self, Members, Seen};
use crate::eval::{Arena, EvalError, is_name};
use crate::ir::GroupId;
use crate::limits::Limits;
use crate::syntax::span::Span;
use crate::value::{Object, Value};

/// A change of members of one base document, and what answers may see of it.
#[derive(Debug)]
pub struct ChangedMembers {
    /// The changed members alone, as they were.
    before: Bound,
    /// As they are.
    after: Bound,
    /// Documents that are compared for each input.
    made: Vec<Comparison>,
    /// Documents made of base documents alone were compared, too: once, for evaluations in which a builtin that fails is undefined.
    has_facts: bool,
}

/// More members than a few, and than one of so many, are not asked alone: each is asked twice, and where they make something else once more
/// with all others.
const FEW: usize = 8;
const ONE_OF: usize = 4;

/// How the document at one path sees the members of one collection.
pub(super) type KnownMembers = ([Vec<Value>; 2], Result<Members, Span>);

/// A document that is compared.
#[derive(Debug)]
struct Comparison {
    path: Vec<Value>,
    how: depend::Watched,
}

impl Bound {
    /// Returns what has become of some members of the base document at `collection` since `older`, for answers at `path`. `None` where
    /// they cannot be compared by those members alone: something else changed, some came or went, the rules look at several members
    /// together, or what they make of base documents alone is another one now.
    pub fn changed_members(&self, older: &Self, path: &[Value], collection: &[Value], limits: &Limits) -> Option<ChangedMembers> {
        if !Arc::ptr_eq(self.program(), older.program()) || !self.is_plain() || !older.is_plain() {
            return None;
        }
        let changes = Changes::between(older.data(), self.data())?;
        let inside = |path: &Vec<Value>| path.starts_with(collection).then(|| path.get(collection.len()).cloned()).flatten();
        let keys: BTreeSet<Value> = changes.paths().iter().map(inside).collect::<Option<_>>()?;
        let all = collection.iter().try_fold(self.data(), Value::get)?.as_object()?.len();
        // What is asked for by a number, or text that stands for one, is no member of documents that are made for all: those are compared.
        if keys.is_empty() || keys.len() > (all / ONE_OF).max(FEW) || !keys.iter().all(is_name) {
            return None;
        }
        let Members { facts, made, .. } =
            self.program.members(path, collection).ok().filter(|found| !found.is_ordered || keys.len() == 1)?;
        let [before, after] = [older, self].map(|bound| bound.with_members_alone(collection, &keys));
        let found = ChangedMembers { before: before?, after: after?, made: self.watched(&made), has_facts: !facts.is_empty() };
        let request = Request { limits: limits.clone(), ..Request::default() };
        older.is_same(self, &self.watched(&facts), &request).then_some(found)
    }

    fn watched(&self, documents: &BTreeMap<GroupId, depend::Watched>) -> Vec<Comparison> {
        let path = |id: &GroupId| self.program.policy().group(*id).and_then(|group| group.path.get(1..));
        let watched = |(id, how): (&GroupId, &depend::Watched)| Some(Comparison { path: path(id)?.to_vec(), how: *how });
        documents.iter().filter_map(watched).collect()
    }

    /// Returns the same with some members alone in one of the base documents; `None` where one is not there, or is no object.
    fn with_members_alone(&self, collection: &[Value], keys: &BTreeSet<Value>) -> Option<Self> {
        let data = with_alone(self.data(), collection, keys)?;
        Some(self.program.bind(data).keeping_beside(self, collection))
    }

    /// Whether documents are the same here and there, and do not depend on what was evaluated before.
    fn is_same(&self, other: &Self, watched: &[Comparison], request: &Request<'_>) -> bool {
        if watched.is_empty() {
            return true;
        }
        let [Some(mine), Some(theirs)] = [self, other].map(|bound| bound.documents(watched, request).ok().flatten()) else {
            return false;
        };
        watched
            .iter()
            .zip(mine.iter().zip(&theirs))
            .all(|(watched, (mine, theirs))| watched.is_same(mine.as_ref(), theirs.as_ref()))
    }

    /// Returns documents of one evaluation; `None` where they depend on what was evaluated before.
    fn documents(&self, watched: &[Comparison], request: &Request<'_>) -> Result<Option<Vec<Option<Value>>>, EvalError> {
        let arena = Arena::new();
        let mut evaluation = self.evaluation(&arena, request, request.options());
        let documents = watched.iter().map(|watched| evaluation.document(&watched.path)).collect::<Result<_, _>>()?;
        Ok((!evaluation.minds_order()).then_some(documents))
    }
}

impl Program {
    /// Returns [`crate::depend::Dependencies::members`] of this program. Fails with the place where several members are looked at together.
    pub fn members(&self, path: &[Value], collection: &[Value]) -> Result<Members, Span> {
        let find = || self.dependencies().members(self.policy(), path, collection);
        // Looked for once: nearly always one document is asked for, and one collection changes.
        let (of, found) = self.members.get_or_init(|| ([path.to_vec(), collection.to_vec()], find()));
        if *of == [path, collection] { found.clone() } else { find() }
    }
}

impl ChangedMembers {
    /// Whether the answer for an input is certainly the same before and after, if its evaluation met no number that could be written
    /// otherwise. `false` where it may differ, and for each request with strict builtin errors where documents made of base documents alone
    /// matter: those were compared without.
    pub fn is_same(&self, request: &Request<'_>) -> bool {
        let is_compared = !(self.has_facts && request.strict_builtin_errors) && request.input.is_none_or(Value::is_plain);
        let is_same = is_compared && self.before.is_same(&self.after, &self.made, request);
        for bound in [&self.before, &self.after] {
            bound.prepare_wanted(|| request.limits.clone());
        }
        is_same
    }
}

impl Comparison {
    fn is_same(&self, one: Option<&Value>, other: Option<&Value>) -> bool {
        match (one, other) {
            (None, None) => true,
            (Some(Value::Object(one)), Some(Value::Object(other))) if self.how.seen == Seen::Keys => {
                let is_false = |(_, value): (&Value, &Value)| *value == Value::False;
                let are_same = one.keys().iter().zip(other.keys()).all(|(one, other)| is_written_same(one, other));
                are_same && one.iter().map(is_false).eq(other.iter().map(is_false)) && self.is_distinct(one.keys())
            }
            (Some(one), Some(other)) => is_written_same(one, other) && self.is_distinct([one]),
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    /// Whether nothing here can be equal to what other members make and be written otherwise: of such values the first one stays.
    fn is_distinct<'v>(&self, values: impl IntoIterator<Item = &'v Value>) -> bool {
        self.how.is_keyed || !values.into_iter().any(has_number)
    }
}

/// Whether two values are one, however they are looked at: `1` is not `1.0`.
fn is_written_same(one: &Value, other: &Value) -> bool {
    one == other && one.is_plain() && other.is_plain()
}

fn has_number(value: &Value) -> bool {
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Int(_) | Value::Number(_) => return true,
            Value::Array(array) => waiting.extend(array.items()),
            Value::Set(set) => waiting.extend(set.members()),
            Value::Object(object) => waiting.extend(object.keys().iter().chain(object.values())),
            Value::Null | Value::False | Value::True | Value::String(_) => {}
        }
    }
    false
}

/// Returns a document in which one object has some of its members alone.
fn with_alone(document: &Value, path: &[Value], keys: &BTreeSet<Value>) -> Option<Value> {
    let object = document.as_object()?;
    let Some((name, below)) = path.split_first() else { return alone(object, keys) };
    let inside = with_alone(object.get(name)?, below, keys)?;
    Some(Value::Object(Arc::new(object.with(name.clone(), inside))))
}

fn alone(object: &Object, keys: &BTreeSet<Value>) -> Option<Value> {
    let members =
        keys.iter().map(|key| Some((key.clone(), object.get(key).filter(|member| member.as_object().is_some())?.clone())));
    Some(Value::object(members.collect::<Option<Vec<_>>>()?))
}
