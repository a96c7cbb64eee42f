//! Types side by side, with what is equal in both left out (`v1/ast/check_elide.go`).

use super::lattice::{Array, Dynamic, Function, Object, Type, Union};
use super::print::{composite, key, labelled, shown};

const ELISION: &str = "...";
/// How wide a line may be before something is left out of it.
const LINE: usize = 80;
/// How wide a type may be that is not what the error is about.
const ASIDE: usize = 32;
/// How deep both types are looked into.
const DEPTH: usize = 8;

/// Whether one of the lines is too wide (`tooWideForTypeErr`).
pub(crate) fn too_wide(lines: &[&str]) -> bool {
    lines.iter().any(|line| line.chars().count() > LINE)
}

/// A type, or its outermost part when that is too wide (`elideType`).
pub(crate) fn aside(of: Option<&Type>) -> String {
    let full = shown(of);
    if full.chars().count() <= ASIDE { full } else { elided(of) }
}

/// As [`aside`], of an operand with its name.
pub(crate) fn aside_named(of: Option<&Type>, name: Option<&str>) -> String {
    let full = labelled(name, &shown(of));
    if full.chars().count() <= ASIDE { full } else { labelled(name, &elided(of)) }
}

/// The outermost part of a type (`sprintElided`, which is asked for no more depth than that).
fn elided(of: Option<&Type>) -> String {
    match of {
        Some(Type::Set(of)) => of.0.as_ref().map_or_else(|| "set".to_owned(), |_| composite("set", &[], Some(ELISION))),
        Some(Type::Array(array)) => composite("array", &parts(&array.fixed), array.dynamic.as_ref().map(|_| ELISION)),
        Some(Type::Object(object)) => composite("object", &parts(&object.fixed), object.dynamic.as_ref().map(|_| ELISION)),
        Some(Type::Any(union)) => composite("any", &parts(&union.0), None),
        // Of rules: what takes any number of operands is `print` alone, which no term names.
        Some(Type::Function(function)) => {
            let result = if function.result.is_none() { shown(None) } else { ELISION.to_owned() };
            signature(&parts(&function.operands), &result)
        }
        other => shown(other),
    }
}

/// An ellipsis for all of them.
fn parts<T>(all: &[T]) -> Vec<String> {
    all.iter().take(1).map(|_| ELISION.to_owned()).collect()
}

fn signature(operands: &[String], result: &str) -> String {
    format!("({}) => {result}", operands.join(", "))
}

/// Both types, with what is equal left out (`sprintDiff`).
pub(crate) fn diff(a: Option<&Type>, b: Option<&Type>) -> (String, String) {
    differing(a, b, 0)
}

/// As [`diff`]; the second one has a name.
pub(crate) fn diff_named(a: Option<&Type>, b: Option<&Type>, name: Option<&str>) -> (String, String) {
    let (left, right) = differing(a, b, 0);
    (left, labelled(name, &right))
}

fn differing(a: Option<&Type>, b: Option<&Type>, depth: usize) -> (String, String) {
    if depth < DEPTH
        && let (Some(x), Some(y)) = (a, b)
        && x != y
        && shown(a) != shown(b)
    {
        match (x, y) {
            (Type::Set(x), Type::Set(y)) if x.0.is_some() && y.0.is_some() => {
                let (left, right) = differing(x.0.as_ref(), y.0.as_ref(), depth.saturating_add(1));
                return (format!("set[{left}]"), format!("set[{right}]"));
            }
            (Type::Array(x), Type::Array(y)) => return arrays(x, y, depth),
            (Type::Object(x), Type::Object(y)) => return objects(x, y, depth),
            (Type::Any(x), Type::Any(y)) => return unions(x, y),
            (Type::Function(x), Type::Function(y)) if x.operands.len() == y.operands.len() => return functions(x, y, depth),
            _ => {}
        }
    }
    (aside(a), aside(b))
}

fn arrays(a: &Array, b: &Array, depth: usize) -> (String, String) {
    let deeper = depth.saturating_add(1);
    if a.fixed.len() != b.fixed.len() || a.dynamic.is_some() != b.dynamic.is_some() {
        let one = |array: &Array| {
            let fixed: Vec<_> = array.fixed.iter().map(|one| elided(one.as_ref())).collect();
            composite("array", &fixed, array.dynamic.as_ref().map(|of| elided(Some(of))).as_deref())
        };
        return (one(a), one(b));
    }
    let items = a.fixed.iter().zip(&b.fixed).map(|(a, b)| differing(a.as_ref(), b.as_ref(), deeper));
    let (left, right): (Vec<_>, Vec<_>) = items.unzip();
    let dynamic = a.dynamic.as_ref().map(|of| differing(Some(of), b.dynamic.as_ref(), deeper));
    let (x, y) = dynamic.unzip();
    (composite("array", &left, x.as_deref()), composite("array", &right, y.as_deref()))
}

/// Parts of both sides, and whether equal ones were left out.
#[derive(Default)]
struct Sides {
    left: Vec<String>,
    right: Vec<String>,
    equal: bool,
}

fn objects(a: &Object, b: &Object, depth: usize) -> (String, String) {
    let mut sides = Sides::default();
    let (mut left, mut right) = (a.fixed.iter().peekable(), b.fixed.iter().peekable());
    let alone = |(name, of): &(crate::value::Value, Option<Type>)| format!("{}: {}", key(name), aside(of.as_ref()));
    loop {
        match (left.peek(), right.peek()) {
            (Some(x), Some(y)) if x.0 == y.0 => {
                sides.member(x, y, depth);
                left.next();
                right.next();
            }
            (Some(x), y) if y.is_none_or(|y| x.0 < y.0) => sides.left.extend(left.next().map(alone)),
            (_, Some(_)) => sides.right.extend(right.next().map(alone)),
            (_, None) => break,
        }
    }
    if sides.equal {
        sides.left.push(ELISION.to_owned());
    }
    if sides.equal {
        sides.right.push(ELISION.to_owned());
    }
    let (x, y) = dynamics(a.dynamic.as_ref(), b.dynamic.as_ref(), depth.saturating_add(1));
    (composite("object", &sides.left, x.as_deref()), composite("object", &sides.right, y.as_deref()))
}

impl Sides {
    fn member(&mut self, a: &(crate::value::Value, Option<Type>), b: &(crate::value::Value, Option<Type>), depth: usize) {
        if shown(a.1.as_ref()) == shown(b.1.as_ref()) {
            self.equal = true;
            return;
        }
        let (left, right) = differing(a.1.as_ref(), b.1.as_ref(), depth.saturating_add(1));
        self.left.push(format!("{}: {left}", key(&a.0)));
        self.right.push(format!("{}: {right}", key(&b.0)));
    }
}

fn dynamics(a: Option<&Dynamic>, b: Option<&Dynamic>, depth: usize) -> (Option<String>, Option<String>) {
    let alone = |of: &Dynamic| format!("{}: {}", aside(of.key.as_ref()), aside(of.value.as_ref()));
    let (Some(x), Some(y)) = (a, b) else { return (a.map(alone), b.map(alone)) };
    let keys = differing(x.key.as_ref(), y.key.as_ref(), depth);
    let values = differing(x.value.as_ref(), y.value.as_ref(), depth);
    (Some(format!("{}: {}", keys.0, values.0)), Some(format!("{}: {}", keys.1, values.1)))
}

fn unions(a: &Union, b: &Union) -> (String, String) {
    let only = |of: &Union, other: &Union| {
        let others: std::collections::HashSet<String> = other.0.iter().map(|one| shown(Some(one))).collect();
        let mut only: Vec<String> =
            of.0.iter().filter(|one| !others.contains(&shown(Some(one)))).map(|one| aside(Some(one))).collect();
        if only.len() < of.0.len() {
            only.push(ELISION.to_owned());
        }
        composite("any", &only, None)
    };
    (only(a, b), only(b, a))
}

fn functions(a: &Function, b: &Function, depth: usize) -> (String, String) {
    let deeper = depth.saturating_add(1);
    let operands = a.operands.iter().zip(&b.operands).map(|(a, b)| differing(a.as_ref(), b.as_ref(), deeper));
    let (left, right): (Vec<_>, Vec<_>) = operands.unzip();
    let (x, y) = differing(a.result.as_ref(), b.result.as_ref(), deeper);
    (signature(&left, &x), signature(&right, &y))
}
