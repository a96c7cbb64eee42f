//! Objects with computed keys: where two of them are equal, OPA takes the value of the one whose variable its compiler happened to name
//! last (opa `v1/ast/term.go`, `Map`), the interpreter that of the last one written. Here different values are an error, as they are in
//! comprehensions: `{input.user: 1, "bob": 2}` is `plimsoll__.object([[input.user, 1], ["bob", 2]])`.

use std::ops::Range;

use anyhow::anyhow;
use regorus::unstable::{AssignOp, Expr, Literal, LiteralStmt, Module as Tree, Ref, Rule, RuleHead, Span};
use regorus::{Engine, Value};

use super::frames::Frames;
use super::operators;
use crate::rego::plain::Packages;
use crate::rego::splice::{Spliced, Splices};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

const NAME: &str = "plimsoll__.object";

/// Makes the function that objects are rewritten with one of an engine.
pub(super) fn install(engine: &mut Engine) {
    let call = |values: Vec<Value>| object(&values);
    operators::add(engine, NAME, 1, Box::new(call));
}

fn object(values: &[Value]) -> anyhow::Result<Value> {
    let pairs = values.first().ok_or_else(|| anyhow!("no members"))?.as_array()?;
    let mut object = Value::new_object();
    let members = object.as_object_mut()?;
    for pair in pairs.iter() {
        let [key, value] = pair.as_array()?.as_slice() else { return Err(anyhow!("a member is a key and a value")) };
        if members.get(key).is_some_and(|other| other != value) {
            return Err(anyhow!("value for key `{key}` generated multiple times"));
        }
        members.insert(key.clone(), value.clone());
    }
    Ok(object)
}

/// Writes the objects of a module so that are no patterns; nothing if there are none.
pub(super) fn name(text: &str, tree: &Tree, packages: &Packages) -> Option<Spliced> {
    let mut keys =
        Keys { text, frames: Frames::of(tree, packages), patterns: Vec::new(), values: Vec::new(), splices: Splices::default() };
    for rule in &tree.policy {
        keys.frames.rule(rule);
        keys.patterns.clear();
        keys.values.clear();
        if let Rule::Spec { head: RuleHead::Func { args, .. }, .. } = rule.as_ref() {
            args.iter().for_each(|arg| keys.pattern(arg));
        }
        walk::rule(rule, &mut keys);
    }
    (!keys.splices.is_empty()).then(|| keys.splices.apply(text))
}

struct Keys<'t> {
    text: &'t str,
    frames: Frames,
    /// What declares variables, in the statements around.
    patterns: Vec<Range<usize>>,
    /// What is assigned there: it is no pattern, whatever its variables are.
    values: Vec<Range<usize>>,
    splices: Splices,
}

impl Visitor for Keys<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        if let Expr::Object { fields, .. } = expr
            && fields.len() > 1
            && fields.iter().any(|(_, key, _)| is_computed(key))
        {
            let range = syntax::range(expr, self.text);
            let is_inside =
                |ranges: &[Range<usize>]| ranges.iter().any(|outer| outer.start <= range.start && range.end <= outer.end);
            let is_value = is_inside(&self.values) || !self.frames.may_go_through(expr);
            if is_value && !is_inside(&self.patterns) {
                self.object(range, fields);
            }
        }
        self.frames.enter(expr);
        true
    }

    fn leave(&mut self) {
        self.frames.leave();
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        let start = syntax::closed(stmt.span.start, self.text);
        // Those of statements before this one are behind.
        self.patterns.retain(|pattern| pattern.end > start);
        self.values.retain(|value| value.end > start);
        match &stmt.literal {
            Literal::SomeIn { key, value, .. } => key.iter().chain([value]).for_each(|part| self.pattern(part)),
            Literal::Expr { expr, .. } => {
                if let Expr::AssignExpr { op: AssignOp::ColEq, lhs, rhs, .. } = expr.as_ref() {
                    self.pattern(lhs);
                    self.values.push(syntax::range(rhs, self.text));
                }
            }
            _ => {}
        }
    }
}

impl Keys<'_> {
    fn pattern(&mut self, pattern: &Expr) {
        self.patterns.push(syntax::range(pattern, self.text));
    }

    fn object(&mut self, range: Range<usize>, fields: &[(Span, Ref<Expr>, Ref<Expr>)]) -> Option<()> {
        let close = range.end.checked_sub(1)?;
        if !self.text.get(close..)?.starts_with('}') || !self.text.get(range.start..)?.starts_with('{') {
            return None;
        }
        let behind = |expr: &Expr, token: &str| syntax::behind(self.text, syntax::range(expr, self.text).end, token);
        let mut splices = vec![(range.start, format!("{NAME}([["))];
        for (at, (_, key, value)) in fields.iter().enumerate() {
            splices.push((behind(key, ":")?, ",".into()));
            if at.checked_add(1)? < fields.len() {
                splices.push((behind(value, ",")?, "],[".into()));
            }
        }
        splices.push((close, "]])".into()));
        splices.into_iter().for_each(|(at, text)| self.splices.insert(at, at.saturating_add(1), text));
        Some(())
    }
}

fn is_computed(key: &Expr) -> bool {
    !matches!(key, Expr::String { .. } | Expr::RawString { .. } | Expr::Number { .. } | Expr::Bool { .. } | Expr::Null { .. })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value as Json, json};

    use crate::rego::{Limits, Module, Program, RegoVersion, Value};

    #[test]
    fn equal_keys_with_different_values_are_an_error() {
        for (body, expected) in [
            ("x := {input.user: 1, \"bob\": 1}", Some(json!({"bob": 1}))),
            ("x := {input.user: 1, \"bob\": 2}", None),
            ("y := \"bob\"; x := {\"a\": {y: 1, \"bob\": 2}}", None),
            ("v = 1; x := {input.user: v, \"bob\": 2}", None),
            ("x := {input.user: 1, \"alice\": [2]}", Some(json!({"bob": 1, "alice": [2]}))),
        ] {
            assert_eq!(answer(body), expected, "{body}");
        }
    }

    /// The document `data.n.r`; nothing for an error that names the keys.
    fn answer(body: &str) -> Option<Json> {
        let module = Module { key: "n.rego".into(), text: format!("package n\n\nr := x if {{\n\t{body}\n}}\n") };
        let program = Arc::new(Program::compile(&[module], RegoVersion::V1).unwrap());
        let prepared = program.prepare(Value::object([])).unwrap();
        let input = Value::from(json!({"user": "bob"}));
        match prepared.document(&["n".into(), "r".into()], Some(&input), &Limits::default()) {
            Ok(document) => Some(document.unwrap()),
            Err(error) => {
                assert!(error.to_string().contains("object keys must be unique"), "{error}");
                None
            }
        }
    }
}
