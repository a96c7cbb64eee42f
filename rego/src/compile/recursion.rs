//! Rules that depend on themselves (`v1/ast/compile.go`, `checkRecursion`).

mod cause;
mod path;

use super::graph::{Numbered, Part, index, numbered};
use super::rule_tree::RuleTree;
use super::{Compiler, written};
use crate::error::{Code, Error};
use crate::syntax::tree::{Rule, Term};

/// How many names all messages hold together at most: circles through thousands of rules would be told once for each of them.
const NAMES: usize = 100_000;

/// The stage `CheckRecursion`.
pub(super) fn check_recursion(compiler: &mut Compiler) {
    let rules = numbered(&compiler.modules);
    let mut parts: Vec<Part> = Vec::new();
    compiler.rule_tree.depth_first(RuleTree::ROOT, |_, node| {
        parts.extend(node.rules().iter().flat_map(|id| {
            let length = compiler.rule(*id).map_or(0, |rule| rule.chain().count());
            compiler.graph.part(*id).into_iter().flat_map(move |first| (first..).take(length))
        }));
        false
    });
    let mut errors = Vec::new();
    let mut told = 0_usize;
    for part in parts.into_iter().filter(|part| compiler.graph.group(*part).is_some()) {
        let circle = path::circle(&compiler.graph, part);
        told = told.saturating_add(circle.parts.len());
        if told > NAMES && !errors.is_empty() {
            break;
        }
        errors.extend(error(compiler, &rules, part, &circle));
    }
    compiler.findings.stop_all(errors);
}

fn error(compiler: &Compiler, rules: &[Numbered<'_>], part: Part, circle: &path::Circle) -> Option<Error> {
    let (_, rule) = rules.get(index(part))?;
    let names: Vec<String> =
        circle.parts.iter().filter_map(|part| rules.get(index(*part))).map(|(_, rule)| name(compiler, rule)).collect();
    let message = if circle.is_static {
        format!("rule {} is recursive: {}", name(compiler, rule), names.join(" -> "))
    } else {
        let cause = cause::cause(compiler, rules, &circle.parts);
        format!("rule {} may be recursive: {}{cause}", name(compiler, rule), names.join(" -> "))
    };
    Some(Error::new(Code::Recursion, rule.span, message))
}

/// What a rule is called, with the names of variables that were written.
fn name(compiler: &Compiler, rule: &Rule) -> String {
    written(compiler, &rule.head.reference)
}

/// A reference with the names of variables that were written.
fn written(compiler: &Compiler, parts: &[Term]) -> String {
    written::reference(&compiler.rewritten, parts)
}

fn with_written(compiler: &Compiler, parts: &[Term]) -> Vec<Term> {
    parts.iter().map(|part| written::term(&compiler.rewritten, part)).collect()
}

#[cfg(test)]
mod tests {
    use super::NAMES;
    use crate::program::{Program, Text};

    /// Each message names all rules of the circle, the first one twice.
    #[test]
    fn only_so_many_circles_are_told() {
        let rules = 400;
        let text: String = (0..rules).map(|at| format!("p{at} if p{}\n\n", (at + 1) % rules)).collect();
        let text = Text { name: "a.rego".to_owned(), text: format!("package a\n\n{text}"), version: None };
        let refused = Program::compile(&[text], &Default::default()).unwrap_err();
        assert_eq!(refused.errors.iter().count(), NAMES / (rules + 1));
    }
}
