//! Queries whose expressions have values, as `opa eval` shows them: `data.a.b; x > 1` answers both, beside the variables.
//!
//! What OPA captures is captured here (`rewriteQueryToCaptureValue` in `v1/rego/rego.go` of its sources): the value of each
//! expression that is neither negated, nor an assignment, nor a unification, nor a declaration; those are `true`.

use std::collections::BTreeSet;
use std::sync::Arc;

use plimsoll_contract::policy::Diagnostic;
use regorus::unstable::{Expr, Literal, LiteralStmt, Rule};
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::places::Places;
use super::{HEADER, PACKAGE, Query, RULE, Refused, Running, parse_as, refusal, shifted, whole};
use crate::rego::interpreter::Interpreter;
use crate::rego::parse::ParsedModule;
use crate::rego::plain::Spliced;
use crate::rego::splice::Splices;
use crate::rego::walk::{self, Visitor};
use crate::rego::{EvalError, Limits, Module, Program, RegoVersion, Value, accept, parse, syntax};

/// What holds an expression's value while the query runs.
const CAPTURED: &str = "plimsoll_value__";

/// A query that answers with the values of its expressions.
#[derive(Debug)]
pub struct Expressions {
    query: Query,
    shown: Vec<Shown>,
}

/// A query with its data.
pub struct Bound {
    query: Expressions,
    interpreter: Interpreter,
}

/// One way in which the query holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// In the order of the query.
    pub expressions: Vec<Expression>,
    /// The variables.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub bindings: Map<String, Json>,
}

/// An expression of the query and its value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expression {
    /// `true` for what has no value of its own.
    pub value: Json,
    /// As written.
    pub text: String,
    /// Where it begins.
    pub location: Place,
}

/// A place in the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Line, from 1.
    pub row: u32,
    /// Column in characters, from 1.
    pub col: u32,
}

impl Place {
    /// Of a byte offset.
    fn of(offset: usize, text: &str) -> Self {
        let before = text.get(..offset).unwrap_or_default();
        let (above, line) = before.rsplit_once('\n').map_or((0, before), |(above, line)| (above.split('\n').count(), line));
        let place = |number: usize| u32::try_from(number.saturating_add(1)).unwrap_or(u32::MAX);
        Self { row: place(above), col: place(line.chars().count()) }
    }
}

#[derive(Debug)]
struct Shown {
    text: String,
    at: Place,
    /// Its place among the captured values.
    captured: bool,
}

impl Expressions {
    /// Compiles a query beside a program, whose modules these are. `imports` are import statements that it is read with.
    pub fn compile(program: &Arc<Program>, modules: &[Module], text: &str, imports: &[String]) -> Result<Self, Refused> {
        let plain = if imports.is_empty() { Some(Query::compile(program, modules, text)?) } else { None };
        let imports: String = imports.iter().map(|import| format!("{import}\n")).collect();
        let above = u32::try_from(imports.lines().count()).unwrap_or(u32::MAX);
        let lower = |error: Diagnostic| lowered(error, above);
        let start = format!("{HEADER}{imports}{RULE} if {{\n");
        let probe = parse_as(format!("{start}{text}\n}}\n"));
        let probe = probe.map_err(|error| Refused::Parse(vec![lower(error)]))?;
        if !parse::balanced(text) || probe.ast.policy.len() != 1 {
            let message = "the query is not closed in itself: a bracket too many or too few";
            return Err(Refused::Parse(vec![refusal(&probe, message.to_owned())]));
        }
        let told = |errors: Vec<Diagnostic>| {
            let own = |error: Diagnostic| if error.location.file.is_empty() { shifted(error) } else { error };
            Refused::Compile(errors.into_iter().map(|error| lower(own(error))).collect())
        };
        if plain.is_none() {
            if !whole::spelled(&probe, start.len(), text, program).is_empty() {
                let message = "all of `data` is not supported in a query with imports or in a package: name a document below it";
                return Err(told(vec![probe.diagnostic("rego_compile_error", message, 0)]));
            }
            // As it was written: what is wrong is found where it stands.
            within(program, modules, probe.text.to_string()).map_err(told)?;
        }
        let (shown, mut captured) = capture(&probe, start.len(), text, modules, program);
        if plain.is_some() {
            captured.append(whole::spelled(&probe, start.len(), text, program));
        }
        let captured = captured.apply(text);
        let module = format!("{HEADER}{imports}{RULE} := [{} |\n{}\n]\n", row(&probe, &shown), captured.text);
        let query = match plain {
            Some(plain) => beside(plain, module, captured)?,
            None => Query { places: Places::within(captured, above), ..within(program, modules, module).map_err(told)? },
        };
        Ok(Self { query, shown })
    }

    /// The `data` paths that the query and the program may read.
    pub fn reads(&self) -> &[Vec<String>] {
        self.query.reads()
    }

    /// Binds data, so that each evaluation costs no more than itself.
    pub fn bind(self, data: Value) -> Result<Bound, EvalError> {
        Ok(Bound { interpreter: self.query.bind(data)?, query: self })
    }

    fn row(&self, mut row: Json) -> Row {
        let mut part = |name: &str| row.get_mut(name).map(Json::take);
        let bindings = match part("bindings") {
            Some(Json::Object(bindings)) => bindings,
            _ => Map::new(),
        };
        let mut values = match part("values") {
            Some(Json::Array(values)) => values.into_iter(),
            _ => Vec::new().into_iter(),
        };
        let expression = |shown: &Shown| Expression {
            value: if shown.captured { values.next().unwrap_or(Json::Null) } else { Json::Bool(true) },
            text: shown.text.clone(),
            location: shown.at,
        };
        Row { expressions: self.shown.iter().map(expression).collect(), bindings }
    }
}

impl Bound {
    /// Each way in which the query holds, in the order of evaluation.
    pub fn evaluate(&self, input: Option<&Value>, limits: &Limits) -> Result<Vec<Row>, EvalError> {
        self.printing(input, limits, &mut Vec::new())
    }

    /// The same, with what `print` said on the way.
    pub fn printing(&self, input: Option<&Value>, limits: &Limits, prints: &mut Vec<String>) -> Result<Vec<Row>, EvalError> {
        let rows = self.query.query.printing(&self.interpreter, input, limits, prints)?;
        Ok(rows.into_iter().map(|row| self.query.row(row)).collect())
    }
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("query", &self.query).finish_non_exhaustive()
    }
}

/// What each row is made of, as Rego.
fn row(probe: &ParsedModule, shown: &[Shown]) -> String {
    let imported = imported(probe);
    let variables = accept::variables(probe).into_iter().filter(|name| !imported.contains(name));
    let bindings: Vec<_> = variables.map(|name| format!("\"{name}\": {name}")).collect();
    let values = (0..shown.iter().filter(|shown| shown.captured).count()).map(|at| format!("{CAPTURED}{at}"));
    let values = values.collect::<Vec<_>>().join(", ");
    format!("{{\"bindings\": {{{}}}, \"values\": [{values}]}}", bindings.join(", "))
}

impl Program {
    /// First names of the rules and functions of a package: what a query that is asked in it may say without more.
    pub fn names_in(&self, package: &[String]) -> BTreeSet<String> {
        self.packages.rules_of(package)
    }
}

/// The names that imports bring: documents, no variables.
fn imported(probe: &ParsedModule) -> BTreeSet<String> {
    probe.ast.imports.iter().filter_map(syntax::import).map(|(name, _)| name).collect()
}

/// An accepted query, with another comprehension: the one that captures.
fn beside(plain: Query, module: String, captured: Spliced) -> Result<Query, Refused> {
    let parsed = parse_as(module).map_err(|error| Refused::Parse(vec![error]))?;
    let running = Running::of(&parsed, &plain.program);
    let Running { text, module, own } = running.map_err(|message| Refused::Compile(vec![refusal(&parsed, message)]))?;
    let places = Places::beside(own, captured, module.is_some());
    Ok(Query { text, module, places, ..plain })
}

/// A query with imports is a module of the set, for it alone.
fn within(program: &Program, modules: &[Module], text: String) -> Result<Query, Vec<Diagnostic>> {
    let versions = program.versions();
    let version = |key: &str| match versions.get(key).map(String::as_str) {
        Some("v0") => RegoVersion::V0,
        _ => RegoVersion::V1,
    };
    let mut all = modules.to_vec();
    all.push(Module { key: String::new(), text });
    let program = Arc::new(Program::compile_each(&all, &version)?);
    let text = syntax::write(&["data", PACKAGE, RULE].map(str::to_owned));
    let places = Places::within(Spliced::default(), 0);
    Ok(Query { text, module: None, stack: program.stack, reads: program.reads().to_vec(), program, places })
}

/// The statements of the query, and what captures their values.
fn capture(probe: &ParsedModule, start: usize, text: &str, modules: &[Module], program: &Program) -> (Vec<Shown>, Splices) {
    let Some(rule) = probe.ast.policy.first() else { return (Vec::new(), Splices::default()) };
    let statements: &[LiteralStmt] = match rule.as_ref() {
        Rule::Spec { bodies, .. } => bodies.first().map(|body| body.query.stmts.as_slice()).unwrap_or_default(),
        Rule::Default { .. } => &[],
    };
    let offset = |stmt: &LiteralStmt| {
        let at = probe.offset(stmt.span.start).saturating_sub(start);
        // The parser leaves the quote of a string out.
        at.saturating_sub(usize::from(text.get(..at).is_some_and(|before| before.ends_with(['"', '`']))))
    };
    let (mut shown, mut captured, mut count) = (Vec::new(), Splices::default(), 0_usize);
    for (index, statement) in statements.iter().enumerate() {
        let from = offset(statement);
        let to = statements.get(index + 1).map_or(text.len(), offset);
        let piece = text.get(from..to).unwrap_or_default();
        let has_value = has_value(&statement.literal, modules, program);
        if has_value {
            captured.insert(from, from, format!("{CAPTURED}{count} := "));
            count += 1;
        }
        // A declaration is no expression.
        if !matches!(statement.literal, Literal::SomeVars { .. }) {
            shown.push(Shown { text: parse::statement(piece).to_owned(), at: Place::of(from, text), captured: has_value });
        }
    }
    if statements.len() > 1 || iterates(rule) {
        let all = (0..count).map(|at| format!("\n{CAPTURED}{at}"));
        captured.insert(text.len(), text.len(), all.collect());
    }
    (shown, captured)
}

/// Whether OPA captures the value of a statement.
fn has_value(literal: &Literal, modules: &[Module], program: &Program) -> bool {
    let Literal::Expr { expr, .. } = literal else { return false };
    match expr.as_ref() {
        Expr::AssignExpr { .. } => false,
        Expr::Call { fcn, params, .. } => {
            let names = syntax::path(fcn).map(|path| path.names).unwrap_or_default();
            names != ["print"] && arity(&names, modules, program).is_none_or(|arity| arity == params.len())
        }
        _ => true,
    }
}

/// Operands of a builtin function, or of one of the modules'.
fn arity(names: &[String], modules: &[Module], program: &Program) -> Option<usize> {
    if let Some(arity) = accept::builtin_arity(&names.join(".")) {
        return Some(arity);
    }
    let path = names.strip_prefix(&["data".to_owned()])?;
    let versions = program.versions();
    modules.iter().find_map(|module| {
        let version =
            if versions.get(&module.key).is_some_and(|version| version == "v0") { RegoVersion::V0 } else { RegoVersion::V1 };
        let parsed = parse::parse(module, version).ok()?;
        let name = path.strip_prefix(syntax::package(&parsed.ast).as_slice())?;
        parsed.ast.policy.iter().find_map(|rule| match rule.as_ref() {
            Rule::Spec { head: regorus::unstable::RuleHead::Func { refr, args, .. }, .. } => {
                (syntax::path(refr)?.names == name).then_some(args.len())
            }
            _ => None,
        })
    })
}

/// Whether a query of one expression may hold in more ways than one: only then must its value be true.
fn iterates(rule: &Rule) -> bool {
    let mut search = Iteration(false);
    walk::rule(rule, &mut search);
    search.0
}

struct Iteration(bool);

impl Visitor for Iteration {
    fn expr(&mut self, expr: &Expr) -> bool {
        match expr {
            Expr::ArrayCompr { .. } | Expr::SetCompr { .. } | Expr::ObjectCompr { .. } => return false,
            Expr::RefBrack { index, .. } => {
                if let Expr::Var { span, .. } = index.as_ref() {
                    self.0 |= !matches!(span.text(), "input" | "data");
                }
            }
            _ => {}
        }
        true
    }

    fn named(&mut self, name: &Expr) {
        self.0 |= syntax::path(name).is_some_and(|path| path.names == ["walk"]);
    }
}

fn lowered(mut error: Diagnostic, above: u32) -> Diagnostic {
    if error.location.file.is_empty() {
        error.location.row = error.location.row.saturating_sub(above).max(1);
    }
    error
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask(text: &str, imports: &[&str]) -> Result<Json, String> {
        let module = "package app\n\nf(x) := x + 1\n\nlist := [3, 1]\n\nu if input.nothing\n";
        let modules = vec![Module { key: "app.rego".into(), text: module.into() }];
        let program = Arc::new(Program::compile(&modules, RegoVersion::Auto).unwrap());
        let imports: Vec<_> = imports.iter().map(|import| (*import).to_owned()).collect();
        let query = Expressions::compile(&program, &modules, text, &imports).map_err(|refused| format!("{refused:?}"))?;
        let bound = query.bind(Value::default()).unwrap();
        let rows = bound.evaluate(None, &Limits::default()).map_err(|error| error.to_string())?;
        let values = rows.into_iter().map(|row| row.expressions.into_iter().map(|e| json!([e.text, e.value])).collect::<Json>());
        Ok(values.collect())
    }

    #[test]
    fn each_expression_has_the_value_that_opa_gives_it() {
        let table = [
            ("1 > 2", json!([[["1 > 2", false]]])),
            ("1 > 2; true", json!([])),
            ("data.app.list", json!([[["data.app.list", [3, 1]]]])),
            ("data.app", json!([[["data.app", {"list": [3, 1]}]]])),
            ("data.app.u", json!([])),
            ("x := 1; y = x + 1", json!([[["x := 1", true], ["y = x + 1", true]]])),
            ("not false # why\n\"a\"", json!([[["not false", true], ["\"a\"", "a"]]])),
            ("data.app.list[_]", json!([[["data.app.list[_]", 3]], [["data.app.list[_]", 1]]])),
            ("data.app.f(1)", json!([[["data.app.f(1)", 2]]])),
            ("data.app.f(1, 2)", json!([[["data.app.f(1, 2)", true]]])),
            ("1 in {1}", json!([[["1 in {1}", true]]])),
            ("some x in [7]; x", json!([[["some x in [7]", true], ["x", 7]]])),
            ("input.x with input as {\"x\": 1}", json!([[["input.x with input as {\"x\": 1}", 1]]])),
            ("every x in [1] { x > 0 }", json!([[["every x in [1] { x > 0 }", true]]])),
            ("$\"a {1}\"; $\"{2}\"", json!([[["$\"a {1}\"", "a 1"], ["$\"{2}\"", "2"]]])),
            ("{1, 2} | {3}", json!([[["{1, 2} | {3}", [1, 2, 3]]]])),
        ];
        for (query, expected) in table {
            assert_eq!(ask(query, &[]), Ok(expected), "{query}");
        }
    }

    #[test]
    fn imports_give_short_names() {
        assert_eq!(ask("list[0]", &["import data.app.list"]), Ok(json!([[["list[0]", 3]]])));
        let refused = ask("list[0]\nx", &["import data.app.list"]).unwrap_err();
        assert!(refused.contains("row: 2"), "{refused}");
    }

    #[test]
    fn all_of_data_is_refused_with_imports() {
        for query in ["data", "data[k].list", "some k, v in data", "[v | v := data[_]]"] {
            let refused = ask(query, &["import data.app.list"]).unwrap_err();
            assert!(refused.contains("all of `data` is not supported"), "{query}: {refused}");
        }
    }

    #[test]
    fn an_import_is_no_variable_and_moves_no_place() {
        let modules = vec![Module { key: "app.rego".into(), text: "package app\n\nlist := [3, 1]\n".into() }];
        let program = Arc::new(Program::compile(&modules, RegoVersion::Auto).unwrap());
        let imports = ["import data.app.list".to_owned(), "import data.app as a".to_owned()];
        let query = Expressions::compile(&program, &modules, "x := list[1]; a.list[0]", &imports).unwrap();
        let mut prints = Vec::new();
        let rows = query.bind(Value::default()).unwrap().printing(None, &Limits::default(), &mut prints).unwrap();
        assert_eq!(Json::Object(rows[0].bindings.clone()), json!({"x": 1}));
        let places: Vec<_> = rows[0].expressions.iter().map(|e| (e.location.row, e.location.col, e.value.clone())).collect();
        assert_eq!(places, [(1, 1, json!(true)), (1, 15, json!(3))]);
        assert!(prints.is_empty());
    }

    #[test]
    fn what_is_printed_is_kept_apart() {
        let modules = vec![Module { key: "a.rego".into(), text: "package a\n\nx if print(\"in\", 1)\n".into() }];
        let program = Arc::new(Program::compile(&modules, RegoVersion::Auto).unwrap());
        let query = Expressions::compile(&program, &modules, "data.a.x; print(\"own\")", &[]).unwrap();
        let mut prints = Vec::new();
        query.bind(Value::default()).unwrap().printing(None, &Limits::default(), &mut prints).unwrap();
        let said = prints.concat();
        assert!(said.contains("in 1") && said.contains("own") && prints.len() == 2, "{prints:?}");
    }
}
