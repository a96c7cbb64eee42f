//! From modules to a program: parse, accept, rewrite, and what the interpreter itself says; all errors at once.

use std::collections::BTreeSet;

use plimsoll_contract::policy::{Diagnostic, Location};

use super::accept::Strictness;
use super::definitions::Definitions;
use super::interpreter::Interpreter;
use super::limits::compiling;
use super::parse::ParsedModule;
use super::plain::Packages;
use super::program::{Module, Program, RegoVersion};
use super::reach::Reach;
use super::sources::{self, Sources};
use super::stack::Stack;
use super::{accept, fault, parse, reads, rewrite};

/// Compiles a set; each module is read as `version` of its key says.
pub(super) fn program(modules: &[Module], version: &dyn Fn(&str) -> RegoVersion) -> Result<Program, Vec<Diagnostic>> {
    compiling::timed(bytes(modules), || {
        let parsed = parsed(modules, version)?;
        let errors = accept::check(&parsed);
        if !errors.is_empty() {
            return Err(errors);
        }
        let packages = Packages::of(&parsed);
        packages.refusals(&parsed)?;
        sources::refusals(&parsed)?;
        rewritten(&parsed, packages)
    })
}

fn parsed(modules: &[Module], version: &dyn Fn(&str) -> RegoVersion) -> Result<Vec<ParsedModule>, Vec<Diagnostic>> {
    no_key_twice(modules)?;
    no_own_name(modules)?;
    all_in_time(
        modules
            .iter()
            .map(|module| compiling::module(&module.key, || parse::parse(module, version(&module.key)).and_then(no_target))),
    )
}

/// Of all texts.
fn bytes(modules: &[Module]) -> usize {
    modules.iter().map(|module| module.text.len()).sum()
}

/// Compiles an accepted set once more, for a query that replaces by `with` what no module of the set does.
pub(super) fn beside(parsed: &[ParsedModule], query: &ParsedModule) -> Result<Program, Vec<Diagnostic>> {
    rewritten(parsed, Packages::beside(parsed, query))
}

fn rewritten(parsed: &[ParsedModule], packages: Packages) -> Result<Program, Vec<Diagnostic>> {
    let stack = Stack::of(parsed)?;
    compiling::check().map_err(|overdue| vec![overdue.diagnostic()])?;
    let sources = Sources::of(parsed, &packages).map_err(|e| vec![refused(&e, &Sources::default())])?;
    let whole = whole(&sources).map_err(|e| vec![refused(&e, &sources)])?;
    let definitions = Definitions::of(parsed);
    Ok(Program {
        whole,
        stack,
        parts: Default::default(),
        reach: Reach::of(parsed),
        versions: parsed.iter().map(|module| (module.key.to_string(), module.version.as_str().to_owned())).collect(),
        reads: reads::of(parsed, &definitions),
        module_reads: parsed.iter().map(|module| reads::of(std::slice::from_ref(module), &definitions)).collect(),
        definitions,
        sources,
        packages,
    })
}

/// What is wrong with a set, as [`program`] would say it, or more strictly.
pub(super) fn check(modules: &[Module], version: &dyn Fn(&str) -> RegoVersion, strictness: Strictness) -> Vec<Diagnostic> {
    compiling::timed(bytes(modules), || match parsed(modules, version).map(|parsed| accept::check_as(&parsed, strictness)) {
        // What the interpreter alone says is said only of what all else accepts.
        Ok(errors) if errors.is_empty() => program(modules, version).err().unwrap_or_default(),
        Ok(errors) | Err(errors) => errors,
    })
}

/// A key is how errors find their module.
fn no_key_twice(modules: &[Module]) -> Result<(), Vec<Diagnostic>> {
    let mut keys = BTreeSet::new();
    all(modules.iter().map(|module| {
        let location = Location { file: module.key.clone(), row: 1, col: 1 };
        if keys.insert(&module.key) { Ok(()) } else { Err(error("two modules have this key: rename one", location)) }
    }))
    .map(drop)
}

/// What is written out calls functions by names that must mean nothing else.
fn no_own_name(modules: &[Module]) -> Result<(), Vec<Diagnostic>> {
    // A query's module has no name, and such calls already.
    all(modules.iter().filter(|module| !module.key.is_empty()).map(|module| match module.text.split_once(rewrite::OWN) {
        None => Ok(()),
        Some((before, _)) => {
            let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).saturating_add(1);
            let line = before.rsplit('\n').next().unwrap_or_default();
            let (row, col) = (count(before.matches('\n').count()), count(line.chars().count()));
            let message = format!("`{}` is a name of Plimsoll's own: choose another one", rewrite::OWN);
            Err(error(&message, Location { file: module.key.clone(), row, col }))
        }
    }))
    .map(drop)
}

/// The interpreter takes the first rule of a module, if it has this name, for a word of its own, and the module then has no such rule.
fn no_target(module: ParsedModule) -> Result<ParsedModule, Diagnostic> {
    const TARGET: &str = "__target__";
    if module.ast.target.is_none() {
        return Ok(module);
    }
    let at = parse::Tokens::new(&module.text).find(|token| token.text == TARGET).map_or(0, |token| token.start);
    let message = format!("`{TARGET}` is no name for a rule: choose another one");
    Err(module.diagnostic("rego_compile_error", message, u32::try_from(at).unwrap_or_default()))
}

/// The results of all, or all errors; nothing more when time is up.
fn all_in_time<T>(results: impl Iterator<Item = Result<T, Diagnostic>>) -> Result<Vec<T>, Vec<Diagnostic>> {
    let mut overdue = None;
    let found = all(results.map_while(|result| {
        if overdue.is_some() {
            return None;
        }
        overdue = compiling::check().err();
        Some(result)
    }));
    match overdue {
        Some(overdue) => Err(vec![overdue.diagnostic()]),
        None => found,
    }
}

/// The results of all, or all errors.
fn all<T>(results: impl Iterator<Item = Result<T, Diagnostic>>) -> Result<Vec<T>, Vec<Diagnostic>> {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => found.push(value),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

/// All modules in the interpreter, analysed once without data: what it refuses now, acceptance has missed.
fn whole(sources: &Sources) -> Result<Interpreter, anyhow::Error> {
    let everything: Vec<_> = (0..sources.len()).collect();
    let interpreter = sources.interpreter(&everything)?;
    interpreter.with_data(regorus::Value::new_object())?;
    Ok(interpreter)
}

fn refused(refusal: &anyhow::Error, sources: &Sources) -> Diagnostic {
    if let Some(overdue) = refusal.downcast_ref::<compiling::Overdue>() {
        return overdue.diagnostic();
    }
    let fault::Message { location, text } = fault::message(refusal);
    error(&text, location.map(|place| sources.original(&place)).unwrap_or_default())
}

fn error(message: &str, location: Location) -> Diagnostic {
    Diagnostic { code: "rego_compile_error".to_owned(), message: message.to_owned(), location, details: Vec::new() }
}
