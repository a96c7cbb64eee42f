//! What `opa eval` of OPA 1.22 answers to queries of the policies and data in `query/set`: `query/cases.jsonl`, one query in each line,
//! recorded by `tools/query`. Rows, their order, places, errors and what is printed must be the same.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod query {
    mod asked;
    mod bounds;

    use std::path::PathBuf;
    use std::sync::Arc;

    use parking_lot::Mutex;
    use plimsoll_rego::compile::Options;
    use plimsoll_rego::error::{Code, Error};
    use plimsoll_rego::eval::EvalError;
    use plimsoll_rego::program::{Asked, Program, Query, QueryRefused, Request, Row, Text};
    use plimsoll_rego::syntax::source::Sources;
    use plimsoll_rego::syntax::span::Span;
    use plimsoll_rego::syntax::tree::Version;
    use plimsoll_rego::trace::{Event, Tracer};
    use plimsoll_rego::value::{Value, json};
    use serde::Deserialize;
    use serde_json::value::RawValue;
    use serde_json::{Value as Json, json};

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Case {
        query: String,
        package: Option<String>,
        #[serde(default)]
        imports: Vec<String>,
        // `null` is an input, too.
        #[serde(default, deserialize_with = "some")]
        input: Option<Box<RawValue>>,
        #[serde(default)]
        v0: bool,
        #[serde(default)]
        strict: bool,
        answer: Box<RawValue>,
        #[serde(default)]
        printed: Vec<String>,
    }

    fn some<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Option<Box<RawValue>>, D::Error> {
        Box::deserialize(input).map(Some)
    }

    fn folder() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/query")
    }

    fn file(name: &str) -> String {
        std::fs::read_to_string(folder().join(name)).unwrap()
    }

    fn program(names: &[&str]) -> Arc<Program> {
        let text = |name: &&str| Text { name: (*name).to_owned(), text: file(name), version: Some(Version::V1) };
        let texts: Vec<_> = names.iter().map(text).collect();
        let options = Options { prints: true, ..Options::default() };
        Arc::new(Program::compile(&texts, &options).map_err(|refused| refused.errors).unwrap())
    }

    #[test]
    fn queries_answer_as_in_opa() {
        let set = program(&["set/app.rego", "set/other.rego"]);
        // An old query is asked of data alone: the set is written in v1.
        let nothing = program(&[]);
        let data = json::read(file("set/data.json").as_bytes(), 128).unwrap();
        let text = file("cases.jsonl");
        let cases: Vec<Case> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(cases.len() > 460, "{} cases", cases.len());
        let wrong = cases.iter().filter_map(|case| case.differs(if case.v0 { &nothing } else { &set }, &data));
        let wrong: Vec<_> = wrong.collect();
        assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    }

    impl Case {
        fn differs(&self, program: &Arc<Program>, data: &Value) -> Option<String> {
            let printed = Arc::new(Mutex::new(Vec::new()));
            let ours = self.answer(program, data, &printed);
            // What does not read something answers the same without it, and so does what is traced.
            let reduced = self.reduced(program, data);
            let traced = self.traced(program, data);
            let wanted = unescaped(self.answer.get());
            let ours = ours.map(|rows| unescaped(&rows));
            let [reduced, traced] = [reduced, traced].map(|rows| rows.map(|rows| unescaped(&rows)));
            let same = match &ours {
                Ok(rows) => *rows == wanted,
                Err(errors) => same_errors(errors, &serde_json::from_str(&wanted).unwrap()),
            };
            let printed = std::mem::take(&mut *printed.lock());
            let same = same && traced.as_ref() == ours.as_ref().ok();
            let same = same && reduced.as_ref().is_none_or(|reduced| Ok(reduced) == ours.as_ref()) && printed == self.printed;
            let Self { query, package, imports, .. } = self;
            (!same).then(|| {
                format!("== {query} {package:?} {imports:?}\n opa:  {wanted} {:?}\n ours: {ours:?} {printed:?}\n with what it reads: {reduced:?}\n traced: {traced:?}", self.printed)
            })
        }

        fn asked(&self) -> Asked {
            let version = if self.v0 { Version::V0 } else { Version::V1 };
            let (package, imports) = (self.package.clone(), self.imports.clone());
            Asked { package, imports, version, ..Asked::new(&*self.query) }
        }

        fn input(&self) -> Option<Value> {
            self.input.as_ref().map(|input| json::read(input.get().as_bytes(), 128).unwrap())
        }

        fn answer(&self, program: &Arc<Program>, data: &Value, printed: &Arc<Mutex<Vec<String>>>) -> Result<String, Vec<Json>> {
            let query = match Query::compile(program, &self.asked()) {
                Ok(query) => query,
                Err(QueryRefused::Parse(refused) | QueryRefused::Compile(refused)) => {
                    return Err(refused.errors.iter().map(|found| error(&refused.sources, found)).collect());
                }
            };
            let heard = Arc::clone(printed);
            let hear = move |_: Span, text: String| heard.lock().push(text);
            let (input, runtime) = (self.input(), json::read(br#"{"version": "1.22.0"}"#, 8).unwrap());
            let request = Request { input: input.as_ref(), runtime: Some(&runtime), now_ns: 1, ..Request::default() };
            let request = Request { strict_builtin_errors: self.strict, print: Some(Arc::new(Mutex::new(hear))), ..request };
            let rows = query.evaluate(data, &request);
            let failed = |error| {
                let stack = serde_json::to_value(query.stack(data, &request, &error)).unwrap();
                vec![failure(query.sources(), &error, stack)]
            };
            Ok(shown(&rows.map_err(failed)?))
        }

        /// The answer when every step is told, unless it fails.
        fn traced(&self, program: &Arc<Program>, data: &Value) -> Option<String> {
            struct Count(usize);
            impl Tracer for Count {
                fn hear(&mut self, _: &Event<'_>) -> usize {
                    self.0 += 1;
                    0
                }
            }
            let query = Query::compile(program, &self.asked()).ok()?;
            let (input, runtime) = (self.input(), json::read(br#"{"version": "1.22.0"}"#, 8).unwrap());
            let request = Request { input: input.as_ref(), runtime: Some(&runtime), now_ns: 1, ..Request::default() };
            let request = Request { strict_builtin_errors: self.strict, ..request };
            let mut count = Count(0);
            let rows = query.trace(data, &request, &mut count).ok()?;
            assert!(count.0 > rows.len(), "{}", self.query);
            Some(shown(&rows))
        }

        /// The answer without all that the query does not read.
        fn reduced(&self, program: &Arc<Program>, data: &Value) -> Option<String> {
            let query = Query::compile(program, &self.asked()).ok()?;
            let (data, input) = (reduced(data, &query.data_paths()), self.input());
            let runtime = json::read(br#"{"version": "1.22.0"}"#, 8).unwrap();
            let request = Request { input: input.as_ref(), runtime: Some(&runtime), now_ns: 1, ..Request::default() };
            let request = Request { strict_builtin_errors: self.strict, ..request };
            Some(shown(&query.evaluate(&data, &request).ok()?))
        }
    }

    /// The members of `data` at these paths, and nothing beside them.
    fn reduced(data: &Value, paths: &[Vec<String>]) -> Value {
        if paths.iter().any(Vec::is_empty) {
            return data.clone();
        }
        let Some(members) = data.as_object() else { return data.clone() };
        let kept = members.iter().filter_map(|(name, value)| {
            let below = paths.iter().filter(|path| Value::from(path[0].as_str()) == *name);
            let below: Vec<_> = below.map(|path| path[1..].to_vec()).collect();
            (!below.is_empty()).then(|| (name.clone(), reduced(value, &below)))
        });
        Value::object(kept)
    }

    /// As Go's encoder leaves it, if it escapes nothing for HTML.
    fn unescaped(text: &str) -> String {
        text.replace("\\u003c", "<").replace("\\u003e", ">").replace("\\u0026", "&")
    }

    fn shown(rows: &[Row]) -> String {
        let text = |text: &str| serde_json::to_string(text).unwrap();
        let value = |value: &Value| json::write(value, usize::MAX).unwrap();
        let row = |row: &Row| {
            let expressions = row.expressions.iter().map(|expression| {
                let (row, col) = (expression.location.row, expression.location.col);
                let (value, text) = (value(&expression.value), text(&expression.text));
                format!(r#"{{"value":{value},"text":{text},"location":{{"row":{row},"col":{col}}}}}"#)
            });
            let expressions = expressions.collect::<Vec<_>>().join(",");
            let bindings: Vec<_> = row.bindings.iter().map(|(name, bound)| format!("{}:{}", text(name), value(bound))).collect();
            match bindings.is_empty() {
                true => format!(r#"{{"expressions":[{expressions}]}}"#),
                false => format!(r#"{{"expressions":[{expressions}],"bindings":{{{}}}}}"#, bindings.join(",")),
            }
        };
        let rows: Vec<_> = rows.iter().map(row).collect();
        if rows.is_empty() { "{}".to_owned() } else { format!(r#"{{"result":[{}]}}"#, rows.join(",")) }
    }

    fn error(sources: &Sources, error: &Error) -> Json {
        let details = match (error.code(), error.details()) {
            (Code::Parse, [line, mark]) => json!({"line": line, "idx": mark.len() - 1}),
            _ => Json::Null,
        };
        let location = location(sources, error.span());
        json!({"message": error.message(), "code": error.code().as_str(), "location": location, "details": details})
    }

    fn failure(sources: &Sources, error: &EvalError, stack: Json) -> Json {
        let location = error.span.map(|span| location(sources, span));
        json!({"message": error.message, "code": error.code.as_str(), "location": location, "stack_trace": stack})
    }

    fn location(sources: &Sources, span: Span) -> Json {
        let source = sources.get(span.source).unwrap();
        let at = source.position(span.start);
        json!({"file": source.name.as_str(), "row": at.row, "col": at.col})
    }

    /// Whether OPA says what is said here; it gives some errors of reading and compiling no code and no place.
    /// Unsafe variables of one expression come in no order.
    fn same_errors(ours: &[Json], wanted: &Json) -> bool {
        let wanted: &[Json] = wanted["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        let same = |(ours, wanted): (&Json, &Json)| {
            let is_of_evaluation = wanted["code"].as_str().is_some_and(|code| code.starts_with("eval_"));
            let unsaid = |field: &str| wanted[field].is_null() && !is_of_evaluation;
            let fields = ["code", "location"].iter().all(|field| unsaid(field) || wanted[field] == ours[field]);
            let fields = fields && wanted["stack_trace"] == ours["stack_trace"];
            let is_parse_error = wanted["code"] == "rego_parse_error";
            let details = !is_parse_error || untabbed(&wanted["details"]) == ours["details"];
            fields && details && wanted["message"] == ours["message"]
        };
        let sorted = |errors: &[Json]| {
            let mut errors = errors.to_vec();
            errors.sort_by_key(|error| {
                let place = &error["location"];
                (place["row"].as_u64(), place["col"].as_u64(), error["message"].to_string())
            });
            errors
        };
        ours.len() == wanted.len() && sorted(ours).iter().zip(&sorted(wanted)).all(same)
    }

    /// OPA shows lines without the tabs in front, here the same in JSON.
    fn untabbed(details: &Json) -> Json {
        let Some(line) = details["line"].as_str() else { return Json::Null };
        let tabs = line.len() - line.trim_start_matches('\t').len();
        let index = usize::try_from(details["idx"].as_u64().unwrap()).unwrap();
        json!({"line": line.trim_start_matches('\t'), "idx": index.saturating_sub(tabs)})
    }

    #[test]
    fn one_query_is_asked_by_many_threads() {
        let query = Query::compile(&program(&["set/app.rego", "set/other.rego"]), &Asked::new("x := data.app.f(input)")).unwrap();
        let data = Value::object([]);
        std::thread::scope(|scope| {
            for thread in 0..4_usize {
                let (query, data) = (&query, &data);
                scope.spawn(move || {
                    for round in 0..50 {
                        let input = Value::from(thread * 100 + round);
                        let rows = query.evaluate(data, &Request { input: Some(&input), ..Request::default() }).unwrap();
                        assert_eq!(rows[0].bindings, [("x".into(), Value::from(thread * 100 + round + 1))]);
                    }
                });
            }
        });
    }

    /// Tests run on threads of 2 MiB.
    #[test]
    fn what_nests_deep_is_asked_and_dropped_on_a_small_stack() {
        let program = program(&[]);
        for inner in ["1", "v", "{x | x := v}"] {
            let text = format!("v := input; x := {}{inner}{}", "[".repeat(5_000), "]".repeat(5_000));
            let input = Value::from("here");
            let query = Query::compile(&program, &Asked::new(&*text)).unwrap();
            assert!(query.reads().data.is_empty());
            let request = Request { input: Some(&input), ..Request::default() };
            let rows = query.evaluate(&Value::object([]), &request).unwrap();
            assert!(rows[0].bindings[1].1.depth() >= 5_000);
            let asked = Asked { package: Some("9".to_owned()), ..Asked::new(text) };
            assert!(matches!(Query::compile(&program, &asked), Err(QueryRefused::Parse(_))));
        }
    }

    #[test]
    fn rows_are_charged_for() {
        let program = program(&[]);
        let query = Query::compile(&program, &Asked::new("x := numbers.range(1, 1000)[_]; y := x")).unwrap();
        let ask = |memory| {
            let limits = plimsoll_rego::limits::Limits { memory, ..Default::default() };
            query.evaluate(&Value::object([]), &Request { limits, ..Request::default() })
        };
        assert_eq!(ask(u64::MAX).unwrap().len(), 1_000);
        assert!(ask(100_000).unwrap_err().halt.is_some());
    }
}
