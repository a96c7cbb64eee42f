//! The tree as OPA prints it (`v1/ast/term_appenders.go`, `v1/ast/policy_appenders.go`): messages and traces show this.

mod expr;
mod rule;
mod term;

pub use crate::value::print::quoted;

use super::tree::{Body, Expr, Import, Module, Package, Rule, Term, Version};
use crate::builtins::table;

/// A term.
pub fn term(term: &Term) -> String {
    let mut out = String::new();
    term::write(&mut out, term);
    out
}

/// The parts of a reference.
pub fn reference(parts: &[Term]) -> String {
    let mut out = String::new();
    term::write_ref(&mut out, parts);
    out
}

/// What a call calls, from its operator.
pub fn name(operator: &Term) -> String {
    term(operator)
}

/// An expression with its `with`.
pub fn expr(expr: &Expr) -> String {
    let mut out = String::new();
    expr::write(&mut out, expr);
    out
}

/// Expressions with `; ` between them.
pub fn body(body: &Body) -> String {
    let mut out = String::new();
    expr::write_body(&mut out, body);
    out
}

/// A rule as its module's version writes it, without annotations.
pub fn rule(rule: &Rule, version: Version) -> String {
    let mut out = String::new();
    rule::write(&mut out, rule, version);
    out
}

/// `package a.b`.
pub fn package(package: &Package) -> String {
    let mut out = String::from("package ");
    term::write_ref(&mut out, package.path.get(1..).unwrap_or_default());
    out
}

/// `import data.a as b`.
pub fn import(import: &Import) -> String {
    let alias = import.alias.as_ref().map_or_else(String::new, |(name, _)| format!(" as {name}"));
    format!("import {}{alias}", term(&import.path))
}

/// A module without annotations and comments.
pub fn module(module: &Module) -> String {
    let mut out = package(&module.package);
    out.push('\n');
    for import in &module.imports {
        out.push('\n');
        out.push_str(&self::import(import));
    }
    if !module.imports.is_empty() {
        out.push('\n');
    }
    for rule in &module.rules {
        out.push('\n');
        rule::write(&mut out, rule, module.version);
    }
    out
}

/// The operator that stands for a builtin.
pub(super) fn infix(name: &str) -> Option<&'static str> {
    table::find(name)?.infix
}
