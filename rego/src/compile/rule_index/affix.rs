//! Beginnings and ends of texts (opa `v1/ast/index_affix.go`).

use super::constraint::{Indices, Wanted};
use super::expr::{Collector, Constants, Operand};
use super::resolve::variable;
use crate::syntax::tree::{Kind, Term};

impl Collector<'_> {
    /// `startswith(input.x, "a")`, `endswith(input.x, "a")`.
    pub(super) fn affix<'t>(
        &mut self,
        indices: &mut Indices<'_>,
        (text, base): (&Operand<'t>, &Operand<'t>),
        constants: &Constants<'t>,
        wanted: Wanted,
    ) {
        let Some(reference) = self.looked_up(indices, text) else { return };
        let base = variable(base).and_then(|name| constants.get(name)).map_or(base.as_ref(), |value| *value);
        if base.as_str().is_some() {
            self.insert(indices, reference, wanted, base.clone());
        }
    }

    /// `strings.any_prefix_match(input.x, ["a", "b"])`: all of them have to be texts.
    pub(super) fn any_affix<'t>(
        &mut self,
        indices: &mut Indices<'_>,
        (text, bases): (&Operand<'t>, &Operand<'t>),
        constants: &Constants<'t>,
        wanted: &Wanted,
    ) {
        let Some(reference) = self.looked_up(indices, text) else { return };
        let bases = variable(bases).and_then(|name| constants.get(name)).map_or(bases.as_ref(), |value| *value);
        let texts: &[Term] = match &bases.kind {
            Kind::String(_) => return self.insert(indices, reference, wanted.clone(), bases.clone()),
            Kind::Array(items) | Kind::Set(items) => items,
            _ => return,
        };
        if !texts.is_empty() && texts.iter().all(|text| text.as_str().is_some()) {
            let reference = self.references.intern(reference);
            indices.insert_affixes(reference, texts, wanted);
        }
    }
}
