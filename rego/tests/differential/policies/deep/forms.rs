//! What the rules of the deep package have in common: what they read, and how it is written.

use super::targets;

/// Forms by name, as those of the other packages are.
pub(in super::super) const FORMS: &[(&str, &[&str])] = &[
    ("item", ITEMS),
    ("one", ONES),
    ("member", MEMBERS),
    ("step", STEPS),
    ("seen", SEEN),
    ("held", HELD),
    ("through", THROUGH),
    ("asks", ASKS),
    ("called", CALLED),
    ("entry", super::base::ENTRIES),
    ("key", &["\"b\"", "\"s\"", "\"list\"", "input.tree.key", "\"new\"", "\"1\"", "input.tree.at"]),
    ("replaced", targets::REPLACED),
    ("base", targets::BASE),
];

/// Constants.
const ITEMS: &[&str] = &[
    "\"prod\"",
    "\"b\"",
    "2",
    "1.0",
    "-0",
    "true",
    "false",
    "null",
    "input.tree.k",
    "[1, \"b\"]",
    "{\"b\": {\"c\": 2.0}}",
    "{\"k\": input.tree.k}",
    "{1, \"b\"}",
    "[z# | <through z#>]",
];

/// One, as it can be written.
const ONES: &[&str] = &["1", "1.0", "1e0", "10E-1"];

/// What is a member or a key. Two that differ have two hashes in OPA, where objects lose keys otherwise, and one is written in several ways.
const MEMBERS: &[&str] = &[
    "\"a\"",
    "<one>",
    "<one>",
    "\"b\"",
    "\"1\"",
    "2",
    "2.0",
    "0",
    "-0",
    "0.0",
    "12345678901234567890",
    "12345678901234567890.0",
    "[5, \"a\"]",
    "[5.0, \"a\"]",
    "[5e0, \"a\"]",
    "{70}",
    "{7e1}",
    "{\"m\", 40}",
    "{\"k\": <one>}",
    "[{60}, \"z\"]",
    "{[50, 6.0]}",
    "{[50, 6]}",
];

/// What a path of `walk` has, as an index is written: `[[1e0], v]` finds no item in OPA, and `[[1.0], v]` shows a member of a set as it is
/// asked for.
const STEPS: &[&str] = &["1", "0", "2", "-0", "\"k\"", "\"1\"", "\"a\"", "\"list\"", "{70}", "[5, \"a\"]", "input.tree.at"];

/// What is read; most are there.
const SEEN: &[&str] = &[
    "data.base.a",
    "data.base",
    "data.base.a.b",
    "data.base.a.b.c",
    "data.base.a.b.d.e",
    "data.base.a.s",
    "data[\"base\"].a[\"b\"]",
    "base",
    "base.a",
    "data.other",
    "data.base.list",
    "data.base.list[0]",
    "data.base.obj",
    "data.base[<key>]",
    "data.base.a[<key>]",
    "object.get(data.base.a, [\"b\", \"c\"], \"none\")",
    "object.get(data.base, <key>, \"none\")",
    "object.keys(data.base.a)",
    "count(data.base.a.b)",
    "json.marshal(data.base.a)",
    "input.tree",
    "input.tree.k",
    "input.tree.list[1]",
    "input.tree[<key>]",
    "read",
    "read_deep",
    "all",
    "given",
    "keys",
    "by_key",
    "by_key.b",
    "data.deep.by_key[<key>]",
    "pick(<item>)",
    "data.deep.pick(2)",
    "of_base(<key>)",
    "under_input",
    "under_base",
    "under_function(<item>)",
    "under_all(<item>)",
    "level(count(data.base.a))",
    "count(keys)",
    "data.place.allowed",
    "data.lib.fleet.ready",
    "data.lib.fleet.tier(input)",
    "{k#: v# | some k#, v# in data.base.a}",
    "{v# | some v# in by_key}",
];

/// What is there always.
const HELD: &[&str] = &[
    "[z# | z# := <seen>]",
    "[z# | some z# in [<seen>, <seen>]]",
    "{z# | <through z#>}",
    "[z# | <through z#>; <asks z#>]",
    "[z# | z# := <called>]",
    "given",
    "all",
    "keys",
    "by_key",
];

/// What binds `@`.
const THROUGH: &[&str] = &[
    "some @ in [1, \"b\"]",
    "some @, _ in data.base.a",
    "some _, @ in data.base.a",
    "@ := data.base.a[_]",
    "data.base[@]",
    "data.base[_] = @",
    "data.base.a[@].c",
    "data.base[_][@]",
    "data.base.list[@]",
    "some @ in data.base.list",
    "data.base.list[_][@]",
    "data.base.obj[@]",
    "@ := data.base[<key>][_]",
    "walk(data.base.a, [@, _])",
    "walk(data.base, [_, @])",
    "walk(data.base, [[_, @], _])",
    "some @ in keys",
    "keys[@]",
    "by_key[@]",
    "some @ in by_key",
    "@ := input.tree[_]",
    "input.tree.o[@]",
    "some [@, _] in [[<item>, 1], [<item>, 2]]",
    "some @ in [<item>, <item>]",
    "@ := <called>",
    "@ := <seen>",
];

/// What asks for `@`.
const ASKS: &[&str] = &[
    "@ != 5",
    "not keys[@]",
    "not data.base.a[@]",
    "not @ in [\"b\", 1]",
    "@ != <item>",
    "not data.base.obj[@]",
    "not of_base(@)",
    "not @ in data.base.list",
    "not input.tree.o[@]",
    "not @ == read_deep",
    "every y# in [1, \"s\"] { y# != @ }",
    "not pick(@)[0] == <item>",
];

/// Calls that can be replaced.
const CALLED: &[&str] = &[
    "pick(<item>)",
    "first_of([<item>, 1])",
    "count(data.base.a)",
    "count([<item>])",
    "upper(\"b\")",
    "first_of(pick(<item>))",
    "concat(\"-\", [\"x\", \"y\"])",
    "of_base(\"b\")",
    "under_function(<item>)",
    "max([1, 1.0, 2])",
    "is_string(input.tree.k)",
    "level(<item>)",
];
