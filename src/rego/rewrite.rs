//! Where the interpreter differs from OPA in what an expression means, the text it gets is changed so that it answers as
//! OPA does; builtins that allocate by argument are bounded. (What names mean is [`super::plain`]'s.)

mod bare;
mod beyond;
mod bodies;
mod callees;
mod collections;
mod equations;
mod every;
mod frames;
mod guards;
mod instead;
mod keys;
mod later;
mod named;
mod negation;
mod operators;
mod orders;
mod outputs;
mod patterns;
mod reads;
mod schema;
mod terms;
mod walks;
mod withs;

use regorus::Engine;
use regorus::unstable::{Module as Tree, Ref};

use super::parse::ParsedModule;
use super::plain::Packages;
use super::splice::Spliced;
use super::syntax;

/// Makes what rewritten modules call functions of an engine; call it once on every new engine.
pub fn install(engine: &mut Engine) {
    operators::install(engine);
    reads::install(engine);
    patterns::install(engine);
    keys::install(engine);
    beyond::install(engine);
}

pub use guards::install as bound;
pub(in crate::rego) use operators::{OWN, operands};
pub(in crate::rego) use orders::name as orders;
pub(in crate::rego) use reads::name as reads;
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
    mut parse: impl FnMut(&str) -> Result<Ref<Tree>, anyhow::Error>,
) -> Result<Rewritten, anyhow::Error> {
    let rules = &packages.rules_of(&syntax::package(&module.ast));
    let mut rewritten = Rewritten { text: module.text.to_string(), passes: Vec::new() };
    later::refuse(&*parse(&rewritten.text)?)?;
    while let Some(pass) = equations::split(&rewritten.text, &*parse(&rewritten.text)?, rules)? {
        rewritten.take(pass);
    }
    if let Some(pass) = named::declare(&rewritten.text, &*parse(&rewritten.text)?, rules) {
        rewritten.take(pass);
    }
    if let Some(pass) = bodies::name(&rewritten.text, &*parse(&rewritten.text)?)? {
        rewritten.take(pass);
    }
    // One inside another is seen only afterwards.
    while let Some(pass) = collections::name(&rewritten.text, &*parse(&rewritten.text)?) {
        rewritten.take(pass);
    }
    if let Some(pass) = every::declare(&rewritten.text, &*parse(&rewritten.text)?) {
        rewritten.take(pass);
    }
    if let Some(pass) = outputs::name(&rewritten.text, &*parse(&rewritten.text)?, rules) {
        rewritten.take(pass);
    }
    while let Some(pass) = equations::split(&rewritten.text, &*parse(&rewritten.text)?, rules)? {
        rewritten.take(pass);
    }
    if let Some(pass) = patterns::name(&rewritten.text, &*parse(&rewritten.text)?, packages)? {
        rewritten.take(pass);
    }
    if let Some(pass) = keys::name(&rewritten.text, &*parse(&rewritten.text)?, packages) {
        rewritten.take(pass);
    }
    let prefix = negation::prefix(&rewritten.text, "lifted");
    // A statement inside what is written out is seen only afterwards.
    while let Some(pass) = withs::lift(&rewritten.text, &*parse(&rewritten.text)?, packages, (&prefix, rewritten.passes.len())) {
        rewritten.take(pass);
    }
    // A negation inside what is lifted is seen only after it was lifted: once more, until nothing is left.
    while let Some(pass) = negation::lift(&rewritten.text, &*parse(&rewritten.text)?, rules, &prefix, rewritten.passes.len()) {
        rewritten.take(pass);
    }
    if let Some(pass) = walks::name(&rewritten.text, &*parse(&rewritten.text)?) {
        rewritten.take(pass);
    }
    if let Some(pass) = operators::name(&rewritten.text, &*parse(&rewritten.text)?, rules) {
        rewritten.take(pass);
    }
    Ok(rewritten)
}

/// Whether a function of OPA's can be called in rewritten modules.
pub(in crate::rego) fn provides(name: &str) -> bool {
    operators::provides(name) || regorus::unstable::BUILTINS.contains_key(name)
}

#[cfg(test)]
mod tests;
