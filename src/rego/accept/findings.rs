//! `json.match_schema` finds the same documents to match as OPA's, but has other findings to show: the words of OPA's JSON schema
//! library (`internal/gojsonschema` of its sources) are not ours. So it is refused wherever its second member could be seen.

use regorus::Value;

use super::functions;
use super::names::Names;
use super::report::Report;
use super::rule::{Rule, Unit};
use super::term::{ASSIGN, Body, Call, Expr, ExprKind, Kind, Operator, Term, UNIFY};
use super::walk::{self, Go};

const MATCH: &str = "json.match_schema";
const MESSAGE: &str = "the findings of json.match_schema are not OPA's: write `[ok, _] := json.match_schema(…)`";

/// Reports calls whose findings can be seen. Nested calls must not have been taken apart yet.
pub(super) fn check(units: &[Unit], names: &Names, report: &mut Report<'_>) {
    for rule in units.iter().flat_map(|unit| &unit.rules).flat_map(Rule::chain) {
        let mut seen = Seen { names, places: Vec::new() };
        seen.body(&rule.body);
        rule.path.iter().chain(&rule.args).chain([rule.head.term()]).for_each(|term| seen.term(term));
        for at in seen.places {
            report.error(rule.module, at, "rego_type_error", MESSAGE);
        }
    }
}

struct Seen<'n> {
    names: &'n Names,
    /// Where findings can be seen.
    places: Vec<u32>,
}

impl Seen<'_> {
    fn body(&mut self, body: &Body) {
        body.iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &Expr) {
        for (target, value) in &expr.with {
            self.term(target);
            self.replacement(value);
        }
        match &expr.kind {
            ExprKind::Term(term) => self.term(term),
            ExprKind::Call(call) => self.statement(expr, call),
            ExprKind::Some(_) => {}
            ExprKind::SomeIn(some) => {
                some.key.iter().chain([&some.value, &some.collection]).for_each(|term| self.term(term));
            }
            ExprKind::Every(every) => {
                self.term(&every.domain);
                self.body(&every.body);
            }
        }
    }

    fn statement(&mut self, expr: &Expr, call: &Call) {
        match (expr.infix(UNIFY).or_else(|| expr.infix(ASSIGN)), call.operands.as_slice()) {
            (Some((pattern, value)), _) if self.is_blind(pattern) && self.is_matching(value) => self.inside(value),
            (Some((value, pattern)), _) if self.is_blind(pattern) && self.is_matching(value) => self.inside(value),
            (None, [_, _, output]) if self.is_match(&call.operator) && self.is_blind(output) => self.operands(call),
            (None, _) if self.is_match(&call.operator) => {
                self.places.push(expr.at);
                self.operands(call);
            }
            _ => self.operands(call),
        }
    }

    /// The operands of a call that may be made.
    fn inside(&mut self, call: &Term) {
        if let Kind::Call(call) = &call.kind {
            self.operands(call);
        }
    }

    fn operands(&mut self, call: &Call) {
        call.operands.iter().for_each(|operand| self.term(operand));
    }

    fn term(&mut self, term: &Term) {
        walk::visit(term, &mut |term| match &term.kind {
            Kind::Comprehension(compr) => {
                compr.terms.iter().for_each(|term| self.term(term));
                self.body(&compr.body);
                Go::Over
            }
            Kind::Ref(path) => match path.as_slice() {
                [head, first, ..] if is_first(first) && self.is_matching(head) => {
                    self.inside(head);
                    path.iter().skip(2).for_each(|step| self.term(step));
                    Go::Over
                }
                _ => Go::Deeper,
            },
            Kind::Call(call) if self.is_match(&call.operator) => {
                self.places.push(term.at);
                Go::Deeper
            }
            _ => Go::Deeper,
        });
    }

    /// Put in the place of another function, it is called where that one is.
    fn replacement(&mut self, value: &Term) {
        match &value.kind {
            Kind::Ref(path) if self.is_match(&Operator::Path(path.clone())) => {
                self.places.push(value.at);
            }
            _ => self.term(value),
        }
    }

    fn is_matching(&self, term: &Term) -> bool {
        matches!(&term.kind, Kind::Call(call) if self.is_match(&call.operator))
    }

    fn is_match(&self, operator: &Operator) -> bool {
        functions::builtin_name(operator, self.names).as_deref() == Some(MATCH)
    }

    /// Whether a pattern leaves the findings out: `[ok, _]` or `_`.
    fn is_blind(&self, pattern: &Term) -> bool {
        let is_wildcard = |term: &Term| term.as_var().is_some_and(|var| self.names.is_wildcard(var));
        match &pattern.kind {
            Kind::Array(items) => matches!(items.as_slice(), [_, findings] if is_wildcard(findings)),
            _ => is_wildcard(pattern),
        }
    }
}

fn is_first(step: &Term) -> bool {
    matches!(&step.kind, Kind::Scalar(index) if *index == Value::from(0_u64))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value as Json, json};

    use crate::rego::{Limits, Module, Program, RegoVersion, Value};

    const SCHEMA: &str = r#"{"type": "object"}"#;

    fn compiled(body: &str) -> Result<Program, String> {
        let text =
            format!("package n\n\nr := x if {{\n\t{}\n}}\n", body.replace("CALL", &format!("json.match_schema(input, {SCHEMA}")));
        let program = Program::compile(&[Module { key: "n.rego".into(), text }], RegoVersion::V1);
        program.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn whether_a_document_matches_can_be_asked() {
        for body in [
            "[x, _] := CALL)",
            "[x, _] = CALL)",
            "CALL) = [x, _]",
            "CALL, [x, _])",
            "x := CALL)[0]",
            "x := [y | [y, _] := CALL)][0]",
            "_ = CALL); x := input == {}",
            "some x in [CALL)[0]]",
            "x := input == {}; every y in [1] { [_, _] := CALL); y == 1 }",
        ] {
            let prepared = Arc::new(compiled(body).unwrap()).prepare(Value::object([])).unwrap();
            for (input, expected) in [(json!({}), json!(true)), (json!([]), json!(false))] {
                let answer = prepared.document(&["n".into(), "r".into()], Some(&Value::from(input)), &Limits::default());
                assert_eq!(answer.unwrap(), Some(expected), "{body}");
            }
        }
    }

    #[test]
    fn findings_cannot_be_seen() {
        for body in [
            "x := CALL)",
            "[_, x] := CALL)",
            "[x, y] := CALL); y == []",
            "[x] := [CALL)]",
            "CALL, [_, x])",
            "x := CALL)[1]",
            "x := CALL)[_]",
            "CALL); x := 1",
            "not CALL); x := 1",
            "x := count(CALL)[1])",
            "x := [y | [_, y] := CALL)]",
            "some x in CALL)",
            "x := 1; every y in CALL) { y }",
            "x := 1 with input as CALL)",
            "[x, _] := json.match_schema(CALL), {})",
            "x := object.subset(input, input) with object.subset as json.match_schema",
        ] {
            let error = compiled(body).map(drop).unwrap_err();
            assert!(error.contains("the findings of json.match_schema are not OPA's"), "{body}: {error}");
        }
    }

    #[test]
    fn a_function_of_the_name_is_another() {
        let text = "package n\n\nimport data.json\n\nr := json.match_schema(1, 2)\n".to_owned();
        let other = "package json\n\nmatch_schema(a, b) := a + b\n".to_owned();
        let modules = [("n.rego", text), ("json.rego", other)].map(|(key, text)| Module { key: key.into(), text });
        let prepared = Arc::new(Program::compile(&modules, RegoVersion::V1).unwrap()).prepare(Value::object([])).unwrap();
        let answer: Option<Json> = prepared.document(&["n".into(), "r".into()], None, &Limits::default()).unwrap();
        assert_eq!(answer, Some(json!(3)));
    }
}
