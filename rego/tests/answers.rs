//! Small policies and what OPA 1.22 answers to each: the head of a file has the input, perhaps base documents (`data`), and the document
//! `data.s` or the error, perhaps with its place, and perhaps `strict`, when builtins that fail end in errors; `prints` has what `print`
//! says when somebody listens, `notes` what `trace` does, and `labels` what the rules are labelled with that were found to hold;
//! `indexed`, or `unindexed`, stands where definitions that are looked up, or are all tried, answer so alone, and `v0` where the policy is
//! in that version.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod answers {
    use std::path::Path;
    use std::sync::Arc;

    use parking_lot::Mutex;
    use plimsoll_rego::compile::Options;
    use plimsoll_rego::limits::Limits;
    use plimsoll_rego::program::{Asked, Program, Query, Request, Text};
    use plimsoll_rego::syntax::source::Sources;
    use plimsoll_rego::syntax::span::Span;
    use plimsoll_rego::syntax::tree::Version;
    use plimsoll_rego::trace::NoTracer;
    use plimsoll_rego::value::{Value, json};

    #[test]
    fn small_policies_answer_as_in_opa() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.display().to_string();
            let input = head(&text, "# input: ").unwrap();
            let wanted = head(&text, "# data.s: ").or_else(|| head(&text, "# error: ")).unwrap();
            let marked = |mark: &str| text.lines().any(|line| line == mark);
            let (indexed, unindexed) = (marked("# indexed"), marked("# unindexed"));
            for without_indices in [false, true].into_iter().filter(|without| if *without { !indexed } else { !unindexed }) {
                let (answer, place) = answer(&text, input, without_indices);
                assert_eq!(answer, wanted, "{name}, without indices: {without_indices}");
                assert_eq!(head(&text, "# place: ").unwrap_or(&place), place, "{name}");
                if !marked("# v0") {
                    assert_eq!(traced(&text, input), (answer, place), "{name}, traced");
                }
            }
            for (mark, notes) in [("# prints: ", false), ("# notes: ", true)] {
                if let Some(wanted) = head(&text, mark) {
                    assert_eq!(heard(&text, input, notes), wanted, "{name}");
                }
            }
            if let Some(wanted) = head(&text, "# labels: ") {
                assert_eq!(labels(&text, input), [wanted; 2], "{name}");
            }
            count += 1;
        }
        assert!(count > 5, "{count}");
    }

    fn head<'t>(text: &'t str, name: &str) -> Option<&'t str> {
        text.lines().find_map(|line| line.strip_prefix(name))
    }

    fn compiled(text: &str, options: &Options) -> Arc<Program> {
        let version = text.lines().any(|line| line == "# v0").then_some(Version::V0);
        let text = Text { name: "policy.rego".to_owned(), text: text.to_owned(), version };
        Arc::new(Program::compile(&[text], options).map_err(|refused| refused.errors).unwrap())
    }

    fn read(input: &str) -> Option<Value> {
        (input != "none").then(|| json::read(input.as_bytes(), 128).unwrap())
    }

    /// What is printed, or what is said with `trace(…)`, as JSON.
    fn heard(text: &str, input: &str, notes: bool) -> String {
        let program = compiled(text, &Options { prints: !notes, ..Options::default() });
        let (heard, input) = (Arc::new(Mutex::new(Vec::new())), read(input));
        let hears = Arc::clone(&heard);
        let hook = move |_: Span, text: String| hears.lock().push(Value::from(text));
        let mut request = Request { input: input.as_ref(), print: Some(Arc::new(Mutex::new(hook))), ..Request::default() };
        if notes {
            request.note = request.print.take();
        }
        program.bind(Value::object([])).document(&["s".into()], &request).unwrap();
        let heard = Value::array(heard.lock().drain(..));
        json::write(&heard, usize::MAX).unwrap()
    }

    /// Labels as JSON, of an evaluation where nothing is kept, and of one where documents are that depend on base documents alone.
    fn labels(text: &str, input: &str) -> [String; 2] {
        let (program, input) = (compiled(text, &Options::default()), read(input));
        let data = head(text, "# data: ").and_then(read).unwrap_or_else(|| Value::object([]));
        let [asked, unasked] = [true, false].map(|labels| Request { input: input.as_ref(), labels, ..Request::default() });
        let bound = program.bind(data);
        [bound.clone(), bound.prepared(Limits::default())].map(|bound| {
            assert!(bound.evaluate(&["s".into()], &unasked).unwrap().labels.is_empty());
            let found = bound.evaluate(&["s".into()], &asked).unwrap();
            json::write(&Value::array(found.labels), usize::MAX).unwrap()
        })
    }

    /// The document or the error as JSON, and the place of the error.
    fn answer(text: &str, input: &str, without_indices: bool) -> (String, String) {
        let strict_builtin_errors = text.lines().any(|line| line == "# strict");
        let (program, input) = (compiled(text, &Options::default()), read(input));
        let request = Request { input: input.as_ref(), without_indices, strict_builtin_errors, ..Request::default() };
        let data = head(text, "# data: ").and_then(read).unwrap_or_else(|| Value::object([]));
        let (answer, span) = match program.bind(data).document(&["s".into()], &request) {
            Ok(answer) => (answer.unwrap(), None),
            Err(error) => (Value::from(error.to_string()), error.span),
        };
        (json::write(&answer, usize::MAX).unwrap(), place(program.sources(), span))
    }

    fn place(sources: &Sources, span: Option<Span>) -> String {
        span.map_or_else(String::new, |span| {
            let at = sources.get(span.source).unwrap().position(span.start);
            format!("{}:{}", at.row, at.col)
        })
    }

    /// The same of an evaluation that is traced.
    fn traced(text: &str, input: &str) -> (String, String) {
        let strict_builtin_errors = text.lines().any(|line| line == "# strict");
        let (program, input) = (compiled(text, &Options::default()), read(input));
        let query = Query::compile(&program, &Asked::new("data.s")).unwrap();
        let request = Request { input: input.as_ref(), strict_builtin_errors, ..Request::default() };
        let data = head(text, "# data: ").and_then(read).unwrap_or_else(|| Value::object([]));
        let (answer, span) = match query.trace(&data, &request, &mut NoTracer) {
            Ok(rows) => (rows[0].expressions[0].value.clone(), None),
            Err(error) => (Value::from(error.to_string()), error.span),
        };
        (json::write(&answer, usize::MAX).unwrap(), place(query.sources(), span))
    }
}
