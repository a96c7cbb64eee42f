//! What rules refer to: documents and functions, each as far as it is named, and what becomes of it there.

use foldhash::HashSet;

use crate::depend::flow::grown;
use crate::ir::{
    Call, Comprehension, Definition, Element, Every, Group, GroupId, Head, Iterate, Op, Pattern, Reference, Replacement, Rule,
    Slot, Step, Target, Term, Wanted, With,
};
use crate::syntax::span::Span;

/// One reference to something below `data`, or a call of a function.
pub(super) struct Use<'p> {
    pub(super) head: Start,
    pub(super) elements: Vec<At<'p>>,
    pub(super) interest: Interest,
    /// It stands under `with`.
    pub(super) replaced: bool,
    /// The expression, or the rule, in which it stands.
    pub(super) span: Span,
}

/// Where a reference begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// At `data`: base and virtual documents.
    Data,
    /// At base documents alone.
    Base,
    /// At a rule, or it is a call of that function.
    Group(GroupId),
}

/// One step of a reference.
#[derive(Clone, Copy)]
pub(super) enum At<'p> {
    /// This key.
    Key(&'p Term),
    /// Each key of this form.
    Each(&'p Pattern),
}

/// How much of the value that a reference finds is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interest {
    /// Whether it is there, and whether it is false.
    Truth,
    /// What becomes of this variable.
    Bound(Slot),
    /// Anything.
    Value,
}

/// The references and variables of one piece of a rule.
#[derive(Default)]
pub(super) struct Uses<'p> {
    pub(super) references: Vec<Use<'p>>,
    /// Variables whose values are used.
    pub(super) slots: Vec<Slot>,
    replaced: bool,
    span: Span,
}

/// Returns what all of a group refers to.
pub(super) fn of_group(group: &Group) -> Vec<Use<'_>> {
    let mut uses = Uses::default();
    group.rules.iter().chain(&group.default).for_each(|rule| uses.rule(rule));
    uses.references
}

/// Returns what an expression refers to.
pub(super) fn of_step(step: &Step) -> Uses<'_> {
    let mut uses = Uses::default();
    uses.step(step);
    uses
}

/// Returns the reference that is gone through, if it begins at `data`, and what else is referred to there.
pub(super) fn of_iterate(iterate: &Iterate) -> (Option<Use<'_>>, Vec<Use<'_>>) {
    let mut uses = Uses::default();
    uses.iterate(iterate);
    let is_own = begins_at_data(&iterate.head);
    let mut references = uses.references.into_iter();
    (if is_own { references.next() } else { None }, references.collect())
}

fn begins_at_data(head: &Head) -> bool {
    match head {
        Head::Data | Head::Base | Head::Group(_) => true,
        Head::Term(Term::Reference(reference)) => grown(|| begins_at_data(&reference.head)),
        Head::Input | Head::Term(_) => false,
    }
}

/// Returns what a term refers to.
pub(super) fn of_term(term: &Term) -> Uses<'_> {
    let mut uses = Uses::default();
    uses.term(term);
    uses
}

impl<'p> Uses<'p> {
    fn rule(&mut self, rule: &'p Rule) {
        for branch in std::iter::once(rule).chain(&rule.otherwise) {
            self.span = branch.span;
            branch.args.iter().for_each(|pattern| self.pattern(pattern));
            branch.definitions.iter().chain(branch.asked.as_deref()).for_each(|definition| self.definition(definition));
        }
    }

    fn definition(&mut self, definition: &'p Definition) {
        let mut inside = Uses { span: self.span, ..Uses::default() };
        inside.block(&definition.body);
        inside.span = self.span;
        inside.terms(&definition.path);
        inside.term(&definition.value);
        let used: HashSet<Slot> = inside.slots.iter().copied().collect();
        for one in &mut inside.references {
            // `some name, _ in data.fleet` has a variable for what nobody looks at.
            if let Interest::Bound(slot) = one.interest {
                one.interest = if used.contains(&slot) { Interest::Value } else { Interest::Truth };
            }
        }
        self.references.append(&mut inside.references);
    }

    fn block(&mut self, block: &'p [Step]) {
        grown(|| block.iter().for_each(|step| self.step(step)));
    }

    fn step(&mut self, step: &'p Step) {
        self.span = step.span;
        match &step.op {
            Op::Test(Term::Reference(reference)) => self.reference(reference, Interest::Truth),
            Op::Test(term) => self.term(term),
            Op::Match(pattern, Term::Reference(reference)) => {
                self.pattern(pattern);
                self.reference(reference, interest(pattern));
            }
            Op::Match(pattern, term) => {
                self.pattern(pattern);
                self.term(term);
            }
            Op::Iterate(iterate) => self.iterate(iterate),
            Op::Call(call) => self.call(call),
            Op::Not(block) => self.block(block),
            Op::Every(every) => self.every(every),
            Op::With(with) => self.with(with),
            Op::And(left, right) | Op::Or(left, right) => {
                self.block(left);
                self.block(right);
            }
            Op::Fail => {}
        }
    }

    fn every(&mut self, every: &'p Every) {
        self.term(&every.domain);
        self.pattern(&every.key);
        self.pattern(&every.value);
        self.block(&every.body);
    }

    fn iterate(&mut self, iterate: &'p Iterate) {
        let interest = match &iterate.filter {
            None => iterate.output.as_ref().map_or(Interest::Truth, interest),
            Some(_) => Interest::Value,
        };
        if let Some(Wanted::Slot(slot)) = iterate.filter.as_ref().map(|filter| &filter.wanted) {
            self.slots.push(*slot);
        }
        let at = iterate.elements.iter().map(|element| match element {
            Element::Key(term) => At::Key(term),
            Element::Each(pattern) => At::Each(pattern),
        });
        self.head(&iterate.head, at.collect(), interest);
        iterate.output.iter().for_each(|pattern| self.pattern(pattern));
    }

    fn reference(&mut self, reference: &'p Reference, interest: Interest) {
        grown(|| self.head(&reference.head, reference.keys.iter().map(At::Key).collect(), interest));
    }

    fn head(&mut self, head: &'p Head, elements: Vec<At<'p>>, interest: Interest) {
        match head {
            Head::Input => {}
            Head::Data => self.add(Start::Data, &elements, interest),
            Head::Base => self.add(Start::Base, &elements, interest),
            Head::Group(id) => self.add(Start::Group(*id), &elements, interest),
            // `some x in data.fleet`: one reference, written as two.
            Head::Term(Term::Reference(reference)) => {
                let keys = reference.keys.iter().map(At::Key);
                return grown(|| self.head(&reference.head, keys.chain(elements).collect(), interest));
            }
            Head::Term(term) => self.term(term),
        }
        for element in elements {
            match element {
                At::Key(term) => self.term(term),
                At::Each(pattern) => self.pattern(pattern),
            }
        }
    }

    fn add(&mut self, head: Start, elements: &[At<'p>], interest: Interest) {
        self.references.push(Use { head, elements: elements.to_vec(), interest, replaced: self.replaced, span: self.span });
    }

    fn call(&mut self, call: &'p Call) {
        self.target(&call.target);
        self.terms(&call.operands);
        call.output.iter().for_each(|pattern| self.pattern(pattern));
    }

    fn target(&mut self, target: &'p Target) {
        if let Target::Function(id) = target {
            self.add(Start::Group(*id), &[], Interest::Value);
        }
    }

    fn with(&mut self, with: &'p With) {
        let outside = std::mem::replace(&mut self.replaced, true);
        self.block(&with.body);
        for (_, replacement) in &with.functions {
            match replacement {
                Replacement::Target(target) => self.target(target),
                Replacement::Value(term) | Replacement::Document(term) => self.term(term),
            }
        }
        self.replaced = outside;
        with.input.iter().for_each(|(_, term)| self.term(term));
        with.data.iter().filter_map(|(_, term)| term.as_ref()).for_each(|term| self.term(term));
    }

    fn pattern(&mut self, pattern: &'p Pattern) {
        match pattern {
            Pattern::Any | Pattern::Never | Pattern::Bind(_) => {}
            Pattern::Equal(term) => self.term(term),
            Pattern::Array(items) => grown(|| items.iter().for_each(|item| self.pattern(item))),
            Pattern::Object(members) => grown(|| {
                for (key, member) in members {
                    self.term(key);
                    self.pattern(member);
                }
            }),
        }
    }

    fn terms(&mut self, terms: &'p [Term]) {
        terms.iter().for_each(|term| self.term(term));
    }

    fn term(&mut self, term: &'p Term) {
        match term {
            Term::Constant(_) | Term::Input => {}
            Term::Slot(slot) => self.slots.push(*slot),
            Term::Reference(reference) => self.reference(reference, Interest::Value),
            Term::Array(items) | Term::Set(items) => grown(|| self.terms(items)),
            Term::Object(members) => grown(|| {
                for (key, value) in members.iter() {
                    self.term(key);
                    self.term(value);
                }
            }),
            Term::Comprehension(comprehension) => self.comprehension(comprehension),
        }
    }

    fn comprehension(&mut self, comprehension: &'p Comprehension) {
        match comprehension {
            Comprehension::Array(body, value) | Comprehension::Set(body, value) => {
                self.block(body);
                self.term(value);
            }
            Comprehension::Object(body, key, value, _) => {
                self.block(body);
                self.term(key);
                self.term(value);
            }
            Comprehension::Indexed(indexed) => self.comprehension(&indexed.plain),
        }
    }
}

/// Returns how much is used of a value that has to be of this form.
fn interest(pattern: &Pattern) -> Interest {
    match pattern {
        Pattern::Any => Interest::Truth,
        Pattern::Bind(slot) => Interest::Bound(*slot),
        _ => Interest::Value,
    }
}
