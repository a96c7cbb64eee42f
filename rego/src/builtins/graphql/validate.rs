//! Queries against a schema: gqlparser's walk (`validator/core/walk.go`) with its rules, in the order of their names at each node.
//! All that is wrong is found, as OPA says all of it.

mod arguments;
mod directives;
mod fields;
mod fragments;
mod introspection;
mod merging;
mod notes;
mod operations;
mod suggest;
mod values;
mod variables;
mod walk;

use std::collections::{HashMap, HashSet};

use super::ast::{At, Fragment, Operation, QueryDocument, Spread};
use super::error::{Finding, Place};
use super::parser::level;
use super::schema::Schema;
use crate::limits::{Account, Halt};
use merging::Compared;
use notes::Notes;

/// What a step of a validation says.
type Checked = Result<(), Halt>;

/// All that is wrong with a query.
pub(super) fn validate<'a>(
    account: &mut Account,
    schema: &Schema<'a>,
    document: &QueryDocument<'a>,
) -> Result<Vec<Finding>, Halt> {
    let notes = Notes::new(account, document.ids)?;
    let mut fragments = HashMap::new();
    for fragment in document.fragments {
        account.charge(2 * size_of::<&str>())?;
        fragments.entry(fragment.name).or_insert(fragment);
    }
    let mut validator = Validator {
        account,
        schema,
        document,
        fragments,
        notes,
        operation: None,
        spread: HashSet::new(),
        depth: 0,
        seen: Seen::default(),
        compared: Compared::default(),
        findings: Vec::new(),
    };
    validator.document()?;
    Ok(validator.findings)
}

/// A validation.
struct Validator<'v, 'a> {
    account: &'v mut Account,
    schema: &'v Schema<'a>,
    document: &'v QueryDocument<'a>,
    fragments: HashMap<&'a str, &'a Fragment<'a>>,
    notes: Notes<'v, 'a>,
    /// What is gone through; nothing where it is a fragment for itself.
    operation: Option<&'a Operation<'a>>,
    /// Fragments that were gone through in it.
    spread: HashSet<&'a str>,
    depth: u32,
    seen: Seen<'a>,
    compared: Compared<'a>,
    findings: Vec<Finding>,
}

/// What rules have seen in the whole document.
#[derive(Default)]
struct Seen<'a> {
    operations: HashSet<&'a str>,
    fragments: HashSet<&'a str>,
    used_fragments: HashSet<&'a str>,
    in_fragments: bool,
    in_circles: HashSet<&'a str>,
    misplaced: HashSet<(&'a str, At)>,
}

impl<'a> Validator<'_, 'a> {
    /// The fragment that a spread stands for, if the walk has been there.
    fn fragment_of(&self, spread: &Spread<'a>) -> Option<&'a Fragment<'a>> {
        self.fragments.get(spread.name).filter(|_| self.notes.is_walked(spread)).copied()
    }

    fn find(&mut self, at: At, message: String) -> Checked {
        self.account.charge(message.len().saturating_add(size_of::<Finding>()))?;
        let place = if at.is_some() { Place::At(at) } else { Place::Nowhere };
        self.findings.push(Finding { message, place });
        Ok(())
    }

    /// Goes one level down.
    fn down<T>(&mut self, check: impl FnOnce(&mut Self) -> Result<T, Halt>) -> Result<T, Halt> {
        self.account.step(1)?;
        self.depth = self.depth.saturating_add(1);
        let checked = level(self.depth, self.account.limits().depth, || check(self));
        self.depth = self.depth.saturating_sub(1);
        checked
    }
}
