//! Queries: Rego bodies that are asked once. A query runs as an array comprehension over its variables, `[{"x": x} | x := 1]`,
//! so it is accepted and rewritten like every rule.

pub mod expressions;
mod places;
mod whole;

use std::sync::{Arc, OnceLock};

use plimsoll_contract::policy::{Diagnostic, Location};
use regorus::unstable::{Expr, Literal, Rule};

use super::definitions::Definitions;
use super::interpreter::{Interpreter, guard};
use super::limits::compiling;
use super::parse::{self, ParsedModule};
use super::plain::wholes::WHOLE;
use super::sources::Source;
use super::splice::Splices;
use super::stack::Stack;
use super::{EvalError, Limits, Module, Program, RegoVersion, Value, accept, answer, compile, fault, reads, sources, syntax};

use places::Places;

/// Nobody's package, and its one rule.
const PACKAGE: &str = "plimsoll_query__";
const HEADER: &str = "package plimsoll_query__\n\n";
const RULE: &str = "plimsoll_answer__";
/// What messages call it.
const NAME: &str = "query";
/// Lines before the query's first.
const ABOVE: u32 = 3;

/// A query that may be evaluated.
#[derive(Debug)]
pub struct Query {
    program: Arc<Program>,
    text: String,
    /// A module that is asked with the others, if the query runs as a rule of its own.
    module: Option<String>,
    stack: Stack,
    reads: Vec<Vec<String>>,
    places: Places,
}

/// A query that may not.
#[derive(Debug)]
pub enum Refused {
    /// It is not Rego.
    Parse(Vec<Diagnostic>),
    /// It is Rego that means nothing beside the modules.
    Compile(Vec<Diagnostic>),
}

/// The modules of a program, parsed for the first query beside it and kept for the others.
#[derive(Debug, Default)]
pub struct Beside(OnceLock<Result<Vec<ParsedModule>, Vec<Diagnostic>>>);

impl Beside {
    /// Compiles a query beside a program; `modules` are the program's, and asked for once.
    pub fn query(&self, program: &Arc<Program>, modules: impl FnOnce() -> Vec<Module>, text: &str) -> Result<Query, Refused> {
        let others = self.0.get_or_init(|| parsed(program, &modules()));
        Query::beside(program, others.as_deref().map_err(|errors| Refused::Compile(errors.clone()))?, text)
    }
}

impl Query {
    /// Compiles a query beside a program, whose modules these are.
    pub fn compile(program: &Arc<Program>, modules: &[Module], text: &str) -> Result<Self, Refused> {
        Beside::default().query(program, || modules.to_vec(), text)
    }

    fn beside(program: &Arc<Program>, others: &[ParsedModule], text: &str) -> Result<Self, Refused> {
        compiling::timed(text.len(), || Self::beside_in_time(program, others, text))
    }

    fn beside_in_time(program: &Arc<Program>, others: &[ParsedModule], text: &str) -> Result<Self, Refused> {
        let probe = parse_as(format!("{HEADER}{RULE} if {{\n{text}\n}}\n")).map_err(|error| Refused::Parse(vec![error]))?;
        let astray = parse::unbalanced(text);
        if astray.is_some() || probe.ast.policy.len() != 1 {
            let message = "the query is not closed in itself: a bracket too many or too few";
            let above = HEADER.len().saturating_add(RULE.len()).saturating_add(" if {\n".len());
            let at = above.saturating_add(astray.unwrap_or_default());
            let error = probe.diagnostic("rego_parse_error", message, u32::try_from(at).unwrap_or_default());
            return Err(Refused::Parse(vec![shifted(error)]));
        }
        let row: Vec<_> = accept::variables(&probe).into_iter().map(|name| format!("\"{name}\": {name}")).collect();
        let asked = |body: &str| parse_as(format!("{HEADER}{RULE} := [{{{}}} |\n{body}\n]\n", row.join(", ")));
        let query = asked(text).map_err(|error| Refused::Parse(vec![error]))?;
        let plain = beside(others, &query).map_err(Refused::Compile)?;
        let own = replacing(program, others, &query, &plain).map_err(Refused::Compile)?;
        let program = own.as_ref().unwrap_or(program);
        let start = HEADER.len().saturating_add(RULE.len()).saturating_add(" if {\n".len());
        let running = |mut splices: Splices| {
            splices.append(whole::spelled(&probe, start, text, program));
            let captured = splices.apply(text);
            asked(&captured.text).ok().map(|query| (query, captured))
        };
        // What is spelled calls functions that no policy may call: it is not asked whether it is accepted.
        let capture = |calls| {
            let query = asked(&captured(&probe, calls)?.apply(text).text).ok()?;
            Some((beside(others, &query).ok()?, running(captured(&probe, calls)?)?))
        };
        // Calls with a place for their result are statements that cannot be captured.
        let found = capture(true).or_else(|| capture(false)).or_else(|| Some((plain, running(Splices::default())?)));
        let not_run = || Refused::Compile(vec![refusal(&query, "this query cannot be evaluated".to_owned())]);
        let (all, (query, captured)) = found.ok_or_else(not_run)?;
        let stack = Stack::of(std::slice::from_ref(&query)).map_err(Refused::Compile)?.and(program.stack);
        let running = Running::of(&query, program);
        let Running { text, module, own } = running.map_err(|message| Refused::Compile(vec![refusal(&query, message)]))?;
        let (reads, places) = (reads::of(&all, &Definitions::of(&all)), Places::beside(own, captured, module.is_some()));
        Ok(Self { program: program.clone(), text, module, stack, reads, places })
    }

    /// The `data` paths that the query and the program may read.
    pub fn reads(&self) -> &[Vec<String>] {
        &self.reads
    }

    /// The variables' values for each way in which the query holds, as objects, in the order of evaluation.
    pub fn evaluate(&self, data: Value, input: Option<&Value>, limits: &Limits) -> Result<Vec<serde_json::Value>, EvalError> {
        self.rows(&self.bind(data)?, input, limits)
    }

    /// An interpreter that holds the data: made once, asked often.
    fn bind(&self, data: Value) -> Result<Interpreter, EvalError> {
        let mut asking = self.program.whole.asking(self.module.as_ref().unwrap_or(&self.text));
        let asking = || {
            self.module.as_ref().map_or(Ok(()), |module| asking.add(places::ASKED, module, true))?;
            asking.with_data(data.0)
        };
        guard(NAME, self.stack, || asking().map_err(|e| self.program.fault(NAME, &e)))
    }

    fn rows(&self, bound: &Interpreter, input: Option<&Value>, limits: &Limits) -> Result<Vec<serde_json::Value>, EvalError> {
        self.printing(bound, input, limits, &mut Vec::new())
    }

    /// The rows, and what was printed on the way to them, also to an error.
    fn printing(
        &self,
        bound: &Interpreter,
        input: Option<&Value>,
        limits: &Limits,
        prints: &mut Vec<String>,
    ) -> Result<Vec<serde_json::Value>, EvalError> {
        guard(NAME, self.stack, || {
            let (value, printed) = self.program.printing(bound, &self.text, input.map(|input| input.0.clone()), limits);
            *prints = printed;
            let typed = |place: &Location| self.places.typed(self.program.sources.original(place));
            let value = value.map_err(|error| fault::evaluation(NAME, &error, &typed))?;
            let rows = value.map(|value| answer::encode(&value, limits.output)).transpose();
            match rows.map_err(|e| fault::answer(NAME, &e))?.flatten() {
                Some(serde_json::Value::Array(rows)) => Ok(rows),
                _ => Ok(Vec::new()),
            }
        })
    }
}

/// The program, compiled for a query that replaces more of what it reads than its modules do.
fn replacing(
    program: &Program,
    others: &[ParsedModule],
    query: &ParsedModule,
    all: &[ParsedModule],
) -> Result<Option<Arc<Program>>, Vec<Diagnostic>> {
    let reads = || reads::of(all, &Definitions::of(all));
    let misses = program.packages.miss(query, reads);
    misses.then(|| compile::beside(others, query).map(Arc::new)).transpose()
}

fn parse_as(text: String) -> Result<ParsedModule, Diagnostic> {
    // The parser names the place of an error after the key.
    let module = Module { key: NAME.into(), text };
    match parse::parse(&module, RegoVersion::V1) {
        Ok(parsed) => Ok(parsed.called("")),
        Err(error) => Err(within(shifted(error), &module.text)),
    }
}

/// An error of the parser within the query: what it misses after the last line is missed at the last character, as in OPA.
fn within(mut error: Diagnostic, text: &str) -> Diagnostic {
    let above = usize::try_from(ABOVE).unwrap_or_default();
    let all: Vec<&str> = text.lines().skip(above).collect();
    let lines = all.get(..all.len().saturating_sub(1)).unwrap_or_default();
    let last = lines.iter().rposition(|line| !line.trim().is_empty()).unwrap_or_default();
    let line = |at: usize| lines.get(at).copied().unwrap_or_default();
    let end = |at: usize| line(at).trim_end().chars().count().max(1);
    let row = usize::try_from(error.location.row).unwrap_or_default().saturating_sub(1);
    let (row, col) = match row > last {
        true => (last, end(last)),
        false => (row, usize::try_from(error.location.col).unwrap_or_default().min(end(row))),
    };
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    error.location = Location { file: String::new(), row: place(row.saturating_add(1)), col: place(col) };
    error.details = std::iter::once(line(row).to_owned()).chain(error.details.into_iter().skip(1)).collect();
    error
}

/// The query as an assignment, if it is one condition without variables: as in OPA, such a query holds unless it is undefined,
/// even when it is false. Source: OPA `v1/rego/rego.go`, `rewriteQueryToCaptureValue`.
fn captured(probe: &ParsedModule, calls: bool) -> Option<Splices> {
    let Some(Rule::Spec { bodies, .. }) = probe.ast.policy.first().map(|rule| rule.as_ref()) else { return None };
    let statements = &bodies.first()?.query.stmts;
    if statements.len() != 1 || !accept::is_ground(probe) {
        return None;
    }
    // The parser leaves the quote of a string out.
    let opened =
        |at: u32| at.saturating_sub(u32::from(syntax::opened(at, &probe.text) != usize::try_from(at).unwrap_or_default()));
    let starts = statements.iter().filter_map(|statement| match &statement.literal {
        Literal::Expr { expr, .. } => match expr.as_ref() {
            Expr::AssignExpr { .. } => None,
            Expr::Call { .. } if !calls => None,
            _ => probe.offset(opened(statement.span.start)).checked_sub(probe.text.find('{')?.checked_add(2)?),
        },
        _ => None,
    });
    let mut starts: Vec<_> = starts.collect();
    starts.sort_unstable();
    let mut captured = Splices::default();
    for (number, start) in starts.iter().enumerate() {
        captured.insert(*start, *start, format!("plimsoll_value_{number}__ := "));
    }
    (!starts.is_empty()).then_some(captured)
}

/// The modules, which were accepted before.
fn parsed(program: &Program, modules: &[Module]) -> Result<Vec<ParsedModule>, Vec<Diagnostic>> {
    let versions = program.versions();
    let version = |key: &str| match versions.get(key).map(String::as_str) {
        Some("v0") => RegoVersion::V0,
        _ => RegoVersion::V1,
    };
    modules.iter().map(|module| parse::parse(module, version(&module.key)).map_err(|error| vec![error])).collect()
}

/// Accepts the query beside the modules; all of them, and the query last.
fn beside(modules: &[ParsedModule], query: &ParsedModule) -> Result<Vec<ParsedModule>, Vec<Diagnostic>> {
    let all: Vec<_> = modules.iter().chain([query]).cloned().collect();
    // The modules were accepted, and no rule can read what only the query's own rule defines.
    let errors: Vec<_> = accept::check(&all).into_iter().filter(|error| error.code != "rego_recursion_error").collect();
    if errors.is_empty() { Ok(all) } else { Err(errors.into_iter().map(shifted).collect()) }
}

/// How a query runs.
struct Running {
    /// What is asked.
    text: String,
    /// The module that must be there for it.
    module: Option<String>,
    own: Source,
}

impl Running {
    /// As a comprehension; as the rule whose value is one, if it reads what is evaluated inside rules only.
    fn of(query: &ParsedModule, program: &Program) -> Result<Self, String> {
        let own = sources::source(query, &program.packages).map_err(|error| error.to_string())?;
        if own.text().contains(WHOLE) {
            let (text, module) = (syntax::write(&["data", PACKAGE, RULE].map(str::to_owned)), Some(own.text().to_owned()));
            return Ok(Self { text, module, own });
        }
        let rule = own.text().split_once(&format!("{RULE} := ")).map(|(_, comprehension)| comprehension.to_owned());
        rule.map(|text| Self { text, module: None, own }).ok_or_else(|| "this query cannot be evaluated".to_owned())
    }
}

fn refusal(query: &ParsedModule, message: String) -> Diagnostic {
    shifted(query.diagnostic("rego_compile_error", message, 0))
}

/// In the lines of the query.
fn shifted(mut error: Diagnostic) -> Diagnostic {
    if error.location.row <= ABOVE {
        // Found where the query begins; the line is none of the query's.
        error.location.col = 1;
        error.details.clear();
    }
    error.location.row = error.location.row.saturating_sub(ABOVE).max(1);
    error
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    fn program() -> (Arc<Program>, Vec<Module>) {
        let text = "package app\n\nf(x) := x + 1\n\nlist := [3, 1]\n\nown[name] := data.base[name]\n\nall := data.base\n";
        let modules = vec![Module { key: "app.rego".into(), text: text.into() }];
        (Arc::new(Program::compile(&modules, RegoVersion::Auto).unwrap()), modules)
    }

    fn ask(text: &str, input: Json) -> Result<Vec<Json>, String> {
        let (program, modules) = program();
        let query = Query::compile(&program, &modules, text).map_err(|refused| format!("{refused:?}"))?;
        let data = Value::from(json!({"base": {"a": 1, "b": [2, 2]}}));
        query.evaluate(data, Some(&Value::from(input)), &Limits::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn each_way_in_which_it_holds_is_a_row() {
        let table = [
            ("true", json!([{}])),
            ("false", json!([{}])),
            ("1 > 2", json!([{}])),
            ("x = 1; x > 2", json!([])),
            ("data.app.list[_] > 5", json!([])),
            ("not true", json!([])),
            ("startswith(\"a\", \"b\")", json!([{}])),
            ("data.app.nothing", json!([])),
            ("2 in data.app.list", json!([{}])),
            ("x = 1", json!([{"x": 1}])),
            ("x := 1; y = x + 1", json!([{"x": 1, "y": 2}])),
            ("data.app.list[_] = x", json!([{"x": 3}, {"x": 1}])),
            ("data.app.list[i]", json!([{"i": 0}, {"i": 1}])),
            ("some i\ndata.base.b[i] = 2", json!([{"i": 0}, {"i": 1}])),
            ("some k, v in data.base", json!([{"k": "a", "v": 1}, {"k": "b", "v": [2, 2]}])),
            ("data.base.b[_] = x", json!([{"x": 2}, {"x": 2}])),
            ("y = [z | z = data.base.b[_]]", json!([{"y": [2, 2]}])),
            ("every v in data.app.list { v > 0 }", json!([{}])),
            ("data.app.f(1, x)", json!([{"x": 2}])),
            ("x = input.user # comment", json!([{"x": "ann"}])),
            ("not data.app.nothing", json!([{}])),
            ("a = 1; b = 2; a = b", json!([])),
            ("x = data.app.own.a", json!([{"x": 1}])),
            ("data[x].list", json!([{"x": "app"}])),
            ("x = data.base with data.base as 7", json!([{"x": 7}])),
        ];
        for (query, expected) in table {
            assert_eq!(ask(query, json!({"user": "ann"})).map(Json::from), Ok(expected), "{query}");
        }
    }

    #[test]
    fn what_is_no_query_is_refused_with_its_place() {
        let table = [
            ("", "Parse"),
            ("x :=", "Parse"),
            ("true }\n\nother if { true", "Parse"),
            ("x] ; y := [1", "Parse"),
            ("x", "var x is unsafe"),
            ("nosuch(1)", "Compile"),
            ("http.send({}, x)", "Compile"),
        ];
        for (query, expected) in table {
            let refused = ask(query, Json::Null).unwrap_err();
            assert!(refused.contains(expected), "{query}: {refused}");
        }
        let places = [
            ("y = 1\nx", "row: 2, col: 1"),
            ("x :=", "row: 1, col: 3"),
            ("x = 1\ny :=", "row: 2, col: 4"),
            ("x = 1; y = ^", "row: 1, col: 12"),
            ("true)", "row: 1, col: 5"),
            ("1+", "row: 1, col: 2"),
            ("x := 1\ny := {", "row: 2, col: 6"),
            ("1 + ) + 2", "row: 1, col: 5"),
        ];
        for (query, place) in places {
            let refused = ask(query, Json::Null).unwrap_err();
            assert!(refused.contains(place), "{query}: {refused}");
        }
    }

    #[test]
    fn process_killers_are_refused_or_cut_off() {
        assert!(ask(&format!("x = {}1{}", "[".repeat(9_000), "]".repeat(9_000)), Json::Null).is_err());
        let refused = ask("x = numbers.range(1, 1000000000000)", Json::Null).unwrap_err();
        assert!(refused.contains("numbers.range"), "{refused}");
    }
}
