//! A test with a head like `test_x[note] if …` has a case for each key; a case whose body fails has no key in the value of the rule.
//! So where all variables of the keys have appeared, the body says which case it has come to: `plimsoll__.case([note])` (opa
//! `v1/tester/runner.go`, `injectTestCaseFunc`).

use std::cell::RefCell;

use anyhow::bail;
use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Tree, Rule, RuleHead};
use regorus::{Engine, Value};

use super::operators;
use crate::rego::parse::Tokens;
use crate::rego::splice::{Spliced, Splices};
use crate::rego::{syntax, testing};

/// The most cases of one test.
const MOST: usize = 100_000;

thread_local! {
    // An extension does not learn which evaluation calls it; an evaluation stays on one thread.
    static REACHED: RefCell<Option<Vec<Value>>> = const { RefCell::new(None) };
}

/// Runs an evaluation on this thread; the keys of the cases that it has come to, in that order.
pub(in crate::rego) fn reached<T>(evaluation: impl FnOnce() -> T) -> (T, Vec<Value>) {
    REACHED.set(Some(Vec::new()));
    let result = evaluation();
    (result, REACHED.take().unwrap_or_default())
}

/// Makes the function that says so one of an engine.
pub(super) fn install(engine: &mut Engine) {
    operators::add(engine, "plimsoll__.case", 1, Box::new(|values: Vec<Value>| note(values)));
}

fn note(values: Vec<Value>) -> anyhow::Result<Value> {
    REACHED.with_borrow_mut(|reached| {
        let Some(reached) = reached else { return Ok(Value::from(true)) };
        if reached.len() >= MOST {
            bail!("limit: a test has more than {MOST} cases");
        }
        reached.extend(values);
        Ok(Value::from(true))
    })
}

/// Writes these calls into the tests of a module; nothing if there are none with cases.
pub(super) fn name(text: &str, tree: &Tree) -> Option<Spliced> {
    let mut splices = Splices::default();
    for rule in &tree.policy {
        if let Some((at, call)) = call(text, rule) {
            splices.insert(at, at, call);
        }
    }
    (!splices.is_empty()).then(|| splices.apply(text))
}

/// Where a call is written into a rule, and the call. Behind the last statement none is needed: there the rule has the key.
fn call(text: &str, rule: &Rule) -> Option<(usize, String)> {
    let Rule::Spec { head: RuleHead::Compr { refr, .. }, bodies, .. } = rule else { return None };
    let at = testing::name_of_test(refr)?;
    let keys: Vec<String> = keys(refr, text).into_iter().skip(at).collect();
    let variables = keys.iter().flat_map(|key| names(key)).collect::<Vec<_>>();
    let statements = &bodies.first()?.query.stmts;
    let starts: Vec<usize> = statements.iter().map(|statement| start(statement, text)).collect();
    let mentions = |index: usize, variable: &&str| {
        let declares = matches!(statements.get(index).map(|statement| &statement.literal), Some(Literal::SomeVars { .. }));
        let end = starts.get(index.saturating_add(1)).copied().unwrap_or(text.len());
        let written = text.get(starts.get(index).copied().unwrap_or(end)..end).unwrap_or_default();
        !declares && names(written).contains(variable)
    };
    // A name that is nowhere in the body is no variable.
    let first = |variable: &&str| (0..starts.len()).find(|index| mentions(*index, variable));
    let last = variables.iter().filter_map(first).max()?;
    let behind = *starts.get(last.saturating_add(1))?;
    Some((behind, format!("plimsoll__.case([{}]); ", keys.join(", "))))
}

fn start(statement: &LiteralStmt, text: &str) -> usize {
    match &statement.literal {
        Literal::Expr { expr, .. } => syntax::range(expr, text).start.min(syntax::opened(statement.span.start, text)),
        _ => syntax::opened(statement.span.start, text),
    }
}

/// The steps of a head behind its first name, each as an expression.
fn keys(head: &Expr, text: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), head);
    loop {
        match rest {
            Expr::RefDot { refr, field, .. } => {
                found.push(format!("\"{}\"", field.0.text()));
                rest = refr;
            }
            Expr::RefBrack { refr, index, .. } => {
                found.push(text.get(syntax::range(index, text)).map(syntax::flat).unwrap_or_default());
                rest = refr;
            }
            _ => break,
        }
    }
    found.reverse();
    found
}

/// The names in a text that may be variables.
fn names(text: &str) -> Vec<&str> {
    let mut before = "";
    let mut found = Vec::new();
    for token in Tokens::new(text) {
        let first = token.text.chars().next().unwrap_or(' ');
        if before != "." && (first.is_ascii_alphabetic() || first == '_') && !matches!(token.text, "data" | "input") {
            found.push(token.text);
        }
        before = token.text;
    }
    found
}
