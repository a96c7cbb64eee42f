//! Policy tests as `opa test` runs them: rules named `test_*`, each definition on its own; `todo_test_*` are skipped.

use plimsoll_contract::policy::Location;
use regorus::Value as Rego;
use regorus::unstable::{Expr, Module as Tree, Ref, Rule, RuleHead};

use super::coverage::Lines;
use super::interpreter::{RulePlace, guard};
use super::{EvalError, Limits, Prepared, Program, Value, syntax};

/// One test: a definition of a rule whose name begins with `test_` or `todo_test_`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Names of the package, below `data`.
    pub package: Vec<String>,
    /// The rule's name; further definitions of one name are `name#01`, `name#02`, as in OPA.
    pub name: String,
    /// Where it stands.
    pub location: Location,
    /// Named `todo_test_*`: not run.
    pub todo: bool,
    rule: String,
    place: RulePlace,
}

/// What came of a test.
#[derive(Debug)]
pub enum Verdict {
    /// The rule is true.
    Pass,
    /// The rule is undefined, or anything but true.
    Fail,
    /// It could not be evaluated.
    Error(EvalError),
    /// Named `todo_test_*`.
    Skip,
}

/// A test that has run.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub verdict: Verdict,
    /// What it printed.
    pub prints: Vec<String>,
    /// The lines that it evaluated, if that was asked for.
    pub covered: Lines,
}

impl std::fmt::Display for Test {
    /// `data.package.test_name`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "data.{}.{}", self.package.join("."), self.name)
    }
}

impl Program {
    /// All tests, in the order of modules and lines.
    pub fn tests(&self) -> Vec<Test> {
        let mut tests: Vec<Test> = Vec::new();
        for (module, tree) in self.trees().iter().enumerate() {
            for (rule, definition) in tree.policy.iter().enumerate() {
                let place = RulePlace { module, rule };
                if let Some(mut test) = self.test(tree, definition, place) {
                    let before = tests.iter().filter(|t| t.package == test.package && t.rule == test.rule).count();
                    if before > 0 {
                        test.name = format!("{}#{before:02}", test.rule);
                    }
                    tests.push(test);
                }
            }
        }
        tests
    }

    fn test(&self, tree: &Tree, rule: &Ref<Rule>, place: RulePlace) -> Option<Test> {
        let name = syntax::path(syntax::head(rule))?.names.into_iter().next()?;
        let todo = name.starts_with("todo_test_");
        if !todo && !name.starts_with("test_") {
            return None;
        }
        let span = syntax::head(rule).span();
        let location = self.sources.original(&Location { file: span.source.get_path().clone(), row: span.line, col: span.col });
        let package = syntax::path(&tree.package.refr)?.names;
        Some(Test { package, name: name.clone(), location, todo, rule: name, place })
    }
}

impl Prepared {
    /// Runs one of [`Program::tests`] of this program. Panics inside are caught.
    pub fn run_test(&self, test: &Test, input: Option<&Value>, limits: &Limits) -> Run {
        self.run(test, input, limits, false)
    }

    /// The same, with the lines that it evaluated.
    pub fn cover_test(&self, test: &Test, input: Option<&Value>, limits: &Limits) -> Run {
        self.run(test, input, limits, true)
    }

    fn run(&self, test: &Test, input: Option<&Value>, limits: &Limits, cover: bool) -> Run {
        if test.todo {
            return Run { verdict: Verdict::Skip, prints: Vec::new(), covered: Lines::default() };
        }
        let name = test.to_string();
        let (mut prints, mut covered) = (Vec::new(), Lines::default());
        let verdict = guard(&name, self.program().stack, || {
            self.refuse_shape(test)?;
            let input = input.map(|input| input.0.clone());
            let all = (0..self.program().sources.len()).collect();
            let ready = self.interpreter(all).map_err(|e| self.program().fault(&name, &e))?;
            let evaluated = ready.evaluate_rule(test.place, input, limits.time, cover);
            (prints, covered) = (evaluated.prints, self.program().sources.original_lines(evaluated.covered));
            let data = evaluated.data.map_err(|e| self.program().fault(&name, &e))?;
            Ok(test.package.iter().chain([&test.rule]).fold(data, |value, name| value[name.as_str()].clone()))
        });
        let verdict = match verdict {
            Ok(Rego::Bool(true)) => Verdict::Pass,
            Ok(_) => Verdict::Fail,
            Err(error) => Verdict::Error(error),
        };
        Run { verdict, prints, covered }
    }

    /// `test_name[case] if …` is one test with many results in OPA: a case that fails would go unseen here.
    fn refuse_shape(&self, test: &Test) -> Result<(), EvalError> {
        let trees = self.program().trees();
        let rule = trees.get(test.place.module).and_then(|tree| tree.policy.get(test.place.rule));
        let message = match rule.map(AsRef::as_ref) {
            Some(Rule::Spec { head: RuleHead::Func { args, .. }, .. }) if !args.is_empty() => "a test takes no arguments",
            Some(Rule::Spec { head: RuleHead::Compr { refr, .. }, .. }) if matches!(refr.as_ref(), Expr::RefBrack { .. }) => {
                "a test with cases by key is not supported: write one rule for each case, or `every`"
            }
            _ => return Ok(()),
        };
        Err(EvalError::Failed { document: test.to_string(), message: format!("{}: {message}", test.location) })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::rego::{Module, RegoVersion};

    const POLICY: &str = "package a\n\nallow if input.user == data.admin\n\nw(x) := x * 2\n";
    const TESTS: &str = r#"package a

test_ok if true

test_false := false

test_undefined if input.x

test_string := "x"

test_conflict := x if some x in [1, 2]

test_set contains x if some x in [1]

todo_test_x if true

test_cases[note] if some note in ["one"]

test_function(x) := x

test_dup if true

test_dup if false

not_test_x if true

test_print if { print("hello", 1) }

test_with if allow with input as {"user": "x"} with data.admin as "x"

test_with_function if { y := w(1) with w as 7; y == 7 }

test_from_data if data.admin == "root"
"#;

    fn run(test: &Test, prepared: &Prepared) -> (String, Vec<String>) {
        let run = prepared.run_test(test, None, &Limits::default());
        let verdict = match run.verdict {
            Verdict::Error(e) => format!("Error {e}"),
            other => format!("{other:?}"),
        };
        (verdict, run.prints)
    }

    #[test]
    fn tests_end_as_in_opa() {
        let module = |key: &str, text: &str| Module { key: key.into(), text: text.into() };
        let modules = [module("a.rego", POLICY), module("a_test.rego", TESTS)];
        let program = Arc::new(Program::compile(&modules, RegoVersion::Auto).unwrap());
        let prepared = program.prepare(json!({"admin": "root"}).into()).unwrap();
        let tests = program.tests();
        let found = tests.iter().map(|test| (test.name.as_str(), run(test, &prepared).0));
        let found: Vec<_> = found.map(|(name, verdict)| format!("{name} {}", verdict.split(' ').next().unwrap_or(""))).collect();
        let expected = [
            "test_ok Pass",
            "test_false Fail",
            "test_undefined Fail",
            "test_string Fail",
            "test_conflict Error",
            "test_set Fail",
            "todo_test_x Skip",
            "test_cases Error",
            "test_function Error",
            "test_dup Pass",
            "test_dup#01 Fail",
            "test_print Pass",
            "test_with Pass",
            "test_with_function Pass",
            "test_from_data Pass",
        ];
        assert_eq!(found, expected);
        let printing = tests.iter().find(|test| test.name == "test_print").unwrap();
        assert!(run(printing, &prepared).1.concat().contains("hello 1"));
        let second = tests.iter().find(|test| test.name == "test_dup#01").unwrap();
        assert_eq!((second.to_string(), second.location.to_string()), ("data.a.test_dup#01".into(), "a_test.rego:23:1".into()));
    }
}
