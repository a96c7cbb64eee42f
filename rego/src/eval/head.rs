//! Heads of rules beside references with patterns among their keys: what no head can be is not evaluated (opa `v1/topdown/eval.go`,
//! `evalOneRulePreUnify`).

use crate::ir::{Element, Group, Pattern, Rule, Term};
use crate::value::Value;

/// Whether a reference has keys behind the known ones that heads may not be. Where a variable comes first, OPA evaluates all rules.
pub(super) fn has_patterns(elements: &[Element], known: usize) -> bool {
    let is_variable = |element: &Element| matches!(element, Element::Each(Pattern::Any | Pattern::Bind(_)));
    let rest = elements.get(known..).unwrap_or_default();
    !rest.iter().all(is_variable) && (known > 0 || !rest.first().is_some_and(is_variable))
}

/// Whether all rules may have members at these keys.
pub(super) fn all_fit(group: &Group, elements: &[Element]) -> bool {
    group.rules.iter().all(|rule| rule.otherwise.iter().chain([rule]).all(|rule| fits(rule, elements)))
}

/// Whether a rule may have members at these keys; variables of either side may be anything.
pub(super) fn fits(rule: &Rule, elements: &[Element]) -> bool {
    let Some(definition) = rule.definitions.first() else { return true };
    let member = rule.multi.then_some(&definition.value);
    definition.path.iter().chain(member).zip(elements).all(|(head, element)| match element {
        Element::Key(key) => known_unifies(key, head),
        Element::Each(pattern) => unifies(pattern, head),
    })
}

fn unifies(pattern: &Pattern, head: &Term) -> bool {
    match (pattern, head) {
        (pattern, Term::Constant(value)) => unifies_value(pattern, value),
        (Pattern::Equal(term), head) => known_unifies(term, head),
        (Pattern::Array(items), Term::Array(parts)) => {
            items.len() == parts.len() && items.iter().zip(parts).all(|(item, part)| unifies(item, part))
        }
        (Pattern::Object(members), Term::Object(parts)) => {
            let part = |key: &Term, item| parts.iter().any(|(name, part)| known_unifies(key, name) && unifies(item, part));
            members.len() == parts.len() && members.iter().all(|(key, item)| part(key, item))
        }
        (Pattern::Array(_), Term::Object(_) | Term::Set(_)) | (Pattern::Object(_), Term::Array(_) | Term::Set(_)) => false,
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
