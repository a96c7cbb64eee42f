//! Policy tests as `opa test` runs them: rules with a name `test_*` in their head, each definition on its own; `todo_test_*` are
//! skipped. The name may stand behind others (`group.test_a if …`; OPA: `ruleName` in `v1/tester/runner.go`).

use std::collections::BTreeMap;

use plimsoll_contract::policy::Location;
use regorus::Value as Rego;
use regorus::unstable::{Expr, Module as Tree, Ref, Rule};

use super::coverage::Lines;
use super::interpreter::{RulePlace, guard};
use super::{EvalError, Limits, Prepared, Program, Value, syntax};

/// One test: a definition of a rule with a name that begins with `test_` or `todo_test_`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Names of the package, below `data`.
    pub package: Vec<String>,
    /// The rule's path, up to the name of the test; further definitions of one path are `name#01`, `name#02`, as in OPA.
    pub name: String,
    /// Where it stands.
    pub location: Location,
    /// Named `todo_test_*`: not run.
    pub todo: bool,
    rule: Vec<String>,
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
        let (mut tests, mut seen) = (Vec::new(), BTreeMap::<(Vec<String>, Vec<String>), usize>::new());
        for (module, tree) in self.trees().iter().enumerate() {
            for (rule, definition) in tree.policy.iter().enumerate() {
                let place = RulePlace { module, rule };
                if let Some(mut test) = self.test(tree, definition, place) {
                    let before = seen.entry((test.package.clone(), test.rule.clone())).or_default();
                    if *before > 0 {
                        test.name = numbered(&test.rule, *before);
                    }
                    *before = before.saturating_add(1);
                    tests.push(test);
                }
            }
        }
        tests
    }

    fn test(&self, tree: &Tree, rule: &Ref<Rule>, place: RulePlace) -> Option<Test> {
        let mut names = syntax::path(syntax::head(rule))?.names;
        let at = names.iter().position(|name| name.starts_with("test_") || name.starts_with("todo_test_"))?;
        names.truncate(at.saturating_add(1));
        let todo = names.last().is_some_and(|name| name.starts_with("todo_test_"));
        let span = syntax::head(rule).span();
        let location = self.sources.original(&Location { file: span.source.get_path().clone(), row: span.line, col: span.col });
        let package = syntax::path(&tree.package.refr)?.names;
        Some(Test { package, name: syntax::write(&names), location, todo, rule: names, place })
    }
}

/// How OPA calls a further definition: `test_a#01`, `group["test_a#01"]`.
fn numbered(rule: &[String], number: usize) -> String {
    match rule.split_last() {
        Some((name, [])) => format!("{name}#{number:02}"),
        Some((name, group)) => syntax::write(&[group, &[format!("{name}#{number:02}")]].concat()),
        None => String::new(),
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
            if let Some(value) = self.default_of(test) {
                return Ok(value);
            }
            let input = input.map(|input| input.0.clone());
            let all = (0..self.program().sources.len()).collect();
            let ready = self.interpreter(all).map_err(|e| self.program().fault(&name, &e))?;
            let evaluated = ready.evaluate_rule(test.place, input, limits.time, cover);
            (prints, covered) = (evaluated.prints, self.program().sources.original_lines(evaluated.covered));
            let data = evaluated.data.map_err(|e| self.program().fault(&name, &e))?;
            Ok(test.package.iter().chain(&test.rule).fold(data, |value, name| value[name.as_str()].clone()))
        });
        let verdict = match verdict {
            Ok(Rego::Bool(true)) => Verdict::Pass,
            Ok(_) => Verdict::Fail,
            Err(error) => Verdict::Error(error),
        };
        Run { verdict, prints, covered }
    }

    /// A definition whose value is not the interpreter's to find: a constant default.
    fn default_of(&self, test: &Test) -> Option<Rego> {
        match self.definition(test)?.as_ref() {
            Rule::Default { args, value, .. } if args.is_empty() => match value.as_ref() {
                Expr::Bool { value, .. } => Some(value.clone()),
                // Whatever else it is, it is not `true`.
                _ => Some(Rego::Null),
            },
            _ => None,
        }
    }

    fn definition(&self, test: &Test) -> Option<Ref<Rule>> {
        self.program().trees().get(test.place.module)?.policy.get(test.place.rule).cloned()
    }

    /// `test_name[case] if …` is one test with many results in OPA: a case that fails would go unseen here.
    fn refuse_shape(&self, test: &Test) -> Result<(), EvalError> {
        let Some(rule) = self.definition(test) else { return Ok(()) };
        let constant = syntax::path(syntax::head(&rule)).is_some_and(|path| path.constant);
        let message = match rule.as_ref() {
            rule if syntax::is_function(rule) => "a test takes no arguments",
            _ if !constant => "a test with cases by key is not supported: write one rule for each case, or `every`",
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

group.test_b if false

group.test_b if true

group["test c"].todo_test_d if true

default test_default := true

test_default if false

default test_no := 1
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
            "group.test_b Fail",
            "group[\"test_b#01\"] Pass",
            "group[\"test c\"].todo_test_d Skip",
            "test_default Pass",
            "test_default#01 Fail",
            "test_no Fail",
        ];
        assert_eq!(found, expected);
        let printing = tests.iter().find(|test| test.name == "test_print").unwrap();
        assert!(run(printing, &prepared).1.concat().contains("hello 1"));
        let second = tests.iter().find(|test| test.name == "test_dup#01").unwrap();
        assert_eq!((second.to_string(), second.location.to_string()), ("data.a.test_dup#01".into(), "a_test.rego:23:1".into()));
    }
}
