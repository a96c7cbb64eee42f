# input: {"ms": [{"k": 1, "on": true, "t": [1]}, {"k": 2, "on": false, "t": []}, {"k": 1, "on": true, "t": [1]}], "om": {"x": {"on": true}, "y": {"on": true}, "z": {"on": false}}, "xs": [[1, 1], [1, 2], [2, 1]], "c": [1, 2], "oo": [{"p": 1}], "s": ["p", "q"], "m": {"a": {"b": 1}, "b": {"a": 2}}}
# data.s: {"as_key":[[0,2],[1],[0,2]],"below":[[0,2],[1],[0,2]],"compared":[[0,2],[],[0,2]],"every_of":[[0,2],[1],[0,2]],"in_array":[[0,2],[],[0,2]],"key_of_object":[[0],[]],"keys":{"x":[],"y":[],"z":[]},"members":{"x":["x","y"],"y":["x","y"],"z":[]},"nested":[[0],[1],[]],"none":{"a":[],"b":[],"c":[]},"o":{"1":5,"2":5},"of_function":[{"0":1,"2":1},{},{"0":1,"2":1}],"of_itself":[[0],[],[]],"same":{"p":[0],"q":[]},"taken_apart":[[0],[1],[2]]}
package s

import rego.v1

# A comprehension that is looked up is solved without the variables in front of it. What its body says of them before it binds them has no
# answer then; so nothing is found, and it is solved again where it stands.

below := [ys | some b in input.ms; ys := [j | b.k; input.ms[j] = b]]

compared := [ys | some b in input.ms; ys := [j | b.k == 1; input.ms[j] = b]]

members := {k: ys | some k, e in input.om; ys := [i | e.on; some i, x in input.om; x == e]}

of_function := [f(b) | some b in input.ms]

f(b) := ys if ys := {j: b.k | b["on"]; input.ms[j] == b}

in_array := [ys | some b in input.ms; ys := [j | [b.k] = [1]; input.ms[j] = b]]

as_key := [ys | some b in input.ms; ys := {j | o[b.k] = 5; input.ms[j] = b}]

o[x] := 5 if some x in [1, 2]

taken_apart := [ys | some b in input.xs; ys := [j | x := b[0]; input.xs[j] = b; input.c[_] = x]]

of_itself := [ys | some b in input.xs; ys := [j | b[0] == b[1]; input.xs[j] = b]]

key_of_object := [ys | some b in input.s; ys := [j | {b: 1} = input.oo[0]; input.s[j] = b]]

nested := [ys | some b in input.xs; ys := [j | t := [e | some e in b]; input.xs[j] = b; t[0] == 1]]

every_of := [ys | some b in input.ms; ys := [j | every x in b.t { x > 0 }; input.ms[j] = b]]

# Found, or told that there is none.
keys := {k: ys | some k, _ in input.om; ys := {i | input.m[k][i] > 1}}

none := {k: ys | some k in ["a", "b", "c"]; ys := [v | some i; input.m[i][k] = v; not input.m[k][i]]}

same := {k: ys | some k in input.s; ys := [j | some j, x in input.s; x == k; x != "q"]}
