//! `io.jwt.decode(token, [header, payload, _])` is `[header, payload, _] = io.jwt.decode(token)`: any call may name what takes
//! its output behind its operands. The interpreter knows that of its own functions and of those of the policy, not of ours.

use std::collections::BTreeSet;
use std::ops::Range;

use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Tree};

use super::negation::global;
use super::operators;
use crate::rego::builtins;
use crate::rego::splice::{Spliced, Splices};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

/// Writes out the outputs of calls of our functions; nothing if there are none.
pub(super) fn name(text: &str, tree: &Tree, rules: &BTreeSet<String>) -> Option<Spliced> {
    let mut outputs = Outputs { text, global: global(tree, rules), splices: Splices::default(), found: false };
    tree.policy.iter().for_each(|rule| walk::rule(rule, &mut outputs));
    outputs.found.then(|| outputs.splices.apply(text))
}

struct Outputs<'t> {
    text: &'t str,
    global: BTreeSet<String>,
    splices: Splices,
    found: bool,
}

impl Visitor for Outputs<'_> {
    fn expr(&mut self, _: &Expr) -> bool {
        true
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        if let Literal::Expr { expr, .. } | Literal::NotExpr { expr, .. } = &stmt.literal {
            self.call(expr);
        }
    }
}

/// Of a function of ours, or an operator called by name.
fn operands(name: &str) -> Option<usize> {
    builtins::operands(name).or_else(|| operators::operands(name))
}

impl Outputs<'_> {
    fn call(&mut self, expr: &Expr) -> Option<()> {
        let Expr::Call { fcn, params, .. } = expr else { return None };
        let path = syntax::path(fcn)?;
        if self.global.contains(path.names.first()?) || operands(&path.names.join("."))?.checked_add(1)? != params.len() {
            return None;
        }
        let (start, name_end) = (usize::try_from(fcn.span().start).ok()?, usize::try_from(syntax::end(fcn, self.text)).ok()?);
        let Last { comma, output, close } = last(self.text, name_end)?;
        let output = self.text.get(output)?.trim();
        // What is split over lines with comments between would need more than one line; nobody writes that.
        if output.is_empty() || output.contains('#') {
            return None;
        }
        // A call inside the output is rewritten by nobody: functions of ours have no output there.
        let root = fcn_start(self.text, start, &path.names)?;
        self.splices.insert(root, root, format!("{output} = "));
        self.splices.insert(comma, close, String::new());
        self.found = true;
        Some(())
    }
}

/// Where the name of a function begins; the span of a reference is that of its last dot.
fn fcn_start(text: &str, within: usize, names: &[String]) -> Option<usize> {
    let name = names.join(".");
    let before = text.get(..within)?;
    match text.get(within..)?.starts_with(&name) {
        true => Some(within),
        false => before.rfind(names.first()?.as_str()).filter(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(&name))),
    }
}

/// The comma before the last operand of a call, the operand, and the closing parenthesis; a comma may be behind the operand.
struct Last {
    comma: usize,
    output: Range<usize>,
    close: usize,
}

/// Looks for them from the end of the function's name on; strings and comments are passed over.
fn last(text: &str, from: usize) -> Option<Last> {
    let (mut depth, mut commas, mut skip) = (0_u32, (None, None), None);
    let mut escaped = false;
    for (at, c) in text.get(from..)?.char_indices() {
        match (skip, c) {
            (Some('"'), _) if escaped => escaped = false,
            (Some('"'), '\\') => escaped = true,
            (Some(end), c) if end == c => skip = None,
            (Some(_), _) => {}
            (None, '"' | '`') => skip = Some(c),
            (None, '#') => skip = Some('\n'),
            (None, '(' | '[' | '{') => depth = depth.saturating_add(1),
            (None, ')') if depth == 1 => return last_operand(text, commas, from.checked_add(at)?),
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            (None, ',') if depth == 1 => commas = (commas.1, from.checked_add(at)),
            (None, _) => {}
        }
    }
    None
}

/// The last two commas say which operand is the last.
fn last_operand(text: &str, commas: (Option<usize>, Option<usize>), close: usize) -> Option<Last> {
    let behind = |comma: usize| comma.checked_add(1);
    let last = commas.1?;
    if text.get(behind(last)?..close)?.trim().is_empty() {
        let comma = commas.0?;
        return Some(Last { comma, output: behind(comma)?..last, close });
    }
    Some(Last { comma: last, output: behind(last)?..close, close })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value as Json, json};

    use crate::rego::{Limits, Module, Program, RegoVersion, Value};

    #[test]
    fn outputs_take_what_a_call_gives() {
        for (body, expected) in [
            ("strings.split_n(\"a.b.c\", \".\", 2, x)", Some(json!(["a", "b"]))),
            ("strings.split_n(\"a.b.c\", \".\", 2, [_, x])", Some(json!("b"))),
            ("strings.split_n(\"a,(b\\\"\", \",\", 2, [x, _]) # (,", Some(json!("a"))),
            ("x := 1; strings.split_n(\"a.b\", \".\", 1, [\"a\"])", Some(json!(1))),
            ("x := 1; strings.split_n(\"a.b\", \".\", 1, [\"b\"])", None),
            ("x := 1; not strings.split_n(\"a.b\", \".\", 1, [\"b\"])", Some(json!(1))),
            ("x := [y | strings.split_n(\"a.b\", \".\", 2, ys); y := ys[_]]", Some(json!(["a", "b"]))),
            ("strings.split_n(\n\t\t\"a.b\",\n\t\t\".\",\n\t\t2,\n\t\tx\n\t)", Some(json!(["a", "b"]))),
            ("strings.split_n(\n\t\t\"a.b\",\n\t\t\".\",\n\t\t2,\n\t\tx,\n\t)", Some(json!(["a", "b"]))),
        ] {
            assert_eq!(answer(body), expected, "{body}");
        }
    }

    /// The document `data.n.r`.
    fn answer(body: &str) -> Option<Json> {
        let module = Module { key: "n.rego".into(), text: format!("package n\n\nr := x if {{\n\t{body}\n}}\n") };
        let program = Arc::new(Program::compile(&[module], RegoVersion::V1).unwrap());
        let prepared = program.prepare(Value::object([])).unwrap();
        prepared.document(&["n".into(), "r".into()], None, &Limits::default()).unwrap()
    }
}
