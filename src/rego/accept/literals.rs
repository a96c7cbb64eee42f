//! Numbers that are written in policies: what the interpreter would take for another number is refused. OPA computes with the
//! digits as they are written (`v1/ast/compare.go` of its sources).

use regorus::unstable::Expr;

use super::report::Report;
use crate::rego::exact;
use crate::rego::parse::ParsedModule;
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Functions, and their operands, counted from 0, that OPA takes no `1e0` for: how a number was written is lost afterwards.
const WHOLE: [(&str, &[usize]); 8] = [
    ("array.slice", &[1, 2]),
    ("format_int", &[1]),
    ("rand.intn", &[1]),
    ("regex.find_all_string_submatch_n", &[2]),
    ("regex.find_n", &[2]),
    ("strings.split_n", &[2]),
    ("substring", &[1, 2]),
    ("time.add_date", &[1, 2, 3]),
];

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
        if let Expr::Call { fcn, params, .. } = expr
            && let Some(path) = syntax::path(fcn)
        {
            let params: Vec<&Expr> = params.iter().map(AsRef::as_ref).collect();
            self.call(&path.names.join("."), &params);
        }
        true
    }
}

impl Literals<'_, '_> {
    fn call(&mut self, name: &str, params: &[&Expr]) {
        if let Some((_, places)) = WHOLE.iter().find(|(whole, _)| *whole == name) {
            // `2.0` is an integer for most.
            let written: &[char] = if name == "format_int" { &['.', 'e', 'E'] } else { &['e', 'E'] };
            places.iter().filter_map(|place| params.get(*place)).for_each(|param| self.whole(name, param, written));
        }
        if let (true, [format, Expr::Array { items, .. }]) = (name == "sprintf", params)
            && !is_general(format)
        {
            items.iter().for_each(|item| self.whole(name, item, &['.', 'e', 'E']));
        }
    }

    /// Reports a whole number that is written in another way.
    fn whole(&mut self, name: &str, param: &Expr, written: &[char]) {
        let (span, value) = match param {
            Expr::Number { span, value, .. } => (span, value),
            Expr::UnaryExpr { expr, .. } => match expr.as_ref() {
                Expr::Number { span, value, .. } => (span, value),
                _ => return,
            },
            _ => return,
        };
        if span.text().contains(written) && value.as_number().is_ok_and(|number| number.is_integer()) {
            let number = exact::abridged(span.text());
            let message = format!("{name}: {number} is no integer in OPA for how it is written: write its digits only");
            self.report.error(self.index, span.start, "rego_compile_error", message);
        }
    }
}

/// Whether a format is `%v` only, for which it does not matter.
fn is_general(format: &Expr) -> bool {
    let (Expr::String { value, .. } | Expr::RawString { value, .. }) = format else { return false };
    let is_general = |format: &str| format.split('%').skip(1).all(|directive| directive.is_empty() || directive.starts_with('v'));
    value.as_string().is_ok_and(|format| is_general(format))
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
    fn whole_numbers_are_written_as_such_where_it_matters() {
        let table = [
            ("array.slice([1, 2], 1e0, 2)", false),
            ("array.slice([1, 2], 1.0, 2)", true),
            ("substring(\"abc\", 0, 10e-1)", false),
            ("time.add_date(0, 0, 0, 1E0)", false),
            ("format_int(9, 2.0)", false),
            ("format_int(9.0, 2)", true),
            ("sprintf(\"%d\", [1.0])", false),
            ("sprintf(\"%d\", [-1e2])", false),
            ("sprintf(\"%v\", [1.0])", true),
            ("sprintf(\"%d%%\", [1])", true),
            ("sprintf(\"%.2f\", [1.5])", true),
        ];
        for (call, accepted) in table {
            let module = Module { key: "n.rego".into(), text: format!("package n\n\nr := {call}\n") };
            let compiled = Program::compile(&[module], RegoVersion::Auto);
            assert_eq!(compiled.is_ok(), accepted, "{call}: {:?}", compiled.err());
        }
    }
}
