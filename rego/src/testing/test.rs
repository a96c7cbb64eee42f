//! The tests of a set.

use std::collections::HashSet;
use std::fmt;

use plimsoll_contract::policy::Location;

use super::name::Name;
use crate::compile::lower::constant;
use crate::program::Program;
use crate::syntax::print;
use crate::syntax::tree::{Head, Kind, Module, Rule, Term};
use crate::value::Value;

/// One test: a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Its package as a reference: `data.a`.
    pub package: String,
    /// Its reference below the package, up to the name of the test; further rules of one name are `name#01`, `name#02` …
    pub name: String,
    /// Where the rule begins.
    pub location: Location,
    /// Named `todo_test_*`: not run.
    pub todo: bool,
    /// Its document, below `data`.
    pub(super) path: Vec<Value>,
    /// What the document is.
    pub(super) shape: Shape,
}

impl Test {
    /// Its document, below `data`.
    pub fn rule_path(&self) -> &[Value] {
        &self.path
    }

    /// What its document is.
    pub fn shape(&self) -> Shape {
        self.shape
    }
}

/// What the document of a test is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `true`, or it has failed.
    Plain,
    /// An object of cases.
    Cases,
    /// None: a function with operands.
    Function,
}

/// All tests of a set that was compiled with [`super::compile_options`], in the order of modules and rules.
pub fn tests(program: &Program) -> Vec<Test> {
    let modules = program.compiled().modules.iter();
    modules.flat_map(|module| module.rules.iter().filter_map(|rule| test(program, module, rule))).collect()
}

/// Whether the stages for tests change a set that was compiled without them: rules of one name, or with keys.
pub fn needs_stages(program: &Program) -> bool {
    let mut names = HashSet::new();
    let modules = program.compiled().modules.iter();
    let mut rules = modules.flat_map(|module| module.rules.iter().map(move |rule| (module.package.path.len(), rule)));
    rules.any(|(package, rule)| {
        let name = Name::of(&rule.head, package).filter(|name| !name.todo);
        name.is_some_and(|name| !name.keys.is_empty() || !names.insert(print::reference(name.path)))
    })
}

fn test(program: &Program, module: &Module, rule: &Rule) -> Option<Test> {
    let package = &module.package.path;
    let name = Name::of(&rule.head, package.len())?;
    Some(Test {
        package: print::reference(package),
        name: below(name.path.get(package.len()..)?),
        location: program.sources().location(rule.span),
        todo: name.todo,
        path: name.path.iter().skip(1).filter_map(constant).collect(),
        shape: shape(&rule.head, package.len()),
    })
}

/// A reference below a package, whose first part OPA writes as a variable.
fn below(path: &[Term]) -> String {
    let mut path = path.to_vec();
    if let Some(first) = path.first_mut()
        && let Some(name) = first.as_str().cloned()
    {
        first.kind = Kind::Var(name);
    }
    print::reference(&path)
}

/// Of a head whose package, of so many parts, is in front (opa `v1/ast/policy.go`, `DocKind`).
fn shape(head: &Head, package: usize) -> Shape {
    let dynamic = || head.reference.iter().skip(package).any(|part| !crate::syntax::is_ground(part));
    match (&head.args, &head.key, &head.value) {
        (Some(args), ..) if !args.is_empty() => Shape::Function,
        (_, Some(_), Some(_)) => Shape::Cases,
        (_, Some(_), None) => Shape::Plain,
        (_, None, _) if dynamic() => Shape::Cases,
        (_, None, _) => Shape::Plain,
    }
}

impl fmt::Display for Test {
    /// `data.package.test_name`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.package, self.name)
    }
}
