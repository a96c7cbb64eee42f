//! Heads of rules beside references with patterns among their keys: what no head can be is not evaluated (opa `v1/topdown/eval.go`,
//! `evalOneRulePreUnify`).

use super::val::Val;
use crate::ir::{Element, Group, Pattern, Rule, Slot, Term};
use crate::value::Value;

/// Whether a reference has keys behind the known ones that heads may not be. Where a variable comes first, OPA evaluates all rules.
pub(super) fn has_patterns(elements: &[Element], known: usize) -> bool {
    let is_variable = |element: &Element| matches!(element, Element::Each(Pattern::Any | Pattern::Bind(_)));
    let rest = elements.get(known..).unwrap_or_default();
    !rest.iter().all(is_variable) && (known > 0 || !rest.first().is_some_and(is_variable))
}

/// Returns the first ones of these keys, as many as the longest head of a group has: those behind them lie inside of a member.
pub(super) fn of_members<'k, 'a>(group: &Group, keys: &'k [Val<'a>]) -> &'k [Val<'a>] {
    let longest = group.rules.iter().map(|rule| rule.keys.saturating_add(usize::from(rule.multi))).max().unwrap_or(0);
    keys.get(..longest).unwrap_or(keys)
}

/// Whether all rules may have members at these keys.
pub(super) fn all_fit(group: &Group, elements: &[Element]) -> bool {
    group.rules.iter().all(|rule| rule.otherwise.iter().chain([rule]).all(|rule| fits(rule, elements)))
}

/// Whether some head has members that are not found by their values: sets with variables, for one.
pub(super) fn takes_no_value(group: &Group) -> bool {
    let definitions = group.rules.iter().flat_map(|rule| rule.otherwise.iter().chain([rule])).flat_map(|rule| &rule.definitions);
    definitions.flat_map(|definition| &definition.known).any(has_never)
}

fn has_never(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Never => true,
        Pattern::Array(items) => items.iter().any(has_never),
        Pattern::Object(members) => members.iter().any(|(_, item)| has_never(item)),
        _ => false,
    }
}

/// Returns whether some head has variables inside of a set, or of an object's keys, such as `contains {x}`: a pattern may not find members
/// of it that all of its document has.
pub(super) fn hides_variables(group: &Group) -> bool {
    let mut rules = group.rules.iter().flat_map(|rule| rule.otherwise.iter().chain([rule]));
    rules.any(|rule| {
        let heads = rule.definitions.first().map(|first| first.path.iter().chain(rule.multi.then_some(&first.value)));
        heads.is_some_and(|mut heads| !heads.all(is_open))
    })
}

/// Whether all variables of a head stand where a value that is asked for can be taken apart.
fn is_open(head: &Term) -> bool {
    match head {
        Term::Set(items) => items.iter().all(|item| is_bound(item, &[])),
        Term::Array(items) => items.iter().all(is_open),
        Term::Object(members) => members.iter().all(|(key, value)| is_bound(key, &[]) && is_open(value)),
        _ => true,
    }
}

/// Whether a rule may have members at these keys; variables of either side may be anything. As in OPA nothing is taken out of a set, or out of
/// the keys of an object: where a value is asked for, variables in there need a value before, by what stands in front of them.
pub(super) fn fits(rule: &Rule, elements: &[Element]) -> bool {
    let Some(definition) = rule.definitions.first() else { return true };
    let member = rule.multi.then_some(&definition.value);
    let mut bound = Vec::new();
    definition.path.iter().chain(member).zip(elements).all(|(head, element)| match element {
        Element::Key(key) => known_unifies(key, head) && takes(head, &mut bound),
        Element::Each(pattern) => unifies(pattern, head, &mut bound),
    })
}

fn unifies(pattern: &Pattern, head: &Term, bound: &mut Vec<Slot>) -> bool {
    match (pattern, head) {
        (pattern, Term::Constant(value)) => unifies_value(pattern, value),
        (Pattern::Equal(term), head) => known_unifies(term, head) && takes(head, bound),
        (Pattern::Array(items), Term::Array(parts)) => {
            items.len() == parts.len() && items.iter().zip(parts).all(|(item, part)| unifies(item, part, bound))
        }
        (Pattern::Object(members), Term::Object(parts)) => {
            let mut part = |key: &Term, item| {
                let is_named = |name: &Term, bound: &[Slot]| is_bound(name, bound) && known_unifies(key, name);
                parts.iter().any(|(name, part)| is_named(name, bound) && unifies(item, part, bound))
            };
            members.len() == parts.len() && members.iter().all(|(key, item)| part(key, item))
        }
        (Pattern::Array(_), Term::Object(_) | Term::Set(_)) | (Pattern::Object(_), Term::Array(_) | Term::Set(_)) => false,
        _ => true,
    }
}

/// Whether a head may be a value that is known; its variables have one then.
fn takes(head: &Term, bound: &mut Vec<Slot>) -> bool {
    match head {
        Term::Slot(slot) => {
            bound.push(*slot);
            true
        }
        Term::Array(items) => items.iter().all(|item| takes(item, bound)),
        Term::Object(members) => {
            // OPA goes by the order of keys, which is not the written one.
            members.iter().for_each(|(_, value)| bind(value, bound));
            members.iter().all(|(key, value)| is_bound(key, bound) && takes(value, bound))
        }
        Term::Set(items) => items.iter().all(|item| is_bound(item, bound)),
        _ => true,
    }
}

/// Adds the variables that have a value where a head is one that is known.
fn bind(head: &Term, bound: &mut Vec<Slot>) {
    match head {
        Term::Slot(slot) => bound.push(*slot),
        Term::Array(items) => items.iter().for_each(|item| bind(item, bound)),
        Term::Object(members) => members.iter().for_each(|(_, value)| bind(value, bound)),
        _ => {}
    }
}

/// Whether each variable in a head has a value.
fn is_bound(head: &Term, bound: &[Slot]) -> bool {
    match head {
        Term::Slot(slot) => bound.contains(slot),
        Term::Array(items) | Term::Set(items) => items.iter().all(|item| is_bound(item, bound)),
        Term::Object(members) => members.iter().all(|(key, value)| is_bound(key, bound) && is_bound(value, bound)),
        _ => true,
    }
}

fn unifies_value(pattern: &Pattern, value: &Value) -> bool {
    match (pattern, value) {
        (Pattern::Any | Pattern::Bind(_), _) => true,
        (Pattern::Equal(Term::Constant(wanted)), value) => wanted == value,
        (Pattern::Equal(_), _) => true,
        (Pattern::Array(items), Value::Array(array)) => {
            items.len() == array.items().len() && items.iter().zip(array.items()).all(|(item, value)| unifies_value(item, value))
        }
        (Pattern::Object(members), Value::Object(object)) => {
            let member = |key: &Term, item| match key {
                Term::Constant(key) => object.get(key).is_some_and(|value| unifies_value(item, value)),
                _ => true,
            };
            members.len() == object.len() && members.iter().all(|(key, item)| member(key, item))
        }
        (Pattern::Never | Pattern::Array(_) | Pattern::Object(_), _) => false,
    }
}

fn known_unifies(known: &Term, head: &Term) -> bool {
    match (known, head) {
        (Term::Constant(known), Term::Constant(head)) => known == head,
        _ => true,
    }
}
