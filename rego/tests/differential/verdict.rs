//! Whether both say the same.

use std::collections::BTreeSet;

use plimsoll_rego::value::json;

use super::opa::{Answer, Answers};
use super::ours;
use super::set::Set;

/// Values may nest so deep.
const DEPTH: u32 = 1_000;

/// How often something happened.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) blocks: usize,
    /// Blocks that OPA lets through.
    pub(super) kept: usize,
    /// Errors of the compilers.
    errors: usize,
    pub(super) answers: usize,
    /// Answers that have a value.
    pub(super) defined: usize,
    /// Answers that are errors.
    pub(super) failed: usize,
    /// Answers for which OPA was too slow, or broke.
    stopped: usize,
    /// Lines that were printed.
    printed: usize,
    /// Sets in which an object of OPA loses keys (`opa::build_mended`).
    pub(super) lost_keys: usize,
}

/// What is said otherwise.
#[derive(Debug)]
pub(super) struct Difference {
    /// What is compiled or asked.
    pub(super) what: String,
    pub(super) input: Option<usize>,
    pub(super) path: Option<usize>,
    pub(super) opa: String,
    pub(super) ours: String,
}

/// Compares all that is said of a set.
pub(super) fn judge(set: &Set, opa: &Answers, counts: &mut Counts) -> Result<(), Difference> {
    let different = |what: &str, opa: &[String], ours: &[String]| {
        let (opa, ours) = (opa.join("\n"), ours.join("\n"));
        Err(Difference { what: what.to_owned(), input: None, path: None, opa, ours })
    };
    for round in &opa.rounds {
        counts.errors += round.errors.len();
        match ours::compile(set, &round.kept) {
            Err(errors) if same(&round.errors, &errors) => {}
            Err(errors) => return different("compiled", &round.errors, &errors),
            Ok(_) if !round.errors.is_empty() => return different("compiled", &round.errors, &[]),
            Ok(program) => {
                counts.kept += round.kept.iter().map(Vec::len).sum::<usize>();
                let bound = program.bind(json::read(set.data.as_bytes(), DEPTH).unwrap());
                answers(set, &bound, opa, counts)?;
            }
        }
    }
    counts.blocks += set.policies.modules.iter().map(|module| module.rules.len()).sum::<usize>();
    Ok(())
}

/// Whether the compilers say the same. Where a text is no Rego, what is wrong first counts: OPA goes on from there in its own way. Where
/// a reference to a rule does not fit, OPA may say the place of another name: the last one of the package that it resolved. Some of its
/// errors have no place, and some name variables that its compiler made up: there the place and the code count. Of several circles it
/// shows one.
fn same(opa: &[String], ours: &[String]) -> bool {
    let (opa, ours) = (said(opa), said(ours));
    if opa.iter().any(|error| error.text.starts_with(PARSE)) {
        let first = |said: &[Said]| {
            said.iter().min_by_key(|error| error.at.clone()).map(|error| (error.at.clone(), first_words(&error.text)))
        };
        return first(&opa) == first(&ours);
    }
    let nowhere: BTreeSet<&str> = opa.iter().filter(|error| error.at.0 == "-").map(|error| &*error.text).collect();
    let made_up: BTreeSet<_> = opa.iter().filter(|error| error.text.contains("__local")).map(|error| &error.at).collect();
    let told = |errors: &[Said]| -> BTreeSet<(Place, String)> {
        let told = |error: &Said| match &*error.text {
            text if nowhere.contains(text) || MISPLACED.iter().any(|part| text.contains(part)) => Default::default(),
            text if text.starts_with(RECURSION) || made_up.contains(&error.at) => (error.at.clone(), first_words(text)),
            text => (error.at.clone(), text.to_owned()),
        };
        errors.iter().map(told).collect()
    };
    told(&opa) == told(&ours)
}

const PARSE: &str = "rego_parse_error";
const RECURSION: &str = "rego_recursion_error";
const MISPLACED: [&str; 2] = ["used as reference, not called", "undefined ref: data."];

/// A file, a row and a column.
type Place = (String, u32, u32);

struct Said {
    at: Place,
    /// The code and what follows.
    text: String,
}

fn said(errors: &[String]) -> Vec<Said> {
    let said = |error: &String| {
        let (place, text) = error.split_once(": ").unwrap();
        let mut parts = place.split(':');
        let file = parts.next().unwrap().to_owned();
        let mut number = || parts.next().map_or(0, |part| part.parse().unwrap());
        Said { at: (file, number(), number()), text: text.to_owned() }
    };
    errors.iter().map(said).collect()
}

/// The code, of a parse error the message up to its hints, of recursion up to one of the circles.
fn first_words(text: &str) -> String {
    let words = if text.starts_with(PARSE) || text.starts_with(RECURSION) { 2 } else { 1 };
    text.split([':', '\n']).take(words).collect()
}

fn answers(set: &Set, bound: &plimsoll_rego::program::Bound, opa: &Answers, counts: &mut Counts) -> Result<(), Difference> {
    for (nth, (input, answers)) in set.inputs.iter().zip(&opa.answers).enumerate() {
        let input = json::read(input.as_bytes(), DEPTH).unwrap();
        for (number, (path, wanted)) in set.paths.iter().zip(answers).enumerate() {
            // OPA was too slow, or something in it broke.
            if wanted.error.contains("eval_cancel_error") || wanted.error.contains("eval_internal_error") {
                counts.stopped += 1;
                continue;
            }
            for in_order in [true, false] {
                let found = ours::answer(bound, path, &input, set, in_order);
                let same = (&found.value, &found.error) == (&wanted.value, &wanted.error);
                if !same || in_order && found.prints != wanted.prints {
                    let what = format!("{path}, in order: {in_order}");
                    let (opa, ours) = (shown(wanted), shown(&found));
                    return Err(Difference { what, input: Some(nth), path: Some(number), opa, ours });
                }
            }
            counts.answers += 1;
            counts.defined += usize::from(!wanted.value.is_empty());
            counts.failed += usize::from(!wanted.error.is_empty());
            counts.printed += wanted.prints.len();
        }
    }
    Ok(())
}

fn shown(answer: &Answer) -> String {
    let said = match (answer.value.as_str(), answer.error.as_str()) {
        ("", "") => "undefined",
        ("", error) => error,
        (value, _) => value,
    };
    format!("{said} {}", answer.prints.join(" | "))
}
