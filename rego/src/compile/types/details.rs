//! What type errors explain (`v1/ast/check.go`, `ArgErrDetail`, `UnificationErrDetail`, `RefErrInvalidDetail`).

use super::compatible::unifies;
use super::declared::operand_name;
use super::elide::{aside, aside_named, diff, diff_named, too_wide};
use super::lattice::{Function, Type};
use super::print::{labelled, shown};

const ABOUT: &str = "https://www.openpolicyagent.org/docs/errors/rego-type-error/match-error";

/// What a function takes, perhaps with its answer behind.
pub(super) struct Wanted {
    operands: Vec<(Option<&'static str>, Option<Type>)>,
    variadic: Option<Type>,
}

impl Wanted {
    /// The operands of a function; with its answer if wanted.
    pub(super) fn of(function: &Function, answer: bool) -> Self {
        let result = function.result.iter().filter(|_| answer).map(|result| Some(result.clone()));
        let all = function.operands.iter().cloned().chain(result).enumerate();
        Self { operands: all.map(|(at, of)| (operand_name(function, at), of)).collect(), variadic: function.variadic.clone() }
    }
}

fn listed(parts: impl IntoIterator<Item = String>) -> String {
    format!("({})", parts.into_iter().collect::<Vec<_>>().join(", "))
}

/// What was given, and what is wanted.
pub(super) fn arguments(have: &[Option<Type>], want: &Wanted) -> Vec<String> {
    let variadic = want.variadic.iter().map(|of| format!("{}...", shown(Some(of))));
    let full_have = format!("have: {}", listed(have.iter().map(|of| shown(of.as_ref()))));
    let wanted = want.operands.iter().map(|(name, of)| labelled(*name, &shown(of.as_ref())));
    let full_want = format!("want: {}", listed(wanted.chain(variadic)));
    if !too_wide(&[&full_have, &full_want]) {
        return vec![full_have, full_want];
    }
    let mut given: Vec<String> = have.iter().map(|of| aside(of.as_ref())).collect();
    let mut wanted: Vec<String> = want.operands.iter().map(|(name, of)| aside_named(of.as_ref(), *name)).collect();
    for ((slot, other), (have, (name, of))) in given.iter_mut().zip(&mut wanted).zip(have.iter().zip(&want.operands)) {
        if !(have.is_some() && of.is_some() && unifies(have.as_ref(), of.as_ref())) {
            (*slot, *other) = diff_named(have.as_ref(), of.as_ref(), *name);
        }
    }
    wanted.extend(want.variadic.iter().map(|of| format!("{}...", aside(Some(of)))));
    vec![format!("have: {}", listed(given)), format!("want: {}", listed(wanted))]
}

/// Both sides of an equality.
pub(super) fn sides(left: Option<&Type>, right: Option<&Type>) -> Vec<String> {
    let (mut first, mut second) = (format!("left  : {}", shown(left)), format!("right : {}", shown(right)));
    if too_wide(&[&first, &second]) {
        let (left, right) = diff(left, right);
        (first, second) = (format!("left  : {left}"), format!("right : {right}"));
    }
    let mut lines = vec![first, second];
    lines.extend(
        kind(left, right).map(|kind| {
            format!("hint  : both sides are {kind} but their types differ, so they can never be equal (see {ABOUT})")
        }),
    );
    lines
}

fn kind(left: Option<&Type>, right: Option<&Type>) -> Option<&'static str> {
    match (left?, right?) {
        (Type::Object(_), Type::Object(_)) => Some("objects"),
        (Type::Array(_), Type::Array(_)) => Some("arrays"),
        (Type::Set(_), Type::Set(_)) => Some("sets"),
        _ => None,
    }
}

/// A part of a reference that does not fit.
pub(super) struct Misfit<'a> {
    /// The reference, as it was written.
    pub(super) reference: &'a str,
    /// How much of it comes before the part.
    pub(super) before: usize,
    /// The part's type, or the part.
    pub(super) have: Result<Type, String>,
    /// What would fit.
    pub(super) want: Option<Type>,
    /// Which parts would fit.
    pub(super) one_of: Vec<String>,
}

impl Misfit<'_> {
    /// The lines that explain it.
    pub(super) fn lines(&self) -> Vec<String> {
        let pad = " ".repeat(self.before.saturating_add(1));
        let have = match &self.have {
            Ok(of) => format!("{pad}have (type): {}", shown(Some(of))),
            Err(part) => format!("{pad}have: {part}"),
        };
        let want = match (&self.want, self.one_of.is_empty()) {
            (_, false) => format!("{pad}want (one of): [{}]", self.one_of.join(" ")),
            (None, true) => format!("{pad}want (one of): []"),
            (Some(of), true) => format!("{pad}want (type): {}", shown(Some(of))),
        };
        vec![self.reference.to_owned(), format!("{pad}^"), have, want]
    }
}

/// A part of a reference below which there is nothing.
pub(super) fn unsupported(reference: &str, until: usize, have: Option<&Type>) -> Vec<String> {
    let have = have.map_or_else(|| "<nil>".to_owned(), |have| shown(Some(have)));
    vec![reference.to_owned(), "^".repeat(until), format!("have: {have}")]
}
