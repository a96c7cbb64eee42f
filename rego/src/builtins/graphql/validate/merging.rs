//! OverlappingFieldsCanBeMerged: fields of one name in a response must be the same field with the same arguments, and what is
//! selected of them must fit together, too (`validator/rules/overlapping_fields_can_be_merged.go`).
//!
//! Fields of a selection are compared with each other, with those of each fragment in it, and fragments with each other. Each pair
//! that is compared is a step, so that the evaluation's limits hold for what is quadratic, or worse.

mod collected;
mod same;

use std::collections::{HashMap, HashSet};

use super::super::ast::{At, Field, Selection, Spread, kind};
use super::super::schema::conflict;
use super::{Checked, Validator};
use crate::limits::Halt;
use collected::Collected;

/// What was compared.
#[derive(Default)]
pub(super) struct Compared<'a> {
    /// Pairs of fragments of the document, and whether only as what excludes each other.
    pairs: HashMap<(&'a str, &'a str), bool>,
    /// Fragments with the fields at hand.
    fragments: HashSet<&'a str>,
}

/// Two fields that cannot share a name, and why.
struct Conflict<'a> {
    name: &'a str,
    reason: String,
    at: At,
}

type Conflicts<'a> = Vec<Conflict<'a>>;

impl<'a> Validator<'_, 'a> {
    /// Finds what cannot be merged in a selection.
    pub(super) fn mergeable(&mut self, selections: &'a [Selection<'a>]) -> Checked {
        if selections.is_empty() {
            return Ok(());
        }
        let mut conflicts = Conflicts::new();
        let collected = self.collect(selections)?;
        self.within(&mut conflicts, &collected)?;
        self.compared.fragments.clear();
        for (index, spread) in collected.spreads.iter().enumerate() {
            self.with_fragment(&mut conflicts, false, &collected, spread)?;
            for other in collected.spreads.iter().skip(index.saturating_add(1)) {
                self.between_fragments(&mut conflicts, false, spread, other)?;
            }
        }
        for Conflict { name, reason, at } in conflicts {
            let hint = "Use different aliases on the fields to fetch both if this was intentional.";
            self.find(at, format!("Fields \"{name}\" conflict because {reason}. {hint}"))?;
        }
        Ok(())
    }

    fn within(&mut self, conflicts: &mut Conflicts<'a>, collected: &Collected<'a>) -> Checked {
        for (_, fields) in &collected.fields {
            for (index, field) in fields.iter().enumerate() {
                for other in fields.iter().skip(index.saturating_add(1)) {
                    let conflict = self.conflict(false, field, other)?;
                    conflicts.extend(conflict);
                }
            }
        }
        Ok(())
    }

    fn between(&mut self, conflicts: &mut Conflicts<'a>, exclusive: bool, a: &Collected<'a>, b: &Collected<'a>) -> Checked {
        for (name, fields) in &a.fields {
            self.account.step(1)?;
            for field in fields {
                for other in b.named(name) {
                    let conflict = self.conflict(exclusive, field, other)?;
                    conflicts.extend(conflict);
                }
            }
        }
        Ok(())
    }

    fn with_fragment(
        &mut self,
        conflicts: &mut Conflicts<'a>,
        exclusive: bool,
        fields: &Collected<'a>,
        spread: &Spread<'a>,
    ) -> Checked {
        self.account.charge(2 * size_of::<&str>())?;
        if !self.compared.fragments.insert(spread.name) {
            return Ok(());
        }
        let Some(fragment) = self.fragment_of(spread) else { return Ok(()) };
        let others = self.collect(fragment.selections)?;
        if fields.has_same_fields(&others) {
            return Ok(());
        }
        self.between(conflicts, exclusive, fields, &others)?;
        for inner in others.spreads.iter().filter(|inner| inner.name != spread.name) {
            self.down(|validator| validator.with_fragment(conflicts, exclusive, fields, inner))?;
        }
        Ok(())
    }

    fn between_fragments(&mut self, conflicts: &mut Conflicts<'a>, exclusive: bool, a: &Spread<'a>, b: &Spread<'a>) -> Checked {
        self.account.step(1)?;
        // What was compared as what may be one is compared enough.
        let compared = self.compared.pairs.get(&(a.name, b.name)).is_some_and(|before| exclusive || !before);
        if a.name == b.name || compared {
            return Ok(());
        }
        self.account.charge(8 * size_of::<&str>())?;
        self.compared.pairs.extend([((a.name, b.name), exclusive), ((b.name, a.name), exclusive)]);
        let (Some(fragment_a), Some(fragment_b)) = (self.fragment_of(a), self.fragment_of(b)) else { return Ok(()) };
        let (in_a, in_b) = (self.collect(fragment_a.selections)?, self.collect(fragment_b.selections)?);
        self.between(conflicts, exclusive, &in_a, &in_b)?;
        for inner in &in_b.spreads {
            self.down(|validator| validator.between_fragments(conflicts, exclusive, a, inner))?;
        }
        for inner in &in_a.spreads {
            self.down(|validator| validator.between_fragments(conflicts, exclusive, inner, b))?;
        }
        Ok(())
    }

    fn conflict(&mut self, exclusive: bool, a: &'a Field<'a>, b: &'a Field<'a>) -> Result<Option<Conflict<'a>>, Halt> {
        self.account.step(1)?;
        let (note_a, note_b) = (self.notes.field(a), self.notes.field(b));
        let (Some(parent_a), Some(parent_b)) = (note_a.parent, note_b.parent) else { return Ok(None) };
        let definitions = note_a.definition.zip(note_b.definition);
        let are_objects = parent_a.kind == kind::OBJECT && parent_b.kind == kind::OBJECT;
        let exclusive = exclusive || are_objects && parent_a.name != parent_b.name && definitions.is_some();
        let reason = match definitions.map(|(a, b)| (&a.kind, &b.kind)) {
            _ if !exclusive && a.name != b.name => format!("\"{}\" and \"{}\" are different fields", a.name, b.name),
            _ if !exclusive && !self.same_arguments(a.arguments, b.arguments)? => "they have differing arguments".to_owned(),
            Some((a, b)) if conflict(self.schema, a, b) => format!("they return conflicting types \"{a}\" and \"{b}\""),
            _ => match self.down(|validator| validator.inside(exclusive, a.selections, b.selections))? {
                Some(reason) => reason,
                None => return Ok(None),
            },
        };
        self.account.charge(reason.len().saturating_add(size_of::<Conflict<'_>>()))?;
        Ok(Some(Conflict { name: a.response_name(), reason, at: b.at }))
    }

    /// What cannot be merged in the selections of two fields, in words.
    fn inside(&mut self, exclusive: bool, a: &'a [Selection<'a>], b: &'a [Selection<'a>]) -> Result<Option<String>, Halt> {
        let mut conflicts = Conflicts::new();
        let (in_a, in_b) = (self.collect(a)?, self.collect(b)?);
        self.between(&mut conflicts, exclusive, &in_a, &in_b)?;
        for (fields, spreads) in [(&in_a, &in_b.spreads), (&in_b, &in_a.spreads)] {
            for spread in spreads {
                self.compared.fragments.clear();
                self.with_fragment(&mut conflicts, exclusive, fields, spread)?;
            }
        }
        for spread in &in_a.spreads {
            for other in &in_b.spreads {
                self.between_fragments(&mut conflicts, exclusive, spread, other)?;
            }
        }
        self.joined(&conflicts)
    }

    fn joined(&mut self, conflicts: &[Conflict<'a>]) -> Result<Option<String>, Halt> {
        let said = |conflict: &Conflict<'_>| format!("subfields \"{}\" conflict because {}", conflict.name, conflict.reason);
        let length: usize = conflicts.iter().map(|conflict| conflict.name.len().saturating_add(conflict.reason.len())).sum();
        self.account.charge(length.saturating_mul(2))?;
        let parts: Vec<_> = conflicts.iter().map(said).collect();
        Ok((!parts.is_empty()).then(|| parts.join(" and ")))
    }

    fn collect(&mut self, selections: &'a [Selection<'a>]) -> Result<Collected<'a>, Halt> {
        let mut collected = Collected::default();
        self.collect_into(selections, &mut collected)?;
        Ok(collected)
    }

    fn collect_into(&mut self, selections: &'a [Selection<'a>], out: &mut Collected<'a>) -> Checked {
        for selection in selections {
            self.account.charge(8 * size_of::<&str>())?;
            match selection {
                Selection::Field(field) => out.push(field),
                Selection::Inline(inline) => self.down(|validator| validator.collect_into(inline.selections, out))?,
                Selection::Spread(spread) => out.spreads.push(spread),
            }
        }
        Ok(())
    }
}
