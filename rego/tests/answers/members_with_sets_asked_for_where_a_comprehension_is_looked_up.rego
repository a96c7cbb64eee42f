# input: {"a":[1,2]}
# data.s: {"a":[[[1,[1]]],[[2,[2]]]],"b":[[[1]],[[2]]],"c":[{"[1,[1]]":1},{"[2,[2]]":2}],"d":[[1],[1]],"e":[1,2],"f":[["1"],["2"]],"g":[[[2,"1"]],[[1,"2"]]],"h":[["1"],["2"]],"p":{"1":[[1,[1]],[1,[2]]],"2":[[2,[1]],[2,[2]]]},"q":{"1":["1"],"2":["2"]}}
# indexed
package s

import rego.v1

# Comprehensions that are looked up are solved without the variables in front of them: what is made of these is compared once they have values.

p[z] contains [z, {y}] if {
	some z in input.a
	some y in [1, 2]
}

a := [xs | some b in input.a; xs := [m | m := [b, {b}]; p[b][m]]]

b := [xs | some b in input.a; xs := {m | m := {b}; p[b][[b, m]]}]

c := [xs | some b in input.a; xs := {m: k | m := [b, {b}]; p[b][m]; k := b}]

d := [xs | some b in input.a; xs := [1 | p[b][[b, {b}]]]]

e := [b | some b in input.a; m := [b, {b}]; p[b][m]]

q[z] contains y if {
	some z in input.a
	y := sprintf("%d", [z])
}

f := [xs | some b in input.a; xs := [k | k := sprintf("%d", [b]); q[b][k]]]

g := [xs | some b in input.a; xs := [[n, k] | n := count([1 | some x in input.a; x >= b]); some k in q[b]]]

h := [xs | some b in input.a; xs := [k | not missing(b); some k in q[b]]]

missing(b) if not q[b]
