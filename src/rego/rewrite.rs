//! Where the interpreter differs from OPA in what an expression means, the text it gets is changed so that it answers as
//! OPA does; builtins that allocate by argument are bounded. (What names mean is [`super::plain`]'s.)

mod bare;
mod beyond;
mod bodies;
mod callees;
mod cases;
mod closed;
mod collections;
mod equations;
mod every;
mod frames;
mod guards;
mod indexed;
mod instead;
mod keys;
mod negation;
mod nothing;
mod operators;
mod orders;
mod outputs;
mod patterns;
mod reads;
mod schema;
mod sizes;
mod terms;
mod walks;
pub(in crate::rego) mod wholes;
mod withs;
mod written;

use std::collections::BTreeSet;

use regorus::Engine;
use regorus::unstable::{Module as Tree, Ref};

use super::parse::ParsedModule;
use super::plain::{self, Packages};
use super::splice::Spliced;
use super::syntax;

/// Makes what rewritten modules call functions of an engine; call it once on every new engine.
pub fn install(engine: &mut Engine) {
    operators::install(engine);
    reads::install(engine);
    patterns::install(engine);
    keys::install(engine);
    beyond::install(engine);
    written::install(engine);
    wholes::install(engine);
    cases::install(engine);
    sizes::install(engine);
}

pub(in crate::rego) use cases::reached;
pub use guards::install as bound;
pub(in crate::rego) use operators::{Long, OWN, held, operands};
pub(in crate::rego) use orders::name as orders;
pub(in crate::rego) use reads::name as reads;
pub(in crate::rego) use sizes::name as sizes;
pub(in crate::rego) use terms::name as terms;

/// The text for the interpreter.
#[derive(Debug)]
pub struct Rewritten {
    /// Rego, in the version of the module. Rows of the module's text are kept, but inside a negated expression.
    pub text: String,
    passes: Vec<Spliced>,
}

impl Rewritten {
    fn take(&mut self, pass: Spliced) {
        self.text.clone_from(&pass.text);
        self.passes.push(pass);
    }

    /// The place in the module as given, of a place in the rewritten text.
    pub fn original(&self, row: u32, col: u32) -> (u32, u32) {
        self.passes.iter().rev().fold((row, col), |(row, col), pass| pass.original(row, col))
    }
}

/// Rewrites one module of a set that [`super::accept::check`] accepted. `packages` are those of the set; `parse` gives the tree of a text that takes its place.
pub(in crate::rego) fn rewrite(
    module: &ParsedModule,
    packages: &Packages,
    parse: impl FnMut(&str) -> Result<Ref<Tree>, anyhow::Error>,
) -> Result<Rewritten, anyhow::Error> {
    let rules = &packages.rules_of(&syntax::package(&module.ast));
    let mut steps = Steps { rewritten: Rewritten { text: module.text.to_string(), passes: Vec::new() }, parse };
    steps.take(|text, tree| Ok(plain::later(text, tree, rules)))?;
    if module.negation.closed {
        steps.take(|text, tree| Ok(closed::write_out(text, tree)))?;
    }
    steps.take(|text, tree| written::name(text, tree, packages))?;
    steps.take(|text, tree| Ok(cases::name(text, tree)))?;
    while steps.take(|text, tree| equations::split(text, tree, rules))? {}
    steps.take(bodies::name)?;
    steps.take(|text, tree| nothing::name(text, tree, packages))?;
    // One inside another is seen only afterwards.
    while steps.take(|text, tree| Ok(collections::name(text, tree)))? {}
    steps.take(|text, tree| Ok(every::declare(text, tree)))?;
    steps.take(|text, tree| Ok(indexed::name(text, tree, packages)))?;
    steps.take(|text, tree| Ok(outputs::name(text, tree, rules)))?;
    while steps.take(|text, tree| equations::split(text, tree, rules))? {}
    steps.take(|text, tree| patterns::name(text, tree, packages))?;
    steps.take(|text, tree| Ok(keys::name(text, tree, packages)))?;
    steps.lift(packages, rules)?;
    steps.take(|text, tree| Ok(walks::name(text, tree)))?;
    steps.take(|text, tree| Ok(operators::name(text, tree, rules)))?;
    Ok(steps.rewritten)
}

struct Steps<P> {
    rewritten: Rewritten,
    parse: P,
}

impl<P: FnMut(&str) -> Result<Ref<Tree>, anyhow::Error>> Steps<P> {
    /// Takes a step; whether it changed anything.
    fn take(&mut self, step: impl FnOnce(&str, &Tree) -> Result<Option<Spliced>, anyhow::Error>) -> Result<bool, anyhow::Error> {
        let tree = (self.parse)(&self.rewritten.text)?;
        let pass = step(&self.rewritten.text, &tree)?;
        let is_changed = pass.is_some();
        pass.into_iter().for_each(|pass| self.rewritten.take(pass));
        Ok(is_changed)
    }

    /// Writes values of `with` and parts of negations as statements before.
    fn lift(&mut self, packages: &Packages, rules: &BTreeSet<String>) -> Result<(), anyhow::Error> {
        let prefix = negation::prefix(&self.rewritten.text, "lifted");
        // A statement inside what is written out is seen only afterwards.
        let mut passes = self.rewritten.passes.len();
        while self.take(|text, tree| Ok(withs::lift(text, tree, packages, (&prefix, passes))))? {
            passes = self.rewritten.passes.len();
        }
        // A negation inside what is lifted is seen only after it was lifted: once more, until nothing is left.
        passes = self.rewritten.passes.len();
        while self.take(|text, tree| Ok(negation::lift(text, tree, rules, &prefix, passes)))? {
            passes = self.rewritten.passes.len();
        }
        Ok(())
    }
}

/// Whether a function of OPA's can be called in rewritten modules.
pub(in crate::rego) fn provides(name: &str) -> bool {
    operators::provides(name) || regorus::unstable::BUILTINS.contains_key(name)
}

#[cfg(test)]
mod tests;
