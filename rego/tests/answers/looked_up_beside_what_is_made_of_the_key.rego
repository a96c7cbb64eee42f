# input: {"a": [1, 2], "c": [1, 1, 2, 2], "xs": [[1, 7], [2, 7]], "d": [[1], [2]]}
# data.s: {"counts":[[[2,"1"]],[[1,"2"]]],"heads":[{"5":2},{"5":2},{"6":2},{"6":2}],"in_order":[[[0,0],[0,1],[1,0],[1,1]],[[0,2],[0,3],[1,2],[1,3]]],"last_values":[{"1":2},{"1":2}],"negated":[["1"],["2"]],"of_sets":[[],[]],"q":{"1":["1"],"2":["2"]},"sets":[[1],[2]],"texts":[["1"],["2"]]}
# indexed
package s

import rego.v1

# Comprehensions that are looked up are solved without the variables in front of them. What is made of these variables before they have
# values there keeps a comprehension from it, but not from what it would be: in their order, and of several values of a key the last one.

q[z] contains y if {
	some z in input.a
	y := sprintf("%d", [z])
}

texts := [xs | some b in input.a; xs := [k | k := sprintf("%d", [b]); q[b][k]]]

counts := [xs | some b in input.a; xs := [[n, k] | n := count([1 | some x in input.a; x >= b]); some k in q[b]]]

negated := [xs | some b in input.a; xs := [k | not missing(b); some k in q[b]]]

missing(b) if not q[b]

sets contains {y} if some y in input.a

of_sets := [xs | some b in input.a; xs := [j | m := {b}; input.c[j] = b; sets[m]]]

in_order := [xs | some b in input.a; xs := [[i, j] | m := [b, 7]; m[i]; input.c[j] = b; input.xs[_] = m; input.a[i]]]

last_values := [o | some b in input.a; o := {1: v | m := [b]; some v in input.a; t := [w | input.a[w] = v]; input.a[_] = b; input.d[_] = m}]

heads := [o | some b in [5, 6]; some c in ["a", 1]; o := {b: v | c = ["a", 1][_]; some v in [1, 2]}]
