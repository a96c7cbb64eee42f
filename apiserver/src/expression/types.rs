//! The static type of an expression, as cel-go names it. Objects are `dyn`, which is no condition; the rest is known.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, SelectExpr};

use super::library;

const DYN: &str = "dyn";
const TEXT: &str = "string";
/// Fields of `request`. Source: `apiserver` `pkg/admission/plugin/cel/compile.go`, `BuildRequestType`.
const REQUEST: [(&str, &str); 12] = [
    ("dryRun", "bool"),
    ("kind", "kubernetes.GroupVersionKind"),
    ("name", TEXT),
    ("namespace", TEXT),
    ("operation", TEXT),
    ("options", DYN),
    ("requestKind", "kubernetes.GroupVersionKind"),
    ("requestResource", "kubernetes.GroupVersionResource"),
    ("requestSubResource", TEXT),
    ("resource", "kubernetes.GroupVersionResource"),
    ("subResource", TEXT),
    ("userInfo", "kubernetes.UserInfo"),
];

/// The type of a field of `request`; `None` if there is none of this name.
pub(super) fn of_request(field: &str) -> Option<&'static str> {
    REQUEST.iter().find(|(name, _)| *name == field).map(|(_, kind)| *kind)
}

/// The type of an expression.
pub(super) fn of(expr: &Expr) -> String {
    match expr {
        Expr::Literal(literal) => of_literal(literal).to_owned(),
        Expr::Ident(name) if name == "request" => "kubernetes.AdmissionRequest".to_owned(),
        Expr::Ident(name) if library::is_type(name) => format!("type({name})"),
        Expr::Select(select) => of_select(select).to_owned(),
        Expr::List(list) => format!("list({})", common(list.elements.iter().map(|element| of(&element.expr)))),
        Expr::Map(map) => {
            let entries = || {
                map.entries
                    .iter()
                    .filter_map(|entry| if let EntryExpr::MapEntry(entry) = &entry.expr { Some(entry) } else { None })
            };
            let (keys, values) = (entries().map(|entry| of(&entry.key.expr)), entries().map(|entry| of(&entry.value.expr)));
            format!("map({}, {})", common(keys), common(values))
        }
        Expr::Call(call) => of_call(call),
        Expr::Comprehension(loops) => of_comprehension(loops),
        Expr::Unspecified | Expr::Ident(_) | Expr::Struct(_) => DYN.to_owned(),
    }
}

fn of_literal(literal: &LiteralValue) -> &'static str {
    match literal {
        LiteralValue::Boolean(_) => "bool",
        LiteralValue::Bytes(_) => "bytes",
        LiteralValue::Double(_) => "double",
        LiteralValue::Int(_) => "int",
        LiteralValue::Null => "null_type",
        LiteralValue::String(_) => TEXT,
        LiteralValue::UInt(_) => "uint",
    }
}

fn of_select(select: &SelectExpr) -> &'static str {
    match &select.operand.expr {
        _ if select.test => "bool",
        Expr::Ident(name) if name == "request" => of_request(&select.field).unwrap_or(DYN),
        _ => DYN,
    }
}

fn of_call(call: &CallExpr) -> String {
    let argument = |index: usize| call.args.get(index).map_or_else(|| DYN.to_owned(), |argument| of(&argument.expr));
    let target = || call.target.as_deref().map_or_else(|| DYN.to_owned(), |target| of(&target.expr));
    let inner =
        |text: String, outer: &str| text.strip_prefix(outer).and_then(|rest| rest.strip_suffix(')')).unwrap_or(DYN).to_owned();
    match call.func_name.as_str() {
        "_?_:_" => common([argument(1), argument(2)].into_iter()),
        "_+_" | "_-_" | "_*_" | "_/_" | "_%_" => {
            [argument(0), argument(1)].into_iter().find(|kind| kind != DYN).unwrap_or_else(|| DYN.to_owned())
        }
        "-_" => argument(0),
        "_[_]" => inner(argument(0), "list("),
        "_?._" | "_[?_]" => format!("optional_type({DYN})"),
        "dyn" => DYN.to_owned(),
        "type" => format!("type({})", argument(0)),
        "of" | "ofNonZeroValue" => format!("optional_type({})", argument(0)),
        "none" => format!("optional_type({DYN})"),
        "or" => target(),
        "value" | "orValue" => inner(target(), "optional_type("),
        name => library::gives(name).unwrap_or(DYN).to_owned(),
    }
}

/// `all` and `exists` begin with a flag, `exists_one` compares at its end, `map` and `filter` add to a list.
fn of_comprehension(loops: &ComprehensionExpr) -> String {
    match (&loops.result.expr, &loops.accu_init.expr) {
        (Expr::Ident(name), Expr::List(_)) if *name == loops.accu_var => added(&loops.loop_step),
        (Expr::Ident(name), init) if *name == loops.accu_var => of(init),
        (result, _) => of(result),
    }
}

/// What a step adds, perhaps under a condition.
fn added(step: &IdedExpr) -> String {
    match &step.expr {
        Expr::Call(call) if call.func_name == "_?_:_" => call.args.get(1).map_or_else(|| DYN.to_owned(), added),
        expr => of(expr),
    }
}

fn common(mut kinds: impl Iterator<Item = String>) -> String {
    let Some(first) = kinds.next() else { return DYN.to_owned() };
    if kinds.all(|kind| kind == first) { first } else { DYN.to_owned() }
}
