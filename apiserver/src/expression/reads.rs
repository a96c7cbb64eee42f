//! What an expression looks at, found in its tree: which parts of which variables its verdict may depend on. More may be named than
//! one evaluation looks at, because `&&`, `||` and `?:` may pass a part over; never less.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue};

use super::check::qualified;

/// A part of a variable, and how it is used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Read {
    /// Such as `object`.
    pub variable: String,
    /// From the variable down to the part.
    pub path: Vec<Step>,
    /// How it is used.
    pub by: Use,
}

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A member by its name.
    Field(String),
    /// Every member of a list; of a map, every key.
    Each,
}

/// How a part is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// Whether it is there.
    Presence,
    /// How many members it has, and their keys.
    Members,
    /// All that it holds.
    Value,
}

/// Where a name of a loop leads; `None` for what is made on the way.
type Locals<'a> = Vec<(&'a str, Option<Place>)>;
/// A part of a variable.
type Place = (String, Vec<Step>);

/// All parts that a tree names, in order, each once. What is inside a part that is read whole may be named too.
pub(super) fn of(expression: &IdedExpr) -> Vec<Read> {
    let mut found = Vec::new();
    value(&expression.expr, &mut Vec::new(), &mut found);
    found.sort();
    found.dedup();
    found
}

/// An expression whose value is used.
fn value<'a>(expr: &'a Expr, locals: &mut Locals<'a>, found: &mut Vec<Read>) {
    if let Some((variable, path)) = place(expr, locals) {
        let by = if matches!(expr, Expr::Select(select) if select.test) { Use::Presence } else { Use::Value };
        found.push(Read { variable, path, by });
        return;
    }
    match expr {
        Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_) => {}
        Expr::Select(select) => value(&select.operand.expr, locals, found),
        Expr::Call(call) => self::call(call, locals, found),
        Expr::List(list) => list.elements.iter().for_each(|element| value(&element.expr, locals, found)),
        Expr::Map(map) => map.entries.iter().for_each(|entry| self::entry(&entry.expr, locals, found)),
        Expr::Struct(message) => message.entries.iter().for_each(|entry| self::entry(&entry.expr, locals, found)),
        Expr::Comprehension(loops) => comprehension(loops, locals, found),
    }
}

fn entry<'a>(entry: &'a EntryExpr, locals: &mut Locals<'a>, found: &mut Vec<Read>) {
    match entry {
        EntryExpr::MapEntry(entry) => {
            value(&entry.key.expr, locals, found);
            value(&entry.value.expr, locals, found);
        }
        EntryExpr::StructField(field) => value(&field.value.expr, locals, found),
    }
}

/// `in` and `size` look at less than a value.
fn call<'a>(call: &'a CallExpr, locals: &mut Locals<'a>, found: &mut Vec<Read>) {
    // `sets` of `sets.contains` is no variable.
    let target = call.target.as_deref().filter(|_| qualified(call).is_none());
    let parts: Vec<&'a Expr> = target.into_iter().chain(&call.args).map(|part| &part.expr).collect();
    let looked = match (call.func_name.as_str(), parts.as_slice()) {
        ("@in", [key, container]) => text(key).zip(place(container, locals)).map(|(key, (variable, mut path))| {
            path.push(Step::Field(key.to_owned()));
            Read { variable, path, by: Use::Presence }
        }),
        ("size", [container]) => place(container, locals).map(|(variable, path)| Read { variable, path, by: Use::Members }),
        _ => None,
    };
    match looked {
        Some(read) => found.push(read),
        None => parts.into_iter().for_each(|part| value(part, locals, found)),
    }
}

/// A loop looks at the members' number and keys; what it looks at in each member, its parts say.
fn comprehension<'a>(loops: &'a ComprehensionExpr, locals: &mut Locals<'a>, found: &mut Vec<Read>) {
    let range = place(&loops.iter_range.expr, locals);
    match &range {
        Some((variable, path)) => found.push(Read { variable: variable.clone(), path: path.clone(), by: Use::Members }),
        None => value(&loops.iter_range.expr, locals, found),
    }
    value(&loops.accu_init.expr, locals, found);
    // The second of two names is the member of a map, which no step says: then all of it counts.
    if let Some((variable, path)) = range.clone().filter(|_| loops.iter_var2.is_some()) {
        found.push(Read { variable, path, by: Use::Value });
    }
    let each = range.filter(|_| loops.iter_var2.is_none()).map(|(variable, mut path)| {
        path.push(Step::Each);
        (variable, path)
    });
    let before = locals.len();
    locals.extend([(loops.accu_var.as_str(), None), (loops.iter_var.as_str(), each)]);
    locals.extend(loops.iter_var2.as_deref().map(|name| (name, None)));
    [&loops.loop_cond, &loops.loop_step, &loops.result].into_iter().for_each(|part| value(&part.expr, locals, found));
    locals.truncate(before);
}

/// The part of a variable that an expression names: `a.b`, `a["b"]`, `a.?b`.
fn place(expr: &Expr, locals: &Locals<'_>) -> Option<Place> {
    match expr {
        Expr::Ident(name) => match locals.iter().rev().find(|(local, _)| local == name) {
            Some((_, place)) => place.clone(),
            None => Some((name.clone(), Vec::new())),
        },
        Expr::Select(select) => below(&select.operand.expr, &select.field, locals),
        Expr::Call(call) if matches!(call.func_name.as_str(), "_[_]" | "_?._" | "_[?_]") => {
            let [operand, key] = call.args.as_slice() else { return None };
            below(&operand.expr, text(&key.expr)?, locals)
        }
        _ => None,
    }
}

fn below(operand: &Expr, field: &str, locals: &Locals<'_>) -> Option<Place> {
    let (variable, mut path) = place(operand, locals)?;
    path.push(Step::Field(field.to_owned()));
    Some((variable, path))
}

fn text(expr: &Expr) -> Option<&str> {
    if let Expr::Literal(LiteralValue::String(text)) = expr { Some(text.as_ref()) } else { None }
}

#[cfg(test)]
mod tests {
    use super::super::Expression;
    use super::*;

    /// `variable.a[].b`, with `?` behind what is only looked for, and `#` behind what is only counted.
    fn shown(read: &Read) -> String {
        let steps = read.path.iter().map(|step| match step {
            Step::Field(name) => format!(".{name}"),
            Step::Each => "[]".to_owned(),
        });
        let mark = match read.by {
            Use::Presence => "?",
            Use::Members => "#",
            Use::Value => "",
        };
        format!("{}{}{mark}", read.variable, steps.collect::<String>())
    }

    #[test]
    fn every_part_that_decides_is_named() {
        let table: [(&str, &[&str]); 12] = [
            ("true", &[]),
            ("object.spec.replicas > 3", &["object.spec.replicas"]),
            ("has(object.metadata.labels.app)", &["object.metadata.labels.app?"]),
            ("'app' in object.metadata.labels", &["object.metadata.labels.app?"]),
            ("request.name in [object.kind]", &["object.kind", "request.name"]),
            ("object.metadata.labels['app'] == 'x'", &["object.metadata.labels.app"]),
            ("object.metadata.?none.orValue('x') == 'x'", &["object.metadata.none"]),
            ("size(object.data) > 1", &["object.data#"]),
            (
                "object.spec.containers.all(c, c.image.startsWith('x') && c.name != object.metadata.name)",
                &[
                    "object.metadata.name",
                    "object.spec.containers#",
                    "object.spec.containers[].image",
                    "object.spec.containers[].name",
                ],
            ),
            ("object.a.exists(x, x.b.exists(y, y == x.c))", &["object.a#", "object.a[].b#", "object.a[].b[]", "object.a[].c"]),
            ("object == oldObject", &["object", "oldObject"]),
            ("object.list[0] == 1 && request.dryRun", &["object.list", "request.dryRun"]),
        ];
        for (text, expected) in table {
            let expression = Expression::compile(text, &["object", "oldObject", "request"]).unwrap();
            assert_eq!(expression.reads().iter().map(shown).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
