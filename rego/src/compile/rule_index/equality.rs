//! Equalities (opa `v1/ast/index.go`, `updateEq`, `updateEqWildcardRef`).

use std::borrow::Cow;

use super::constraint::{Indices, Wanted};
use super::expr::{Collector, Constants, Operand};
use super::resolve::{parts, variable};
use crate::compile::constants::value as constant;
use crate::compile::terms::{is_ground, is_scalar};
use crate::syntax::tree::{Kind, Term};

/// Both sides.
type Sides<'s, 't> = (&'s Operand<'t>, &'s Operand<'t>);

impl Collector<'_> {
    /// An equality of either form.
    pub(super) fn equality<'t>(&mut self, indices: &mut Indices<'_>, sides: Sides<'_, 't>, constants: &mut Constants<'t>) {
        if !self.member_equal(indices, sides, constants) {
            self.equal(indices, sides, constants);
        }
    }

    /// `input.x == 1`, `y := input.x`, `y := 1`.
    pub(super) fn equal<'t>(&mut self, indices: &mut Indices<'_>, (a, b): Sides<'_, 't>, constants: &mut Constants<'t>) {
        if !self.equal_one_way(indices, (a, b), constants) {
            self.equal_one_way(indices, (b, a), constants);
        }
    }

    fn equal_one_way<'t>(&mut self, indices: &mut Indices<'_>, (a, b): Sides<'_, 't>, constants: &mut Constants<'t>) -> bool {
        if let Some(name) = variable(a) {
            if let Cow::Borrowed(value) = b
                && is_constant(value)
            {
                constants.insert(name.clone(), value);
            } else if let Some(value) = variable(b).and_then(|other| constants.get(other)).copied() {
                constants.insert(name.clone(), value);
            }
            let Some(reference) = is_indexed(b).then(|| self.resolve(indices, name)).flatten() else { return false };
            self.insert(indices, reference, Wanted::Equal, b.as_ref().clone());
            return true;
        }
        let Some(parts) = parts(a) else { return false };
        let Some(reference) = self.head(indices, parts).and_then(|head| self.whole(head)) else { return false };
        let value = match variable(b).and_then(|name| constants.get(name)) {
            Some(value) => (*value).clone(),
            None if is_indexed(b) => b.as_ref().clone(),
            None => return false,
        };
        self.insert(indices, reference, Wanted::Equal, value);
        true
    }

    /// `input.x[_] == 1`: the value of `input.x` has to hold it.
    fn member_equal<'t>(&mut self, indices: &mut Indices<'_>, (a, b): Sides<'_, 't>, constants: &Constants<'t>) -> bool {
        self.member_one_way(indices, (a, b), constants) || self.member_one_way(indices, (b, a), constants)
    }

    fn member_one_way<'t>(&mut self, indices: &mut Indices<'_>, (a, b): Sides<'_, 't>, constants: &Constants<'t>) -> bool {
        let Kind::Ref(parts) = &a.kind else { return false };
        let Some((head, rest)) = self.head(indices, parts) else { return false };
        let Some((_, rest)) = rest.split_last().filter(|(last, _)| !is_ground(last)) else { return false };
        let Some(reference) = self.whole((head, rest)) else { return false };
        let value = variable(b).and_then(|name| constants.get(name)).map_or(b.as_ref(), |value| *value);
        if !is_scalar(value) {
            return false;
        }
        self.insert(indices, reference, Wanted::Member, value.clone());
        true
    }
}

/// Whether a term stands for one value, always the same (opa `v1/ast/term.go`, `IsConstant`).
fn is_constant(term: &Term) -> bool {
    constant(term).is_some()
}

/// Whether a term can be told apart from others by what it is (`indexValue`): a scalar, anything at all, or an array of those.
fn is_indexed(term: &Term) -> bool {
    let simple = |term: &Term| is_scalar(term) || variable(term).is_some();
    match &term.kind {
        Kind::Array(items) => items.iter().all(simple),
        _ => simple(term),
    }
}
