//! Numbers that are written in policies: what the interpreter would take for another number is refused. OPA computes with the
//! digits as they are written (`v1/ast/compare.go` of its sources). In heads, and where they are read, `1` and `1.0` are two names to it.

use regorus::unstable::Expr;

use super::report::Report;
use crate::rego::exact;
use crate::rego::parse::ParsedModule;
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Reports numbers with more digits than are kept, and keys that are written otherwise than the number.
pub(super) fn check(modules: &[ParsedModule], report: &mut Report<'_>) {
    let rules = || modules.iter().enumerate().flat_map(|(index, module)| module.ast.policy.iter().map(move |rule| (index, rule)));
    let numbered = rules().any(|(_, rule)| indexes(syntax::head(rule)).any(|key| matches!(key, Expr::Number { .. })));
    for (index, rule) in rules() {
        let mut literals = Literals { index, numbered, report };
        indexes(syntax::head(rule)).for_each(|key| literals.key(key));
        walk::rule(rule, &mut literals);
    }
}

struct Literals<'r, 'm> {
    index: usize,
    /// Whether a head has a number.
    numbered: bool,
    report: &'r mut Report<'m>,
}

/// The keys in the brackets of a reference, last first.
fn indexes(refr: &Expr) -> impl Iterator<Item = &Expr> {
    std::iter::successors(Some(refr), |expr| inner(expr)).filter_map(|expr| match expr {
        Expr::RefBrack { index, .. } => Some(&**index),
        _ => None,
    })
}

/// What a reference is a step into.
fn inner(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } => Some(refr),
        _ => None,
    }
}

fn is_whole(text: &str) -> bool {
    text.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit())
}

impl Literals<'_, '_> {
    fn key(&mut self, key: &Expr) {
        if let Expr::Number { span, value, .. } = key
            && !is_whole(span.text())
            && is_whole(&value.to_string())
        {
            let message = format!("a whole number that is a key in a head, or of a rule, must be written as {value}");
            self.report.error(self.index, span.start, "rego_compile_error", message);
        }
    }

    /// A key that reads what a head may have.
    fn reads(&mut self, refr: &Expr, key: &Expr) {
        let root = std::iter::successors(Some(refr), |expr| inner(expr)).last().unwrap_or(refr);
        if matches!(root, Expr::Var { span, .. } if span.text() != "input") {
            self.key(key);
        }
    }
}

impl Visitor for Literals<'_, '_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        if let Expr::Number { span, value, .. } = expr
            // Whole numbers are kept, whatever their size.
            && !is_whole(span.text())
            && !exact::is_same(span.text(), &value.to_string())
        {
            let message = format!("the number {} has more digits than are kept", exact::abridged(span.text()));
            self.report.error(self.index, span.start, "rego_compile_error", message);
        }
        if let Expr::RefBrack { refr, index, .. } = expr
            && self.numbered
        {
            self.reads(refr, index);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::rego::{Module, Program, RegoVersion};

    #[test]
    fn a_number_is_what_is_written_or_refused() {
        let table = [
            ("1.10", true),
            ("0.1", true),
            ("-3.5e-7", true),
            ("18446744073709551617", true),
            ("-18446744073709551617", true),
            ("1e400", false),
            ("0.30000000000000004", true),
            ("0.3000000000000000400001", false),
            ("9007199254740993.5", false),
        ];
        for (number, accepted) in table {
            let module = Module { key: "n.rego".into(), text: format!("package n\n\nr if input.x == {number}\n") };
            let compiled = Program::compile(&[module], RegoVersion::Auto);
            assert_eq!(compiled.is_ok(), accepted, "{number}: {:?}", compiled.err());
        }
    }

    #[test]
    fn keys_of_rules_are_written_as_whole_numbers() {
        let table = [
            ("u[1.0] := 3", Some((3, 3))),
            ("u[10e-1].x contains 3", Some((3, 3))),
            ("u[1] := 3\nv := u[1.0]", Some((4, 8))),
            ("u[1] := 3\nv := input.u[1.0]", None),
            ("u[1.5] := 3\nv := u[1.5]", None),
            ("u := {1: 3}\nv := u[1.0]", None),
        ];
        for (rules, place) in table {
            let module = Module { key: "n.rego".into(), text: format!("package n\n\n{rules}\n") };
            let errors = Program::compile(&[module], RegoVersion::V1).err().unwrap_or_default();
            let found = errors.first().map(|error| (error.location.row, error.location.col));
            assert_eq!(found, place, "{rules}: {errors:?}");
        }
    }
}
