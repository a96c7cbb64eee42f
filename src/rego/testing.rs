//! Policy tests as `opa test` runs them: rules with a name `test_*` in their head, each definition on its own; `todo_test_*` are
//! skipped. The name may stand behind others (`group.test_a if …`; OPA: `ruleName` in `v1/tester/runner.go`).

use std::collections::BTreeMap;

use plimsoll_contract::policy::Location;
use regorus::Value as Rego;
use regorus::unstable::{Expr, Module as Tree, Ref, Rule, RuleHead};

use super::coverage::Lines;
use super::interpreter::{RulePlace, guard};
use super::{EvalError, Limits, Prepared, Program, Value, plain, rewrite, syntax};

mod cases;

pub use cases::{Case, Cases};

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
    /// Its cases by key, if it has any.
    pub cases: Cases,
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
            for (rule, definition) in tree.policy.iter().enumerate().filter(|(_, rule)| !plain::is_extent(rule)) {
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
        let at = names.iter().position(|name| is_test(name))?;
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
            return Run { verdict: Verdict::Skip, cases: Cases::new(), prints: Vec::new(), covered: Lines::default() };
        }
        let name = test.to_string();
        let (mut prints, mut covered, mut reached) = (Vec::new(), Lines::default(), Vec::new());
        let verdict = guard(&name, self.program().stack, || {
            self.refuse_shape(test)?;
            if let Some(value) = self.default_of(test) {
                return Ok(value);
            }
            let input = input.map(|input| input.0.clone());
            let all = (0..self.program().sources.len()).collect();
            let ready = self.interpreter(all).map_err(|e| self.program().fault(&name, &e))?;
            let (evaluated, keys) = rewrite::reached(|| ready.evaluate_rule(test.place, input, limits.time, cover));
            reached = keys;
            (prints, covered) = (evaluated.prints, self.program().sources.original_lines(evaluated.covered));
            let data = evaluated.data.map_err(|e| self.program().fault(&name, &e))?;
            Ok(test.package.iter().chain(&test.rule).fold(data, |value, name| value[name.as_str()].clone()))
        });
        let (verdict, cases) = match verdict {
            Ok(Rego::Bool(true)) => (Verdict::Pass, Cases::new()),
            Ok(value) => self.cases(test, &value, &reached),
            Err(error) => (Verdict::Error(error), Cases::new()),
        };
        Run { verdict, cases, prints, covered }
    }

    /// What came of a test that is not `true`: the cases of a head with keys behind its name, or behind it one constant key.
    fn cases(&self, test: &Test, value: &Rego, reached: &[Rego]) -> (Verdict, Cases) {
        let shape = self.definition(test).map_or(Shape::Plain, |rule| Shape::of(&rule));
        let (fail, cases) = match (shape, value) {
            (Shape::Plain, _) => (true, Cases::new()),
            // Of one key, none is left when its body fails.
            (Shape::Key, value) if value.as_object().is_ok_and(|cases| !cases.is_empty()) => cases::of(value, reached),
            (Shape::Key, _) => (true, Cases::new()),
            (Shape::Variables, value) => cases::of(value, reached),
        };
        (if fail { Verdict::Fail } else { Verdict::Pass }, cases)
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

    fn refuse_shape(&self, test: &Test) -> Result<(), EvalError> {
        if !self.definition(test).is_some_and(|rule| syntax::is_function(&rule)) {
            return Ok(());
        }
        Err(EvalError::Failed { document: test.to_string(), message: format!("{}: a test takes no arguments", test.location) })
    }
}

/// What a test may be (opa `v1/ast/policy.go`, `DocKind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// One verdict.
    Plain,
    /// `test_x["a"] := …`: an object of one case.
    Key,
    /// `test_x[note] if …`: an object of cases.
    Variables,
}

impl Shape {
    fn of(rule: &Rule) -> Self {
        let head = syntax::head(rule);
        match rule {
            Rule::Spec { head: RuleHead::Compr { .. }, .. } => {}
            _ => return Self::Plain,
        }
        let (mut steps, mut constant, mut rest) = (0_usize, true, head);
        while let Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } = rest {
            if let Expr::RefBrack { index, .. } = rest {
                constant &= is_constant(index);
            }
            steps = steps.saturating_add(1);
            rest = refr;
        }
        match steps {
            0 => Self::Plain,
            _ if !constant => Self::Variables,
            1 if name_of_test(head) == Some(0) => Self::Key,
            _ => Self::Plain,
        }
    }
}

fn is_constant(index: &Expr) -> bool {
    match index {
        Expr::String { .. } | Expr::RawString { .. } | Expr::Number { .. } | Expr::Bool { .. } | Expr::Null { .. } => true,
        Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().all(|item| is_constant(item)),
        Expr::Object { fields, .. } => fields.iter().all(|(_, key, value)| is_constant(key) && is_constant(value)),
        _ => false,
    }
}

/// Which name of a head is that of a test.
pub(super) fn name_of_test(head: &Expr) -> Option<usize> {
    syntax::path(head)?.names.iter().position(|name| is_test(name))
}

fn is_test(name: &str) -> bool {
    name.starts_with("test_") || name.starts_with("todo_test_")
}

#[cfg(test)]
mod tests;
