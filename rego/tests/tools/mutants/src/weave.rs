//! Writes mutants into the copy, each behind its switch.

use std::collections::BTreeSet;
use std::ops::Range;

use anyhow::{Result, ensure};

use crate::cargo::Fault;
use crate::mutant::Mutant;
use crate::sites::Form;
use crate::tree::{Tree, put};

/// A mutant in a file that was written: the file, where it is there in bytes, its number.
struct Place(String, Range<usize>, u32);

/// Where all mutants are.
pub struct Woven(Vec<Place>);

/// Writes the files of the rooms with the mutants in them.
pub fn all(tree: &Tree, mutants: &[Mutant]) -> Result<Woven> {
    let mut places = Vec::new();
    for file in &tree.files {
        let mut here: Vec<&Mutant> = mutants.iter().filter(|mutant| mutant.site.path == file.path).collect();
        here.sort_by_key(|mutant| (mutant.site.range.start, mutant.site.range.end));
        let (mut text, mut copied) = (String::new(), 0);
        for mutant in here {
            text.push_str(file.text.get(copied..mutant.site.range.start).unwrap_or_default());
            let begins = text.len();
            text.push_str(&switched(mutant));
            places.push(Place(file.path.clone(), begins..text.len(), mutant.number));
            copied = mutant.site.range.end;
        }
        text.push_str(file.text.get(copied..).unwrap_or_default());
        put(&tree.root.join(&file.path), text.as_bytes())?;
    }
    Ok(Woven(places))
}

fn switched(mutant: &Mutant) -> String {
    let (on, old, new) = (format!("crate::mutant::is({})", mutant.number), &mutant.site.old, &mutant.new);
    match mutant.site.form {
        Form::Expression => format!("(if {on} {{ {new} }} else {{ {old} }})"),
        Form::Statement => format!("if !{on} {{ {old} }}"),
        Form::Entry => format!(" if {on} {{ return {new}; }} "),
        Form::Arm => format!("if !{on} "),
    }
}

impl Woven {
    /// The numbers of the mutants that these errors are about: those that they point into; else the next one of the same file, since
    /// rustc shows the head of a `match` whose arms do not suffice. Fails when an error is about none.
    pub fn offenders(&self, faults: &[Fault]) -> Result<BTreeSet<u32>> {
        let mut found = BTreeSet::new();
        for fault in faults {
            let near = |place: &&Place| fault.spans.iter().any(|(path, span)| *path == place.0 && touch(span, &place.1));
            let mut here: Vec<u32> = self.0.iter().filter(near).map(|place| place.2).collect();
            if here.is_empty() {
                here.extend(self.next(fault));
            }
            ensure!(!here.is_empty(), "the copy does not compile, and no mutant is the reason:\n{}", fault.message);
            found.extend(here);
        }
        Ok(found)
    }

    fn next(&self, fault: &Fault) -> Option<u32> {
        let (path, span) = fault.spans.first()?;
        let here = || self.0.iter().filter(|place| place.0 == *path);
        let after = here().filter(|place| place.1.start >= span.start).min_by_key(|place| place.1.start);
        after.or_else(|| here().max_by_key(|place| place.1.start)).map(|place| place.2)
    }
}

fn touch(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}
