//! Follows values through a policy, from an entry point on.
//!
//! Rules and functions are gone through as the evaluator does, with shapes for values: each function once for each combination of
//! operands' shapes, each rule once for each `with` that it is evaluated under. So what is read through a function is what this
//! call of it reads. All of it costs a multiple of the policy's size at most: what is beyond that is read whole.

mod below;
mod block;
mod builtin;
mod call;
mod compare;
mod exclusive;
mod group;
mod indexed;
mod look;
mod partial;
mod pattern;
mod reference;
mod scope;
mod sides;
mod term;
mod tree;
mod unique;
mod with;

use std::collections::BTreeSet;

use foldhash::{HashMap, HashSet};
use scope::{ScopeId, Scopes};

use super::mark::{Mark, Marks};
use super::path::{Part, PathSet};
use super::reads::{Reads, Root};
use super::shape::{Place, PlaceId, ShapeId, Shapes};
use crate::ir::{Block, GroupId, Policy, Slot};
use crate::syntax::span::Span;
use crate::value::Value;

/// A group, what it is evaluated under, and with which operands or keys.
type Context = (GroupId, ScopeId, Vec<ShapeId>);

/// The result of a group: the shape of its document, and whether evaluating it may end with an error.
#[derive(Clone, Copy, Debug)]
struct Answer {
    shape: ShapeId,
    may_fail: bool,
}

/// How many steps each expression of the policy may take on the average.
const STEPS_PER_EXPRESSION: usize = 64;

/// How many there are in any case, for queries.
const STEPS: usize = 10_000;

/// What has been found so far.
pub(super) struct Flow<'p> {
    policy: &'p Policy,
    marks: &'p Marks,
    shapes: Shapes,
    scopes: Scopes<'p>,
    /// What is being evaluated under.
    scope: ScopeId,
    /// What is being looked at.
    span: Span,
    /// Results of groups; `None` while one is being looked at.
    contexts: HashMap<Context, Option<Answer>>,
    /// How much of a place is read.
    read: HashMap<PlaceId, Part>,
    /// For each shape that is combined of others (`Shape::is_combined`) and each key that was asked for, what lies there.
    below: HashMap<(ShapeId, Option<Value>), ShapeId>,
    /// Shapes that are read whole.
    looked: HashSet<ShapeId>,
    /// Where documents are read whole.
    whole: BTreeSet<(Root, Span)>,
    mark: Mark,
    /// Groups that share what they make with the other side of functions that are called instead of others; those that were met there, and how
    /// often the other side is being looked at.
    shared: HashSet<GroupId>,
    met: HashSet<(GroupId, ScopeId)>,
    depth: usize,
    /// Something was met that may end an evaluation with an error.
    may_fail: bool,
    /// How many steps are left.
    left: usize,
}

/// The slots of a rule.
pub(super) struct Frame(Vec<ShapeId>);

impl Frame {
    pub(super) fn new(slots: usize) -> Self {
        Self(vec![ShapeId::NEVER; slots])
    }

    pub(super) fn get(&self, slot: Slot) -> ShapeId {
        self.0.get(slot.index()).copied().unwrap_or(ShapeId::NEVER)
    }

    fn bind(&mut self, slot: Slot, shape: ShapeId) {
        if let Some(place) = self.0.get_mut(slot.index()) {
            *place = shape;
        }
    }
}

impl<'p> Flow<'p> {
    /// Nothing is found yet, but for the groups that are shared.
    pub(super) fn new(policy: &'p Policy, marks: &'p Marks, shared: HashSet<GroupId>) -> Self {
        let mut shapes = Shapes::new();
        let [input, data] = [Root::Input, Root::Data].map(|root| {
            let place = shapes.places.add(Place::Root(root));
            shapes.place(place)
        });
        Self {
            policy,
            marks,
            shapes,
            scopes: Scopes::new(input, data),
            scope: ScopeId::OUTERMOST,
            span: Span::default(),
            contexts: HashMap::default(),
            read: HashMap::default(),
            below: HashMap::default(),
            looked: HashSet::default(),
            whole: BTreeSet::new(),
            mark: Mark::default(),
            shared,
            met: HashSet::default(),
            depth: 0,
            may_fail: false,
            left: marks.size().saturating_mul(STEPS_PER_EXPRESSION).saturating_add(STEPS),
        }
    }

    /// All of the document at a path below `data` is read.
    pub(super) fn answer_document(&mut self, path: &[Value]) {
        let at = self.walk(path);
        let document = self.arrive(at);
        self.whole(document);
    }

    /// What some slots are bound to at each solution is read.
    pub(super) fn answer_query(&mut self, body: &'p Block, mut frame: Frame, variables: &[Slot]) {
        if self.block(body, &mut frame) {
            variables.iter().for_each(|slot| self.whole(frame.get(*slot)));
        }
    }

    /// Returns what was read. Fails with all groups that both sides of a mock meet, if it was begun without some of them: then it has to be
    /// begun again with these (see [`Self::new`]).
    pub(super) fn finish(mut self) -> Result<Reads, HashSet<GroupId>> {
        if let Some(shared) = self.found_shared() {
            return Err(shared);
        }
        let (mut input, mut data) = (Vec::new(), Vec::new());
        for (place, part) in self.read {
            let (root, path) = self.shapes.places.path(place);
            match root {
                Root::Input => input.push((path, part)),
                Root::Data => data.push((path, part)),
            }
        }
        Ok(Reads {
            input: PathSet::of(input),
            data: PathSet::of(data),
            clock: self.mark.clock,
            random: self.mark.random,
            runtime: self.mark.runtime,
            whole: self.whole.into_iter().collect(),
        })
    }

    /// Takes a step; false when there are none left.
    fn spend(&mut self, steps: usize) -> bool {
        self.left = self.left.saturating_sub(steps);
        self.left > 0
    }

    fn current(&self) -> &scope::Scope<'p> {
        self.scopes.get(self.scope)
    }
}

/// Runs what calls itself, with enough stack for it.
pub(super) fn grown<T>(run: impl FnOnce() -> T) -> T {
    const RED_ZONE: usize = 128 * 1024;
    const SEGMENT: usize = 1024 * 1024;
    stacker::maybe_grow(RED_ZONE, SEGMENT, run)
}
