//! Numbers that are written in policies: what the interpreter would take for another number is refused. OPA computes with the
//! digits as they are written (`v1/ast/compare.go` of its sources).

use regorus::unstable::Expr;

use super::report::Report;
use crate::rego::exact;
use crate::rego::parse::ParsedModule;
use crate::rego::walk::{self, Visitor};

/// Reports numbers with more digits than are kept.
pub(super) fn check(modules: &[ParsedModule], report: &mut Report<'_>) {
    for (index, module) in modules.iter().enumerate() {
        let mut literals = Literals { index, report };
        module.ast.policy.iter().for_each(|rule| walk::rule(rule, &mut literals));
    }
}

struct Literals<'r, 'm> {
    index: usize,
    report: &'r mut Report<'m>,
}

impl Visitor for Literals<'_, '_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        if let Expr::Number { span, value, .. } = expr
            // Whole numbers are kept, whatever their size.
            && !span.text().trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit())
            && !exact::is_same(span.text(), &value.to_string())
        {
            let message = format!("the number {} has more digits than are kept", exact::abridged(span.text()));
            self.report.error(self.index, span.start, "rego_compile_error", message);
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
}
