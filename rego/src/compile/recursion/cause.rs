//! Which value of a variable makes a rule depend on itself (`v1/ast/compile.go`, `dynamicCause`).

use super::super::Compiler;
use super::super::graph::{Dynamic, Numbered, Origin, Part, index, members, refs_to_choose};
use super::super::types::builtin_may_return;
use super::super::vars::DATA;
use super::{name, with_written, written};
use crate::syntax::order::compare;
use crate::syntax::print as text;
use crate::syntax::tree::{Kind, Rule, Term};

/// How many conditions a message spells out, and how many members of a collection.
const CONDITIONS: usize = 2;
const MEMBERS: usize = 5;

/// A term of a reference, and the value that it needs.
struct Condition<'a> {
    position: usize,
    term: Term,
    value: &'a Term,
}

/// What is said of the first edge of a circle that needs a variable to have a certain value.
pub(super) fn cause(compiler: &Compiler, rules: &[Numbered<'_>], circle: &[Part]) -> String {
    for (at, pair) in circle.windows(2).enumerate() {
        let [from, to] = pair else { continue };
        let (Some((_, source)), Some((_, target))) = (rules.get(index(*from)), rules.get(index(*to))) else { continue };
        if let Some(dynamic) = edge(compiler, *from, *to) {
            return told(compiler, dynamic, source, target, at > 0);
        }
    }
    String::new()
}

/// The first reference that may lead from a rule to another.
fn edge(compiler: &Compiler, from: Part, to: Part) -> Option<&Dynamic> {
    let leads = |dynamic: &&Dynamic| {
        dynamic.rules.iter().any(|id| {
            let length = compiler.rule(*id).map_or(0, |rule| rule.chain().count());
            compiler.graph.part(*id).is_some_and(|first| (first..).take(length).any(|part| part == to))
        })
    };
    compiler.graph.dynamic(from).iter().find(leads)
}

fn told(compiler: &Compiler, dynamic: &Dynamic, source: &Rule, target: &Rule, inside: bool) -> String {
    let length = dynamic.reference.len().min(target.head.reference.len());
    let reference = with_written(compiler, dynamic.reference.get(..length).unwrap_or_default());
    let mut told = format!(" ({}", text::reference(&reference));
    if inside {
        told.push_str(&format!(" in {}", name(compiler, source)));
    }
    let path: Vec<&Term> = dynamic.selects.iter().collect();
    let positions = refs_to_choose(&path, target, &dynamic.bound);
    let conditions = conditions(&reference, &target.head.reference, &positions).unwrap_or_default();
    let unmet = conditions.iter().any(|condition| !may_hold(dynamic, condition));
    if unmet || conditions.is_empty() || conditions.len() > CONDITIONS {
        return format!("{told} could refer to {})", name(compiler, target));
    }
    told.push_str(&format!(" refers to {}", name(compiler, target)));
    for (at, condition) in conditions.iter().enumerate() {
        let word = if at == 0 { "if" } else { "and" };
        let term = text::term(&condition.term);
        told.push_str(&format!(" {word} {term} is {}", text::term(condition.value)));
        if let Some(note) = note(compiler, dynamic, source, condition.position, &term) {
            told.push_str(&format!(" ({note})"));
        }
    }
    told.push(')');
    told
}

/// One condition for each term; `None` if one would need two values.
fn conditions<'a>(reference: &[Term], target: &'a [Term], positions: &[usize]) -> Option<Vec<Condition<'a>>> {
    let mut conditions: Vec<Condition<'a>> = Vec::new();
    for position in positions {
        let (term, value) = (reference.get(*position)?, target.get(*position)?);
        match conditions.iter().find(|known| compare(&known.term, term).is_eq()) {
            Some(known) if compare(known.value, value).is_ne() => return None,
            Some(_) => {}
            None => conditions.push(Condition { position: *position, term: term.clone(), value }),
        }
    }
    Some(conditions)
}

/// Whether a variable can have the value, as far as that is known.
fn may_hold(dynamic: &Dynamic, condition: &Condition<'_>) -> bool {
    let origin = dynamic.reference.get(condition.position).and_then(Term::as_var).and_then(|var| dynamic.origins.get(var));
    match origin {
        Some(Origin::Collection(term)) => {
            members(term).unwrap_or_default().iter().any(|one| compare(one, condition.value).is_eq())
        }
        Some(Origin::Builtin(name)) => builtin_may_return(name, condition.value),
        _ => true,
    }
}

/// Where a term gets its value.
fn note(compiler: &Compiler, dynamic: &Dynamic, rule: &Rule, position: usize, term: &str) -> Option<String> {
    match &dynamic.reference.get(position)?.kind {
        Kind::Ref(parts) => {
            (parts.first()?.as_var() == Some(&DATA)).then(|| "rule values aren't known at compile time".to_owned())
        }
        Kind::Var(var) => Some(match dynamic.origins.get(var)? {
            Origin::Input(reference) => format!("{term} comes from {}", written(compiler, reference)),
            Origin::Rule(reference) => {
                format!("{term} comes from rule {}, whose value isn't known at compile time", text::reference(reference))
            }
            Origin::Collection(collection) => match members(collection).map_or(0, |members| members.len()) {
                many if many > MEMBERS => format!("{term} is one of {many} values"),
                _ => format!("{term} is one of {}", text::term(collection)),
            },
            Origin::Builtin(builtin) => format!("{term} is computed by {builtin}"),
            Origin::HeadKey => format!("{term} is a key of {}", name(compiler, rule)),
            Origin::HeadArg => format!("{term} is an argument of {}", name(compiler, rule)),
        }),
        _ => None,
    }
}
