//! What is said of references to what cannot be there (`v1/ast/check.go`, `newRefErrInvalid`, `newRefErrUnsupported`).

use super::checker::Checker;
use super::details::{Misfit, unsupported};
use super::lattice::Type;
use super::tree::Key;
use crate::error::{Code, Error};
use crate::syntax::print;
use crate::syntax::tree::{Kind, Term};
use crate::value::{Value, json};

/// What a part of a reference is, what would fit, and which parts are there.
pub(super) struct Reason {
    pub(super) have: Option<Type>,
    pub(super) want: Option<Type>,
    pub(super) one_of: Vec<String>,
}

impl Checker<'_, '_> {
    /// A part that does not fit.
    pub(super) fn invalid(&self, parts: &[Term], at: usize, reason: Reason) -> Error {
        let written = self.written(parts);
        let reference = print::reference(&written);
        let before = print::reference(written.get(..at).unwrap_or_default()).len();
        let part = written.get(at).map(print::term).unwrap_or_default();
        let Reason { have, want, one_of } = reason;
        let misfit = Misfit { reference: &reference, before, have: have.ok_or(part), want, one_of };
        self.ref_error(parts, format!("undefined ref: {reference}"), misfit.lines())
    }

    /// A part below which there is nothing.
    pub(super) fn unsupported(&self, parts: &[Term], at: usize, have: Option<Type>) -> Error {
        let written = self.written(parts);
        let reference = print::reference(&written);
        let until = print::reference(written.get(..=at).unwrap_or(&written)).len();
        let message = match have {
            Some(Type::Function(_)) => format!("function {} used as reference, not called", called(&written)),
            _ => format!("undefined ref: {reference}"),
        };
        self.ref_error(parts, message, unsupported(&reference, until, have.as_ref()))
    }

    fn ref_error(&self, parts: &[Term], message: String, details: Vec<String>) -> Error {
        let span = parts.first().map(|first| first.span).unwrap_or_default();
        Error::new(Code::Type, span, message).with_details(details)
    }
}

/// The function without an argument that the compiler put behind it.
fn called(parts: &[Term]) -> String {
    let local = |part: &Term| {
        let text = match &part.kind {
            Kind::Var(text) | Kind::String(text) => text,
            _ => return false,
        };
        text.split("__local").skip(1).any(|rest| {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            digits > 0 && rest.get(digits..).is_some_and(|rest| rest.starts_with("__"))
        })
    };
    match parts.split_last() {
        Some((last, function)) if local(last) => print::reference(function),
        _ => print::reference(parts),
    }
}

/// The keys that are known of a type (`getOneOfForType`).
pub(super) fn members(of: &Type) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = vec![of.clone()];
    while let Some(of) = rest.pop() {
        match of {
            Type::Object(object) => all.extend(object.fixed.iter().map(|(key, _)| key.clone())),
            Type::Any(union) => rest.extend(union.0.iter().cloned()),
            _ => {}
        }
    }
    let mut all: Vec<_> = all.into_iter().map(in_json).collect();
    all.sort();
    // OPA compares what is composite by where it is stored.
    all.dedup_by(|next, key| next == key && !matches!(key, Value::Array(_) | Value::Object(_)));
    all.into_iter().map(|value| Key::Value(value).shown()).collect()
}

/// A key as types hold it: sets are arrays, keys of objects are texts.
fn in_json(key: Value) -> Value {
    if !matches!(key, Value::Array(_) | Value::Object(_) | Value::Set(_)) {
        return key;
    }
    let text = json::write(&key, usize::MAX).ok();
    text.and_then(|text| json::read(text.as_bytes(), u32::MAX).ok()).unwrap_or(key)
}
