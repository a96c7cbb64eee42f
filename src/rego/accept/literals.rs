//! Numbers that are written in policies: what the interpreter would take for another number is refused. OPA computes with the
//! digits as they are written (`v1/ast/compare.go` of its sources). In heads, and where they are read, `1` and `1.0` are two names to it.

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

/// Reports numbers with more digits than are kept, and what is written otherwise than the whole number that it is, as a key or an operand.
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
        if let Expr::Call { fcn, params, .. } = expr
            && let Some(path) = syntax::path(fcn)
        {
            let params: Vec<&Expr> = params.iter().map(AsRef::as_ref).collect();
            self.call(&path.names.join("."), &params);
        }
        if let Expr::RefBrack { refr, index, .. } = expr
            && self.numbered
        {
            self.reads(refr, index);
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
