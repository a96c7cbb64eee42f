//! Texts with places that chance fills: `<list>` becomes one of the forms called `list`, and `<tests x>` one called `tests`, with `x`
//! where the form has `@`.

use super::syntax::Syntax;
use super::{
    bodies, comprehensions, conflicts, deep, expressions, forms, functions, negations, numbers, partials, patterns, quantifiers,
    replacements, shared, texts, walks,
};
use crate::differential::chance::Chance;

/// From here on the first form of a name is taken, which has no places of its own that could go on.
const DEEP: usize = 4;

/// Rules about one thing: how often they are chosen, those that v0 has too, and those of v1 alone; all are written for v1.
pub(super) type Topic = (usize, &'static [&'static str], &'static [&'static str]);

/// The topics of the two packages that are read like policies of people.
pub(super) const TOPICS: &[Topic] = &[
    (1, quantifiers::RULES, &[]),
    (1, negations::RULES, &[]),
    (1, walks::RULES, &[]),
    (1, patterns::RULES, patterns::ONLY_V1),
    (1, bodies::RULES, bodies::ONLY_V1),
    (1, functions::RULES, &[]),
    (1, replacements::RULES, &[]),
    (1, texts::RULES, texts::ONLY_V1),
    (5, numbers::RULES, &[]),
    (4, comprehensions::RULES, &[]),
    (3, partials::RULES, partials::ONLY_V1),
    (1, conflicts::RULES, &[]),
    (4, shared::RULES, shared::ONLY_V1),
    (1, shared::PRINTS, &[]),
];

/// One rule, or some that belong together.
pub(super) fn rule(chance: &mut Chance, syntax: Syntax, topics: &[Topic], name: &str) -> String {
    let mut nth = chance.below(topics.iter().map(|(often, ..)| often).sum());
    let topic = topics.iter().find(|(often, ..)| {
        let chosen = nth < *often;
        nth = nth.saturating_sub(*often);
        chosen
    });
    let (_, both, only_v1) = topic.unwrap();
    let at = chance.below(both.len() + if syntax.v0 { 0 } else { only_v1.len() });
    let text = fill(chance, both.get(at).unwrap_or_else(|| &only_v1[at - both.len()]), 0).replace("NAME", name);
    let text = if chance.one_in(2) { text.replace("; ", "\n\t") } else { text };
    syntax.rules(&[&text])
}

fn fill(chance: &mut Chance, template: &str, depth: usize) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('<') {
        filled.push_str(before);
        rest = after;
        match after.split_once('>') {
            Some((place, after)) if place.starts_with(|c: char| c.is_ascii_lowercase()) => {
                filled.push_str(&form(chance, place, depth));
                rest = after;
            }
            _ => filled.push('<'),
        }
    }
    filled + rest
}

fn form(chance: &mut Chance, place: &str, depth: usize) -> String {
    let (name, variable) = place.split_once(' ').unwrap_or((place, ""));
    match name {
        "expression" => return expressions::value(chance),
        "condition" => return expressions::condition(chance),
        _ => {}
    }
    let mut all = forms::FORMS.iter().chain(deep::FORMS);
    let (_, forms) = all.find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no form {name}"));
    let form = if depth >= DEEP { forms[0] } else { chance.pick(forms) };
    fill(chance, &form.replace('@', variable).replace('#', &depth.to_string()), depth + 1)
}
