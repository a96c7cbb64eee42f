//! What is found out about the nodes of a query, each at its number.

use super::super::ast::{Field, Ids, Member, Spread, Type, Value, Variable};
use super::super::schema::TypeDefinition;
use crate::limits::{Account, Halt};

/// Of a field.
#[derive(Clone, Copy, Default)]
pub(super) struct FieldNote<'v, 'a> {
    pub(super) definition: Option<&'a Member<'a>>,
    pub(super) parent: Option<&'v TypeDefinition<'a>>,
}

/// Of a value.
#[derive(Clone, Copy, Default)]
pub(super) struct ValueNote<'v, 'a> {
    pub(super) expected: Option<&'a Type<'a>>,
    pub(super) has_default: Option<bool>,
    pub(super) definition: Option<&'v TypeDefinition<'a>>,
    pub(super) variable: Option<&'a Variable<'a>>,
}

/// Of all.
pub(super) struct Notes<'v, 'a> {
    fields: Vec<FieldNote<'v, 'a>>,
    values: Vec<ValueNote<'v, 'a>>,
    used: Vec<bool>,
    walked: Vec<bool>,
}

impl<'v, 'a> Notes<'v, 'a> {
    pub(super) fn new(account: &mut Account, ids: Ids) -> Result<Self, Halt> {
        let fields = ids.fields.saturating_mul(size_of::<FieldNote<'_, '_>>());
        let values = ids.values.saturating_mul(size_of::<ValueNote<'_, '_>>());
        account.charge(fields.saturating_add(values).saturating_add(ids.variables).saturating_add(ids.spreads))?;
        Ok(Self {
            fields: vec![FieldNote::default(); ids.fields],
            values: vec![ValueNote::default(); ids.values],
            used: vec![false; ids.variables],
            walked: vec![false; ids.spreads],
        })
    }

    pub(super) fn field(&self, field: &Field<'_>) -> FieldNote<'v, 'a> {
        self.fields.get(field.id).copied().unwrap_or_default()
    }

    pub(super) fn set_field(&mut self, field: &Field<'_>, note: FieldNote<'v, 'a>) {
        if let Some(place) = self.fields.get_mut(field.id) {
            *place = note;
        }
    }

    pub(super) fn value(&self, value: &Value<'_>) -> ValueNote<'v, 'a> {
        self.values.get(value.id).copied().unwrap_or_default()
    }

    pub(super) fn change_value(&mut self, value: &Value<'_>, change: impl FnOnce(&mut ValueNote<'v, 'a>)) {
        if let Some(note) = self.values.get_mut(value.id) {
            change(note);
        }
    }

    /// Whether the walk has been there: before that, gqlparser knows no fragment for it.
    pub(super) fn is_walked(&self, spread: &Spread<'_>) -> bool {
        self.walked.get(spread.id).is_some_and(|walked| *walked)
    }

    pub(super) fn walk_spread(&mut self, spread: &Spread<'_>) {
        if let Some(walked) = self.walked.get_mut(spread.id) {
            *walked = true;
        }
    }

    pub(super) fn is_used(&self, variable: &Variable<'_>) -> bool {
        variable.used || self.used.get(variable.id).is_some_and(|used| *used)
    }

    pub(super) fn use_variable(&mut self, variable: &Variable<'_>) {
        if let Some(used) = self.used.get_mut(variable.id) {
            *used = true;
        }
    }
}
