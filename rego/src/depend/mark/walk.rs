//! Goes through what is evaluated and gathers what it depends on.

use super::Mark;
use crate::depend::flow::grown;
use crate::ir::{Call, Definition, Element, GroupId, Head, NodeId, Op, Policy, Replacement, Rule, Step, Target, Term, With};
use crate::value::Value;

/// What has a mark of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vertex {
    /// Rules.
    Group(GroupId),
    /// All rules below a node.
    Node(NodeId),
}

/// One walk.
pub(super) struct Walk<'p> {
    policy: &'p Policy,
    known: &'p dyn Fn(Vertex) -> Option<Mark>,
    /// What was found.
    pub(super) mark: Mark,
    /// How many expressions and terms were seen.
    pub(super) size: usize,
    /// What is not known yet.
    pub(super) missing: Vec<Vertex>,
}

impl<'p> Walk<'p> {
    pub(super) fn new(policy: &'p Policy, known: &'p dyn Fn(Vertex) -> Option<Mark>) -> Self {
        Self { policy, known, mark: Mark::default(), size: 0, missing: Vec::new() }
    }

    pub(super) fn vertex(&mut self, vertex: Vertex) {
        match vertex {
            Vertex::Group(id) => {
                let rules = self.policy.group(id).into_iter().flat_map(|group| group.rules.iter().chain(&group.default));
                rules.for_each(|rule| self.rule(rule));
            }
            Vertex::Node(id) => {
                let Some(node) = self.policy.node(id) else { return };
                node.group.into_iter().for_each(|group| self.refer(Vertex::Group(group)));
                node.children.values().for_each(|child| self.refer(Vertex::Node(*child)));
            }
        }
    }

    fn refer(&mut self, vertex: Vertex) {
        self.size = self.size.saturating_add(1);
        match (self.known)(vertex) {
            Some(mark) => self.mark = self.mark.or(mark),
            None => self.missing.push(vertex),
        }
    }

    fn rule(&mut self, rule: &Rule) {
        for branch in std::iter::once(rule).chain(&rule.otherwise) {
            branch.args.iter().for_each(|pattern| self.pattern(pattern));
            branch.definitions.iter().chain(branch.asked.as_deref()).for_each(|definition| self.definition(definition));
        }
    }

    fn definition(&mut self, definition: &Definition) {
        definition.known.iter().for_each(|pattern| self.pattern(pattern));
        self.block(&definition.body);
        self.terms(&definition.path);
        self.term(&definition.value);
    }

    pub(super) fn block(&mut self, block: &[Step]) {
        grown(|| block.iter().for_each(|step| self.step(step)));
    }

    fn step(&mut self, step: &Step) {
        self.size = self.size.saturating_add(1);
        match &step.op {
            Op::Test(term) => self.term(term),
            Op::Match(pattern, term) => {
                self.pattern(pattern);
                self.term(term);
            }
            Op::Iterate(iterate) => {
                let keys = iterate.elements.iter().map_while(|element| match element {
                    Element::Key(Term::Constant(key)) => Some(key),
                    _ => None,
                });
                self.head(&iterate.head, keys);
                iterate.elements.iter().for_each(|element| self.element(element));
                iterate.output.iter().for_each(|pattern| self.pattern(pattern));
            }
            Op::Call(call) => self.call(call),
            Op::Not(block) => self.block(block),
            Op::Every(every) => {
                self.term(&every.domain);
                self.pattern(&every.key);
                self.pattern(&every.value);
                self.block(&every.body);
            }
            Op::With(with) => self.with(with),
            Op::And(left, right) | Op::Or(left, right) => {
                self.block(left);
                self.block(right);
            }
            Op::Fail => {}
        }
    }

    fn element(&mut self, element: &Element) {
        match element {
            Element::Key(term) => self.term(term),
            Element::Each(pattern) => self.pattern(pattern),
        }
    }

    pub(super) fn head<'v>(&mut self, head: &Head, keys: impl Iterator<Item = &'v Value>) {
        match head {
            Head::Input => self.mark.input = true,
            Head::Base => self.mark.data = true,
            Head::Term(term) => self.term(term),
            Head::Group(id) => self.refer(Vertex::Group(*id)),
            Head::Data => {
                self.mark.data = true;
                let (policy, mut at) = (self.policy, NodeId::ROOT);
                for key in keys {
                    let Some(below) = policy.node(at).and_then(|node| node.children.get(key)) else { break };
                    at = *below;
                }
                self.refer(Vertex::Node(at));
            }
        }
    }

    pub(super) fn call(&mut self, call: &Call) {
        self.target(&call.target);
        self.terms(&call.operands);
        call.output.iter().for_each(|pattern| self.pattern(pattern));
    }

    fn target(&mut self, target: &Target) {
        match target {
            Target::Function(id) => self.refer(Vertex::Group(*id)),
            Target::Builtin(builtin) => self.mark = self.mark.or(Mark::of(builtin.dependence)),
        }
    }

    /// An input that is replaced as a whole is not read from outside, whatever the expression calls. No rule replaces all of `data`: it would
    /// be recursive.
    fn with(&mut self, with: &With) {
        let outside = std::mem::take(&mut self.mark);
        self.block(&with.body);
        self.mark.input &= !with.input.iter().any(|(path, _)| path.is_empty());
        self.mark = self.mark.or(outside);
        with.input.iter().for_each(|(_, term)| self.term(term));
        with.data.iter().filter_map(|(_, term)| term.as_ref()).for_each(|term| self.term(term));
        for (_, replacement) in &with.functions {
            match replacement {
                Replacement::Target(target) => self.target(target),
                Replacement::Value(term) | Replacement::Document(term) => self.term(term),
            }
        }
    }
}
