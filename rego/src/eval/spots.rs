//! Where the document of a rule is made of parts: one for each member of a base document, each of that member alone.
//!
//! `ready contains name if { some name, cluster in data.fleet; … }` is, if nothing but the name and the cluster is looked at behind the
//! first expression. The same goes for a comprehension with which the body of a rule begins.

use foldhash::HashMap;

use super::val::is_name;
use crate::depend::{Dependence, Marks};
use crate::ir::{
    Block, Comprehension, Definition, Element, Group, GroupId, GroupKind, Head, Iterate, Op, Pattern, Policy, Step, Term,
};
use crate::value::Value;

/// Such places, by where their bodies are in memory.
#[derive(Debug, Default)]
pub(crate) struct Spots(HashMap<usize, Spot>);

/// One of them.
#[derive(Debug)]
pub(crate) struct Spot {
    /// Whose document is made there.
    pub(crate) group: GroupId,
    /// Where the base document lies.
    pub(crate) path: Box<[Value]>,
}

impl Spots {
    /// All of a policy, in rules that depend on base documents alone.
    pub(crate) fn of(policy: &Policy, marks: &Marks) -> Self {
        let mut spots = Self::default();
        for (number, group) in (0..).zip(&policy.groups) {
            let mark = marks.group(GroupId(number));
            if mark.dependence() == Dependence::Data && mark.is_repeatable() && !matches!(group.kind, GroupKind::Function(_)) {
                for (body, terms) in candidates(group) {
                    spots.add(GroupId(number), body, |rest| {
                        let mark = marks.solutions(policy, rest, &terms);
                        mark.dependence() == Dependence::Constant && mark.is_repeatable()
                    });
                }
            }
        }
        spots
    }

    /// The one with this body.
    pub(crate) fn get(&self, body: &Block) -> Option<&Spot> {
        self.0.get(&address(body))
    }

    fn add(&mut self, group: GroupId, body: &Block, is_constant: impl Fn(&[Step]) -> bool) {
        if let Some((Step { op: Op::Iterate(first), .. }, rest)) = body.split_first()
            && let Some(path) = base(first)
            && is_constant(rest)
        {
            self.0.insert(address(body), Spot { group, path });
        }
    }
}

/// What a body is known by.
pub(crate) fn address(body: &Block) -> usize {
    body.as_ptr().addr()
}

/// Bodies that are evaluated where no variable is bound, and what is made of their solutions.
fn candidates(group: &Group) -> Vec<(&Block, Vec<&Term>)> {
    let mut found = Vec::new();
    for definition in group.rules.iter().filter(|rule| rule.args.is_empty()).filter_map(|rule| rule.definitions.first()) {
        if matches!(group.kind, GroupKind::Set | GroupKind::Object) {
            found.push((&definition.body, definition.path.iter().chain([&definition.value]).collect()));
        }
        found.extend(begins(definition).into_iter().filter_map(comprehension));
    }
    found
}

/// The terms that are evaluated before anything is bound.
fn begins(definition: &Definition) -> Vec<&Term> {
    match definition.body.first().map(|step| &step.op) {
        None => vec![&definition.value],
        Some(Op::Match(_, term) | Op::Test(term)) => vec![term],
        Some(Op::Call(call)) => call.operands.iter().collect(),
        Some(_) => Vec::new(),
    }
}

fn comprehension(term: &Term) -> Option<(&Block, Vec<&Term>)> {
    let Term::Comprehension(comprehension) = term else { return None };
    match comprehension.as_ref() {
        Comprehension::Array(body, value) | Comprehension::Set(body, value) => Some((body, vec![value])),
        Comprehension::Object(body, key, value, _) => Some((body, vec![key, value])),
        Comprehension::Indexed(_) => None,
    }
}

/// The base document whose members are gone through, if that is all that a reference does.
fn base(iterate: &Iterate) -> Option<Box<[Value]>> {
    let is_free = |pattern: &Pattern| matches!(pattern, Pattern::Any | Pattern::Bind(_));
    let (Element::Each(key), above) = iterate.elements.split_last()? else { return None };
    let name = |element: &Element| match element {
        Element::Key(Term::Constant(name)) if is_name(name) => Some(name.clone()),
        _ => None,
    };
    let is_base = matches!(iterate.head, Head::Base) && is_free(key) && iterate.output.iter().all(is_free);
    if is_base { above.iter().map(name).collect() } else { None }
}
