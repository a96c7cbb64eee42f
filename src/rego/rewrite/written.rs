//! A set that is written out with something other than constants: as long as OPA only gives it a name, its members stand in the order
//! of their expressions, constants first, and equal ones stand twice (opa `v1/topdown/eval.go`, `evalTerm.enumerate` goes through
//! terms without their values). An array comprehension shows that: `[x | some x in {input.a, "b"}]` goes through
//! `plimsoll__.written([input.a, "b"], 0)`, an array: constants but arrays, sets and objects, then the member at that index, then these.
//!
//! The order of several such members is that of names that OPA's compiler makes from a count over all modules (`__local9__` comes
//! behind `__local10__`): that is refused, and so is what has another name before it is gone through.

use std::collections::BTreeSet;

use anyhow::{Result, anyhow};
use regorus::unstable::{Expr, Literal, LiteralStmt, Module as Tree};
use regorus::{Engine, Value};

use super::frames::Frames;
use super::operators;
use crate::rego::order;
use crate::rego::parse::may_be_template;
use crate::rego::plain::{Packages, pattern};
use crate::rego::splice::{Spliced, Splices};
use crate::rego::syntax;
use crate::rego::walk::{self, Visitor};

const TEMPLATE: &str = "a template-string without expressions, or a string that begins with \\u, has an order of its own in OPA here: write the string as it is";
const FUNCTION: &str = "plimsoll__.written";
const MESSAGE: &str =
    "the order of this collection is that of OPA's expressions, not of its values: go through `{x | some x in […]}` instead";

/// Makes the function that such sets are written with one of an engine.
pub(super) fn install(engine: &mut Engine) {
    operators::add(engine, FUNCTION, 2, Box::new(|values: Vec<Value>| in_order(&values)));
}

/// Members in OPA's order: `values` are the members, and the index of the one that is no constant.
fn in_order(values: &[Value]) -> Result<Value> {
    let [members, index] = values else { return Err(anyhow!("members and an index")) };
    let (members, index) = (members.as_array()?, index.as_u64()?);
    let (mut scalars, mut composites, mut computed) = (BTreeSet::new(), BTreeSet::new(), None);
    for (at, member) in (0_u64..).zip(members.iter()) {
        match member {
            _ if at == index => computed = Some(member),
            Value::Array(_) | Value::Object(_) | Value::Set(_) => drop(composites.insert(member)),
            _ => drop(scalars.insert(member)),
        }
    }
    let ordered = scalars.into_iter().chain(computed).chain(order::sorted(composites.into_iter())?);
    Ok(Value::from(ordered.cloned().collect::<Vec<_>>()))
}

/// Writes such sets of a module so; nothing if there are none.
pub(super) fn name(text: &str, tree: &Tree, packages: &Packages) -> Result<Option<Spliced>> {
    let mut written =
        Written { text, frames: Frames::of(tree, packages), named: BTreeSet::new(), splices: Splices::default(), refusal: None };
    for rule in &tree.policy {
        written.frames.rule(rule);
        let mut named = Named(BTreeSet::new());
        // Twice: heads come before the bodies that name what they read.
        walk::rule(rule, &mut named);
        walk::rule(rule, &mut named);
        written.named = named.0;
        walk::rule(rule, &mut written);
    }
    match written.refusal {
        Some(refusal) => Err(refusal),
        None => Ok((!written.splices.is_empty()).then(|| written.splices.apply(text))),
    }
}

struct Written<'t> {
    text: &'t str,
    frames: Frames,
    /// Variables of the rule whose value is written so.
    named: BTreeSet<String>,
    splices: Splices,
    refusal: Option<anyhow::Error>,
}

impl Visitor for Written<'_> {
    fn expr(&mut self, expr: &Expr) -> bool {
        if let Expr::RefBrack { refr, index, .. } = expr
            && self.frames.is_ordered()
            && self.frames.may_go_through(index)
        {
            self.gone_through(refr, is_wildcard(index));
        }
        self.frames.enter(expr);
        true
    }

    fn leave(&mut self) {
        self.frames.leave();
    }

    fn statement(&mut self, stmt: &LiteralStmt) {
        let Literal::SomeIn { key, collection, .. } = &stmt.literal else { return };
        if self.frames.is_ordered() {
            self.gone_through(collection, key.as_deref().is_none_or(is_wildcard));
        }
    }
}

/// Variables that stand for such a collection.
struct Named(BTreeSet<String>);

impl Visitor for Named {
    fn expr(&mut self, expr: &Expr) -> bool {
        if let Expr::AssignExpr { lhs, rhs, .. } = expr {
            for (name, value) in [(lhs, rhs), (rhs, lhs)] {
                if matches!(&**name, Expr::Var { .. }) && is_computed(value, &self.0) {
                    pattern(name, &mut self.0);
                }
            }
        }
        true
    }
}

/// Whether a value is such a collection, or a variable for one.
fn is_computed(value: &Expr, named: &BTreeSet<String>) -> bool {
    match value {
        Expr::Var { span, .. } => named.contains(span.text()),
        _ => members(value).is_some_and(|members| {
            members.len() > 1 && members.iter().any(|member| !is_constant(member) || has_template(member))
        }),
    }
}

impl Written<'_> {
    /// A collection that an array comprehension goes through, by its values only or by names for its keys.
    fn gone_through(&mut self, collection: &Expr, by_values: bool) {
        if members(collection).is_some_and(|members| members.len() > 1 && members.into_iter().any(has_template)) {
            self.refusal.get_or_insert_with(|| collection.span().error(TEMPLATE));
        }
        if !is_computed(collection, &self.named) {
            return;
        }
        match collection {
            Expr::Set { .. } if by_values => match computed(collection) {
                Some(index) => self.write(collection, index),
                None => self.refuse(collection),
            },
            _ => self.refuse(collection),
        }
    }

    /// Puts an array in the place of a set. What is inside stays where it is.
    fn write(&mut self, set: &Expr, index: usize) {
        let range = syntax::range(set, self.text);
        let (start, end) = (range.start, range.end);
        self.splices.insert(start, start.saturating_add(1), format!("{FUNCTION}(["));
        self.splices.insert(end.saturating_sub(1), end, format!("], {index})"));
    }

    fn refuse(&mut self, collection: &Expr) {
        self.refusal.get_or_insert_with(|| collection.span().error(MESSAGE));
    }
}

/// The members of a set, or keys of an object, that is written out.
fn members(collection: &Expr) -> Option<Vec<&Expr>> {
    match collection {
        Expr::Set { items, .. } => Some(items.iter().map(|item| &**item).collect()),
        Expr::Object { fields, .. } => Some(fields.iter().map(|(_, key, _)| &**key).collect()),
        _ => None,
    }
}

/// Where the only member is that is no constant, if the place among the others is known: such as are themselves collections are ordered
/// by what is inside them.
fn computed(set: &Expr) -> Option<usize> {
    let members = members(set)?;
    let mut computed = members.iter().enumerate().filter(|(_, member)| !is_constant(member));
    let (index, member) = computed.next()?;
    let has_collections = members.iter().filter(|member| is_collection(member)).count() > 1;
    (computed.next().is_none() && !(is_collection(member) && has_collections)).then_some(index)
}

fn is_collection(expr: &Expr) -> bool {
    matches!(expr, Expr::Array { .. } | Expr::Set { .. } | Expr::Object { .. })
}

fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::String { .. } | Expr::RawString { .. } | Expr::Number { .. } | Expr::Bool { .. } | Expr::Null { .. } => true,
        Expr::UnaryExpr { expr, .. } => matches!(&**expr, Expr::Number { .. }),
        Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().all(|item| is_constant(item)),
        Expr::Object { fields, .. } => fields.iter().all(|(_, key, value)| is_constant(key) && is_constant(value)),
        _ => false,
    }
}

/// Whether a constant, or a head, may have had a template with nothing in braces.
pub(super) fn has_template(expr: &Expr) -> bool {
    match expr {
        Expr::String { span, .. } => may_be_template(span.text()),
        Expr::Array { items, .. } | Expr::Set { items, .. } => items.iter().any(|item| has_template(item)),
        Expr::Object { fields, .. } => fields.iter().any(|(_, key, value)| has_template(key) || has_template(value)),
        Expr::RefBrack { refr, index, .. } => has_template(index) || has_template(refr),
        Expr::RefDot { refr, .. } => has_template(refr),
        _ => false,
    }
}

fn is_wildcard(expr: &Expr) -> bool {
    matches!(expr, Expr::Var { span, .. } if span.text() == "_")
}

#[cfg(test)]
mod tests {
    use crate::rego::{Module, Program, RegoVersion};

    #[test]
    fn what_has_an_order_that_is_not_known_is_refused() {
        for (rule, refused) in [
            ("[x | some x in {input.a, input.b}]", true),
            ("[x | some x in {[input.a], [1]}]", true),
            ("[x | {input.a, 1}[x]]", true),
            ("[x | some x, _ in {input.a, 1}]", true),
            ("[x | some x in {input.a: 1, \"b\": 2}]", true),
            ("[x | s := {input.a, 1}; some x in s]", true),
            ("[x | some x in s] if s := {input.a, 1}", true),
            ("[x | t = s; t[_] = x] if s := {input.a, 1}", true),
            ("[x | some x in {$\"a\", \"b\"}]", true),
            ("[x | some x in {[$`a`], \"b\"}]", true),
            ("[x | s := {$\"a\", 1}; some x in s]", true),
            ("[x | some x in {$\"a\"}]", false),
            ("{x | some x in {$\"a\", \"b\"}}", false),
            ("{x | some x in {input.a, input.b}}", false),
            ("[1 | input.c in {input.a, input.b}]", false),
            ("[x | some x in {y | some y in [input.a, input.b]}]", false),
            ("[x | some x in {input.a}]", false),
            ("[x | some x in {1, \"b\", [2]}]", false),
            ("[x | some x in {\"a\": input.a, \"b\": input.b}]", false),
            ("[x | some x in {input.a, 1} | {2}]", false),
            ("[x | some x in s]\ns := {input.a, 1}", false),
        ] {
            let module = Module { key: "n.rego".into(), text: format!("package n\n\nr := {rule}\n") };
            let message =
                Program::compile(&[module], RegoVersion::V1).err().map(|errors| errors.iter().map(ToString::to_string).collect());
            let is_refused = message.as_ref().is_some_and(|message: &String| message.contains("order of"));
            assert!(is_refused == refused && message.is_some() == refused, "{rule}: {message:?}");
        }
    }
}
