//! Marks: what the answer of a group depends on beside its operands.

mod find;
mod terms;
mod walk;

use find::{Finding, State};
use walk::{Vertex, Walk};

use crate::builtins::Dependence as BuiltinDependence;
use crate::ir::{Block, GroupId, NodeId, Policy, Step, Term};

/// What an answer depends on, operands and bound variables aside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// `input`.
    pub input: bool,
    /// Base documents.
    pub data: bool,
    /// The clock.
    pub clock: bool,
    /// Randomness.
    pub random: bool,
    /// How the process was started.
    pub runtime: bool,
}

/// Which documents an answer depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dependence {
    /// None.
    Constant,
    /// Base documents alone.
    Data,
    /// `input`, perhaps base documents too.
    Input,
}

/// The marks of all groups.
#[derive(Debug)]
pub struct Marks {
    groups: Vec<Mark>,
    nodes: Vec<Mark>,
    size: usize,
}

impl Mark {
    const EVERYTHING: Self = Self { input: true, data: true, clock: true, random: true, runtime: true };

    /// What both depend on.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            input: self.input || other.input,
            data: self.data || other.data,
            clock: self.clock || other.clock,
            random: self.random || other.random,
            runtime: self.runtime || other.runtime,
        }
    }

    /// Which documents.
    pub fn dependence(self) -> Dependence {
        match (self.input, self.data) {
            (true, _) => Dependence::Input,
            (false, true) => Dependence::Data,
            (false, false) => Dependence::Constant,
        }
    }

    /// Whether the answer is the same in each evaluation, as far as documents are.
    pub fn is_repeatable(self) -> bool {
        !(self.clock || self.random || self.runtime)
    }

    pub(super) fn of(builtin: BuiltinDependence) -> Self {
        match builtin {
            BuiltinDependence::Pure => Self::default(),
            BuiltinDependence::Clock => Self { clock: true, ..Self::default() },
            BuiltinDependence::Random => Self { random: true, ..Self::default() },
            BuiltinDependence::Runtime => Self { runtime: true, ..Self::default() },
        }
    }
}

impl Marks {
    pub(super) fn of(policy: &Policy) -> Self {
        let mut finding = Finding::new(policy);
        let groups = (0..policy.groups.len()).filter_map(|index| u32::try_from(index).ok().map(GroupId));
        let nodes = (0..policy.nodes.len()).filter_map(|index| u32::try_from(index).ok().map(NodeId));
        groups.map(Vertex::Group).chain(nodes.map(Vertex::Node)).for_each(|vertex| finding.find(vertex));
        let known = |states: Vec<State>| states.into_iter().map(State::mark).collect();
        Self { groups: known(finding.groups), nodes: known(finding.nodes), size: finding.size }
    }

    /// The mark of a group.
    pub fn group(&self, id: GroupId) -> Mark {
        self.groups.get(id.index()).copied().unwrap_or(Mark::EVERYTHING)
    }

    /// The mark of a body.
    pub fn block(&self, policy: &Policy, block: &Block) -> Mark {
        self.walk(policy, |walk| walk.block(block))
    }

    /// The mark of what a body's solutions are made of, behind some of its steps.
    pub(crate) fn solutions(&self, policy: &Policy, steps: &[Step], terms: &[&Term]) -> Mark {
        self.walk(policy, |walk| {
            walk.block(steps);
            terms.iter().for_each(|term| walk.term(term));
        })
    }

    /// All that the policy depends on.
    pub(super) fn all(&self) -> Mark {
        self.groups.iter().fold(Mark::default(), |all, mark| all.or(*mark))
    }

    /// How many expressions and terms the policy has.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    fn walk(&self, policy: &Policy, run: impl FnOnce(&mut Walk<'_>)) -> Mark {
        let known = |vertex| match vertex {
            Vertex::Group(id) => Some(self.group(id)),
            Vertex::Node(id) => Some(self.nodes.get(id.index()).copied().unwrap_or(Mark::EVERYTHING)),
        };
        let mut walk = Walk::new(policy, &known);
        run(&mut walk);
        walk.mark
    }
}
