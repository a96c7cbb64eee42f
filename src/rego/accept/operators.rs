//! Operators are calls of functions by name in OPA: `a < b` is `lt(a, b)`. A rule, an import or a variable of that name takes the
//! operator's place there (`resolveAllRefs`, `rewriteDeclaredVarsInTerm` in opa `v1/ast/compile.go`), which nobody means: both are
//! refused, as OPA refuses most of them.

use std::collections::BTreeMap;

use super::names::{DATA, INPUT, Names, Var};
use super::term::{Call, Kind, Operator, Term};
use super::tree::display;
use super::walk::{self, Go};

/// Names of operators and how they are written.
const WRITTEN: [(&str, &str); 17] = [
    ("plus", "+"),
    ("minus", "-"),
    ("mul", "*"),
    ("div", "/"),
    ("rem", "%"),
    ("and", "&"),
    ("or", "|"),
    ("equal", "=="),
    ("neq", "!="),
    ("lt", "<"),
    ("lte", "<="),
    ("gt", ">"),
    ("gte", ">="),
    ("eq", "="),
    ("assign", ":="),
    ("internal.member_2", "in"),
    ("internal.member_3", "in"),
];

fn written(operator: &str) -> &str {
    WRITTEN.iter().find_map(|(name, written)| (*name == operator).then_some(*written)).unwrap_or(operator)
}

/// The first name of an operator's.
pub(super) fn root(operator: &str) -> &str {
    operator.split('.').next().unwrap_or(operator)
}

/// Says what OPA would call for an operator.
pub(super) fn replaced(operator: &str, path: &[Term], names: &Names) -> String {
    let written = written(operator);
    format!("OPA would call {} for `{written}` here: give it another name", display(path, names))
}

/// What a call is called by, if a variable can have that name: its first name, and how OPA would say it.
fn called(call: &Call, names: &Names) -> Option<(Var, String)> {
    match &call.operator {
        Operator::Infix(name) => Some((names.known(root(name))?, (*name).to_owned())),
        Operator::Path(path) => {
            let var = path.first().and_then(Term::as_var).filter(|var| !matches!(*var, DATA | INPUT))?;
            Some((var, display(path, names)))
        }
    }
}

/// Names that are called and names that are variables, in one rule.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Where something is called by this name first, and what.
    called: BTreeMap<Var, (u32, String)>,
    /// How often a name is a variable that nothing declares, without the calls.
    variables: BTreeMap<Var, isize>,
}

impl Calls {
    /// A call: gives the name, and what OPA says if a variable is declared by it.
    pub(super) fn call(&mut self, call: &Call, at: u32, names: &Names) -> Option<(Var, String)> {
        let (var, name) = called(call, names)?;
        let message = format!("called function {name} shadowed: give the variable another name");
        self.called.entry(var).or_insert_with(|| (at, message.clone()));
        // Its path is seen as a variable too.
        if matches!(call.operator, Operator::Path(_)) {
            self.variable(var, -1);
        }
        Some((var, message))
    }

    /// A variable that nothing declares.
    pub(super) fn variable(&mut self, var: Var, times: isize) {
        let count = self.variables.entry(var).or_default();
        *count = count.saturating_add(times);
    }

    /// Where a name is called that is a variable too.
    pub(super) fn mixed(self) -> impl Iterator<Item = (u32, String)> {
        let Self { called, variables } = self;
        called.into_iter().filter(move |(var, _)| variables.get(var).is_some_and(|count| *count > 0)).map(|(_, place)| place)
    }
}

/// The calls of a head; those in its comprehensions are looked at with their bodies.
pub(super) fn of_head(term: &Term, found: &mut dyn FnMut(&Call, u32)) {
    walk::visit(term, &mut |term| match &term.kind {
        Kind::Call(call) => {
            found(call, term.at);
            Go::Deeper
        }
        Kind::Comprehension(_) => Go::Over,
        _ => Go::Deeper,
    });
}

#[cfg(test)]
mod tests {
    use crate::rego::accept::tests::checked;

    fn found(text: &str) -> Vec<String> {
        checked(&[&format!("package a\n{text}")])
    }

    /// OPA calls the rule or what is imported, where that is a function of two operands, or refuses.
    #[test]
    fn an_operator_that_a_rule_takes_the_place_of_is_refused() {
        let table = [
            ("lt(a, b) if semver.compare(a, b) == -1\nx if input.b < input.a", "data.a.lt for `<`"),
            ("gte(a, b) if semver.compare(a, b) >= 0", "data.a.gte for `>=`"),
            ("minus(a) := 7\nx := -input.a", "data.a.minus for `-`"),
            ("equal := 7\nx if input.a == 1", "data.a.equal for `==`"),
            ("eq(a, b) if a == b\nx := y if { y = 1 }", "data.a.eq for `=`"),
            ("assign := 7\nx := y if { y := 1 }", "data.a.assign for `:=`"),
            ("internal.member_2(a, b) := 7\nx := 1 in input.l", "data.a.internal for `in`"),
            ("import data.lib.lt\nx if 1 < 2", "data.lib.lt for `<`"),
            ("import data.lib.older as lt\nx if 1 < 2", "data.lib.older for `<`"),
        ];
        for (text, what) in table {
            let message = format!("compile_error: OPA would call {what} here: give it another name");
            assert!(found(text).iter().any(|error| error.ends_with(&message)), "{text}: {:?}", found(text));
        }
    }

    #[test]
    fn an_operator_that_a_variable_takes_the_place_of_is_refused() {
        for text in [
            "x := y if { plus := 3; y := 1 + plus }",
            "x := y if { y := 1 + 2; plus := 3 }",
            "x := y if { plus = 3; y := 1 + 2 }",
            "x := plus + 1 if { plus := 1 }",
            "x := {k: plus | some k, plus in input.l; plus + 1 > 0}",
            "f(lt, b) if lt < b",
            "f(minus) := -minus",
            "x := eq if { eq = 2 }",
            "x if { some lt in input.l; every y in input.l { y < lt } }",
            "x := y if { count = 3; y := count([1]) }",
            "x := y if { y := count([1]); count = 3 }",
            "x if { internal := 2; 1 in input.l }",
        ] {
            assert!(!found(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn names_of_operators_are_names_where_no_operator_is_meant() {
        for text in [
            "lt(a, b) if semver.compare(a, b) == -1\nx if lt(\"1.0.0\", \"2.0.0\")",
            "x := [lt | some lt in input.l; lt > 0]",
            "x := [y | plus := 3; y := plus]\nz if 1 + 1 == 2",
            "f(minus) := minus + 1",
            "x := y if { assign := 2; y := 1 }",
            "assign := 1\nx := assign",
            "internal := 7\nx if some y in input.l",
            "x := y if { y := {a: lt | some a, lt in input.l}; 1 < 2 }",
            "x if { count([1]) == 3 with count as f }\nf(a) := 3",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
