//! Small checks: names of root documents, and calls without a result.

use super::Compiler;
use super::names::ASSIGN;
use super::terms::{calls, operands};
use super::vars::{is_reserved, is_root_document};
use crate::error::{Code, Error};
use crate::syntax::print;
use crate::syntax::tree::{Expr, Kind, Rule, Term, Var, Version};
use crate::syntax::visit::{Node, walk_exprs, walk_terms};

use super::arity::with_name;
use super::options::Options;

/// The stage `CheckKeywordOverrides` (`v1/ast/rego_v1.go`, `checkRootDocumentOverrides`).
pub(super) fn check_keyword_overrides(compiler: &mut Compiler) {
    for module in &compiler.modules {
        if !compiler.options.strict && module.version == Version::V0 {
            continue;
        }
        for rule in &module.rules {
            let mut errors = overrides_in_head(rule, rule.head.reference.get(module.package.path.len()));
            errors.extend(overrides(Node::Rule(rule)));
            compiler.findings.go_on_all(errors);
        }
    }
}

/// The same for a query, in strict mode.
pub(super) fn overrides_in_query(body: &[Expr]) -> Vec<Error> {
    overrides(Node::Body(body))
}

/// `name` is the first one of the rule's reference, behind the package.
fn overrides_in_head(rule: &Rule, name: Option<&Term>) -> Vec<Error> {
    let head = &rule.head;
    let name = name
        .and_then(Term::as_str)
        .filter(|name| is_reserved(name))
        .map(|name| Error::new(Code::Compile, rule.span, format!("rules must not shadow {name} (use a different rule name)")));
    let args = head.args.iter().flatten().filter_map(|arg| Some((arg.span, is_root_document(arg)?)));
    let args = args.map(|(span, name)| {
        Error::new(Code::Compile, span, format!("args must not shadow {name} (use a different variable name)"))
    });
    name.into_iter().chain(args).collect()
}

fn overrides(node: Node<'_>) -> Vec<Error> {
    let mut errors = Vec::new();
    walk_exprs(node, |expr| {
        if calls(expr, &ASSIGN)
            && let Some(name) = operands(expr).first().and_then(assigned)
        {
            let message = format!("variables must not shadow {name} (use a different variable name)");
            errors.push(Error::new(Code::Compile, expr.span, message));
        }
        false
    });
    errors
}

fn assigned(term: &Term) -> Option<&Var> {
    is_root_document(term).or_else(|| term.as_var().filter(|name| is_reserved(name)))
}

/// The stage `CheckVoidCalls`: what only has an effect is no value.
pub(super) fn check_void_calls(compiler: &mut Compiler) {
    let Compiler { modules, options, findings, .. } = compiler;
    for rule in modules.iter().flat_map(|module| &module.rules) {
        findings.stop_all(void_calls(options, Node::Rule(rule)));
    }
}

/// The same for any node.
pub(super) fn void_calls(options: &Options, node: Node<'_>) -> Vec<Error> {
    let mut errors = Vec::new();
    walk_terms(node, |term| {
        if let Kind::Call(parts) = &term.kind
            && let Some(operator) = parts.first()
            && with_name(operator, |name| options.builtin(name)).flatten().is_some_and(|builtin| builtin.result.is_none())
        {
            errors.push(Error::new(Code::Type, term.span, format!("{} used as value", print::term(term))));
        }
        false
    });
    errors
}
