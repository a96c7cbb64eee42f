//! Finds the marks of all groups.

use super::Mark;
use super::walk::{Vertex, Walk};
use crate::ir::Policy;

/// How far a mark has been found.
#[derive(Clone, Copy)]
pub(super) enum State {
    Unknown,
    /// Being looked for: what refers to itself is not told apart from anything.
    Open,
    Known(Mark),
}

impl State {
    pub(super) fn mark(self) -> Mark {
        if let Self::Known(mark) = self { mark } else { Mark::EVERYTHING }
    }
}

/// Marks while they are found: depth first, without recursion over groups.
pub(super) struct Finding<'p> {
    policy: &'p Policy,
    pub(super) groups: Vec<State>,
    pub(super) nodes: Vec<State>,
    pub(super) size: usize,
}

impl<'p> Finding<'p> {
    pub(super) fn new(policy: &'p Policy) -> Self {
        let unknown = |len| vec![State::Unknown; len];
        Self { policy, groups: unknown(policy.groups.len()), nodes: unknown(policy.nodes.len()), size: 0 }
    }

    fn state(&self, vertex: Vertex) -> State {
        let state = match vertex {
            Vertex::Group(id) => self.groups.get(id.index()),
            Vertex::Node(id) => self.nodes.get(id.index()),
        };
        state.copied().unwrap_or(State::Known(Mark::EVERYTHING))
    }

    fn set(&mut self, vertex: Vertex, state: State) {
        let place = match vertex {
            Vertex::Group(id) => self.groups.get_mut(id.index()),
            Vertex::Node(id) => self.nodes.get_mut(id.index()),
        };
        if let Some(place) = place {
            *place = state;
        }
    }

    pub(super) fn find(&mut self, start: Vertex) {
        let mut waiting = vec![start];
        while let Some(vertex) = waiting.last().copied() {
            let state = self.state(vertex);
            if matches!(state, State::Known(_)) {
                waiting.pop();
                continue;
            }
            let known = |other| match self.state(other) {
                State::Unknown => None,
                state => Some(state.mark()),
            };
            let mut walk = Walk::new(self.policy, &known);
            walk.vertex(vertex);
            let (mark, size, missing) = (walk.mark, walk.size, walk.missing);
            if missing.is_empty() || matches!(state, State::Open) {
                self.size = self.size.saturating_add(size);
                self.set(vertex, State::Known(mark));
                waiting.pop();
            } else {
                self.set(vertex, State::Open);
                waiting.extend(missing);
            }
        }
    }
}
