//! What is asked first of each value that a reference is gone through for: `some x in xs; x.a == known`.

use crate::ir::{Element, Filter, Head, Iterate, Op, Pattern, Reference, Slot, Step, Target, Term, Wanted};
use crate::value::Value;

/// Finds them.
pub(super) fn add(steps: &mut [Step]) {
    let mut rest = steps;
    while let Some((step, behind)) = rest.split_first_mut() {
        if let Op::Iterate(iterate) = &mut step.op {
            iterate.filter = filter(iterate, behind).map(Box::new);
        }
        rest = behind;
    }
}

/// What variables stand for behind a reference: nothing that is asked of them has an effect.
struct Behind<'s> {
    /// The value that was found.
    value: Slot,
    /// Bound by the reference.
    bound: Vec<Slot>,
    /// Bound since.
    names: Vec<(Slot, &'s Term)>,
}

/// One side of a comparison.
enum Side {
    Part(Box<[Value]>),
    Known(Wanted),
}

fn filter(iterate: &Iterate, behind: &[Step]) -> Option<Filter> {
    let (Some(Element::Each(key)), Some(Pattern::Bind(value))) = (iterate.elements.last(), &iterate.output) else { return None };
    let mut bound = Vec::new();
    slots(key, &mut bound);
    let mut behind_it = Behind { value: *value, bound, names: Vec::new() };
    for step in behind {
        match &step.op {
            Op::Match(Pattern::Bind(slot), term) if is_pure(term) => behind_it.names.push((*slot, term)),
            Op::Match(Pattern::Equal(a), b) => return behind_it.filter(a, b),
            Op::Call(call) => match (&call.target, call.operands.as_ref(), &call.output) {
                (Target::Builtin(builtin), [a, b], None) if builtin.name == "equal" => return behind_it.filter(a, b),
                _ => return None,
            },
            _ => return None,
        }
    }
    None
}

impl Behind<'_> {
    fn filter(&self, a: &Term, b: &Term) -> Option<Filter> {
        match (self.side(a)?, self.side(b)?) {
            (Side::Part(path), Side::Known(wanted)) | (Side::Known(wanted), Side::Part(path)) => Some(Filter { path, wanted }),
            _ => None,
        }
    }

    fn side(&self, term: &Term) -> Option<Side> {
        match term {
            Term::Constant(value @ Value::String(_)) => Some(Side::Known(Wanted::Constant(value.clone()))),
            Term::Slot(slot) if *slot == self.value => Some(Side::Part(Box::default())),
            Term::Slot(slot) => match self.names.iter().find(|(name, _)| name == slot) {
                Some((_, term)) => self.side_of_name(term),
                None if self.bound.contains(slot) => None,
                None => Some(Side::Known(Wanted::Slot(*slot))),
            },
            term => self.side_of_name(term),
        }
    }

    fn side_of_name(&self, term: &Term) -> Option<Side> {
        let Term::Reference(reference) = term else { return None };
        match reference.head {
            Head::Term(Term::Slot(slot)) if slot == self.value => Some(Side::Part(texts(reference)?)),
            Head::Input => Some(Side::Known(Wanted::Input(texts(reference)?))),
            _ => None,
        }
    }
}

/// The keys of a reference, if all are text.
fn texts(reference: &Reference) -> Option<Box<[Value]>> {
    let keys = reference.keys.iter().map(|key| match key {
        Term::Constant(key @ Value::String(_)) => Some(key.clone()),
        _ => None,
    });
    keys.collect()
}

/// Whether evaluating a term has no effect but to say whether it is defined.
fn is_pure(term: &Term) -> bool {
    match term {
        Term::Constant(_) | Term::Slot(_) | Term::Input => true,
        Term::Reference(reference) => {
            matches!(reference.head, Head::Input | Head::Base | Head::Term(Term::Slot(_))) && texts(reference).is_some()
        }
        _ => false,
    }
}

fn slots(pattern: &Pattern, bound: &mut Vec<Slot>) {
    match pattern {
        Pattern::Bind(slot) => bound.push(*slot),
        Pattern::Any | Pattern::Never | Pattern::Equal(_) => {}
        Pattern::Array(items) => items.iter().for_each(|item| slots(item, bound)),
        Pattern::Object(members) => members.iter().for_each(|(_, member)| slots(member, bound)),
    }
}
