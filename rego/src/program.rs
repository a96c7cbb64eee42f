//! A set of modules that is compiled once, bound to data, and asked for documents.

mod bound;

use std::sync::Arc;

pub use bound::{Bound, Request};

use crate::compile::{self, Compiled, Options, lower};
use crate::error::Errors;
use crate::ir::Policy;
use crate::syntax::parse;
use crate::syntax::source::{Source, Sources};
use crate::syntax::tree::{Module, Version};
use crate::value::Value;

/// One text of a set.
#[derive(Clone, Debug)]
pub struct Text {
    /// Shown in places.
    pub name: String,
    /// What is written there.
    pub text: String,
    /// Which language it is read as; `None`: as v1, and if that fails as v0.
    pub version: Option<Version>,
}

/// A compiled set: immutable, shareable.
#[derive(Debug)]
pub struct Program {
    compiled: Compiled,
    policy: Policy,
}

/// A set that was refused: all that is wrong, and the texts that the places are of.
#[derive(Debug)]
pub struct Refused {
    /// At least one.
    pub errors: Errors,
    /// For rows and columns.
    pub sources: Arc<Sources>,
}

impl Program {
    /// Parses and compiles a set. Fails with the errors of all texts that are no Rego, else with what the compiler finds.
    pub fn compile(texts: &[Text], options: &Options) -> Result<Self, Refused> {
        let mut sources = Sources::default();
        let parsed: Vec<_> = texts.iter().map(|text| parsed(&mut sources, text)).collect();
        let mut modules = Vec::with_capacity(parsed.len());
        let mut errors = Vec::new();
        for result in parsed {
            match result {
                Ok(module) => modules.push(module),
                Err(found) => errors.extend(found),
            }
        }
        let sources = Arc::new(sources);
        let refused = |errors| Refused { errors, sources: sources.clone() };
        Errors::check(errors).map_err(refused)?;
        on_stack_for(&modules, || {
            let compiled = compile::compile(sources.clone(), modules.clone(), options).map_err(refused)?;
            let policy = lower::policy(&compiled.modules, sources.clone(), compiled.arity()).map_err(refused)?;
            Ok(Self { compiled, policy })
        })
    }

    /// Binds data, which must be an object.
    pub fn bind(self: &Arc<Self>, data: Value) -> Bound {
        Bound::new(self.clone(), data)
    }

    /// What the stages of the compiler made.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// What is evaluated.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The texts.
    pub fn sources(&self) -> &Arc<Sources> {
        &self.policy.sources
    }
}

fn parsed(sources: &mut Sources, text: &Text) -> Result<Module, Errors> {
    let source = Source::new(&text.name, &text.text);
    let id = sources.next();
    let module = match text.version {
        Some(version) => parse::parse_module(&source, id, &parse::Options::of(version)),
        None => parse::parse_auto(&source, id),
    };
    sources.add(source);
    module
}

/// Runs what recurses along the nesting of modules.
fn on_stack_for<T>(modules: &[Module], run: impl FnOnce() -> T) -> T {
    const PER_LEVEL: usize = 16 * 1024;
    const ENOUGH: usize = 512 * 1024;
    let depth = modules.iter().map(|module| module.depth).max().unwrap_or(0);
    let needed = usize::try_from(depth).unwrap_or(usize::MAX).saturating_mul(PER_LEVEL).saturating_add(ENOUGH);
    stacker::maybe_grow(needed, needed.saturating_mul(2), run)
}
