//! What both modules have, and their rules read and replace.

/// What the first module has.
pub(super) const FIRST: &[&str] = &[
    "read := data.base.a",
    "read_deep := data.base.a.b.c",
    "all := [data.base, data.other]",
    "given := [input.tree, read]",
    "pick(x) := [x, given]",
    "of_base(x) := base.a[x]",
    "first_of(xs) := xs[0]",
    "mock(_) := \"mocked\"",
    "mock_of(x) := {\"mock\": x, \"tree\": input.tree}",
    "mock_of_two(x, y) := [y, x]",
    "keys contains k if { some k, _ in data.base.a }",
    "by_key[k] := v if { some k, v in data.base.a }",
    "under_input := x if { x := given with input.tree.k as \"under\" }",
    "under_base := x if { x := all with data.base.a.b as {\"u\": 1} }",
    "under_function(y) := x if { x := pick(y) with pick as mock_of }",
    "under_all(y) := x if { x := [z | some z in [given, read_deep, by_key, pick(y)]] with input.tree as {\"k\": y} with data.base.a.b.c as y }",
    "level(n) := \"high\" if { n > 2 } else := \"low\" if { n < 2 } else := \"middle\"",
];

/// What the second module has: `base` is another document than in the first.
pub(super) const SECOND: &[&str] = &[
    "of_base(x) := [base[x]] if { not data.base.a[x] }",
    "keys contains k if { some k, _ in base }",
    "by_key[k] := [v] if { some k, v in data.base.more }",
    "by_key[k] := \"chosen\" if { k := input.tree.key; not data.base.a[k]; not data.base.more[k] }",
];
