//! What is done with them: every function that the engine has, each operand in turn, and every operator.

use plimsoll_rego::builtins::table;

/// Statements that use `v` and `w`, by a name of their own.
pub(super) fn uses() -> Vec<(String, String)> {
    functions().chain(OPERATORS.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))).collect()
}

const OPERATORS: [(&str, &str); 31] = [
    ("==", "x := v == w"),
    ("!=", "x := v != w"),
    ("<", "x := v < w"),
    (">=", "x := v >= w"),
    ("=", "v = w; x := 1"),
    ("=, destructured", "[a, b] = v; [a, b] = w; x := 1"),
    (":=, destructured", "[p, q] := v; x := p == q"),
    ("in", "x := w in [v, v]"),
    ("in, with key", "x := 1, w in [v, v]"),
    ("in a set", "x := w in {v, [v]}"),
    ("|", "x := {v} | {w}"),
    ("&", "x := {v} & {w}"),
    ("-", "x := {v} - {w}"),
    ("+", "x := v + w"),
    ("*", "x := v * w"),
    ("%", "x := v % w"),
    ("/", "x := v / w"),
    ("set", "x := {v, w}"),
    ("key", "x := {v: 1, w: 1}"),
    ("look-up", "x := {v: 1}[w]"),
    ("not", "x := [1 | not v == w]"),
    ("some", "x := count([1 | some i; v[i]])"),
    ("some in", "x := count([1 | some e in v; e == w])"),
    ("every", "x := 1; every e in v { e == w }"),
    ("array comprehension", "x := [v | some _ in [1, 2]]"),
    ("set comprehension", "x := {[i, v] | some i in [1, 2]}"),
    ("object comprehension", "x := {w: v | some _ in [1, 2]}"),
    ("with", "x := input == v with input as w"),
    ("with data", "x := data.other == v with data.other as w"),
    ("print", "print(v, w); x := 1"),
    ("answer", "x := v"),
];

/// Each function on `v` in each place, and on both where it takes two.
fn functions() -> impl Iterator<Item = (String, String)> {
    table().flat_map(|(name, operands)| {
        let call = |place: usize| {
            let operand = |at: usize| if at == place { "v" } else { filler(&name, at, operands) };
            let list: Vec<_> = (0..operands).map(operand).collect();
            (format!("{name}, operand {}", place + 1), format!("x := {name}({})", list.join(", ")))
        };
        let one: Vec<_> = (0..operands).map(call).collect();
        let both = (operands == 2).then(|| (format!("{name} of both"), format!("x := {name}(v, w)")));
        let whole = (operands == 1).then(|| (format!("{name} of several"), format!("x := {name}([v, w, v])")));
        one.into_iter().chain(both).chain(whole).collect::<Vec<_>>()
    })
}

/// What stands in the other places.
fn filler(name: &str, at: usize, operands: usize) -> &'static str {
    match (name, at) {
        ("sprintf", 0) => "\"%v %v %d\"",
        ("sprintf", 1) => "[w, w, w, w]",
        ("concat" | "io.jwt.encode_sign_raw", 0) => "\",\"",
        (_, at) if operands == 3 && at == 2 => "[w]",
        _ if name.starts_with("regex") || name.starts_with("glob") => "\"(a+)*b{1,500}\"",
        _ if name.starts_with("bits") || name.starts_with("numbers") => "1000000000",
        _ => "w",
    }
}

/// Names and numbers of operands.
fn table() -> impl Iterator<Item = (String, usize)> {
    let operators = ["assign", "eq", "internal.", "print", "trace"];
    let functions = table::all().map(|builtin| (builtin.name.to_owned(), builtin.operands.len()));
    functions.filter(move |(name, operands)| *operands > 0 && !operators.iter().any(|operator| name.starts_with(operator)))
}
