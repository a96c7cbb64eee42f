# input: {"x":[1]}
# data.s: {"any":[],"assigned":[],"by_value":true,"gone_through":[],"keys":[],"known":[1,2],"p":[[1,[1]],[2,[2]]],"pattern":[1],"q":[[1,[1]],[2,[2]]],"r":[[1,[1]],[2,[2]]],"t":[{"1":1},{"2":1}]}
package s

import rego.v1

# Nothing is taken out of a set, or out of the keys of an object, where a member is asked for by a pattern: unless all members are known before.

p contains [y, {y}] if some y in [1, 2]

q contains [y, {y}] if some y in [1, 2]

r contains [y, {x}] if {
	some y in [1, 2]
	x := y
}

t contains {y: 1} if some y in [1, 2]

pattern := [w | p[[w, {1}]]]

any := [1 | p[[_, {1}]]]

gone_through := [w | some b in input.x; q[[w, {b}]]]

known := [w | q[[w, _]]]

assigned := [w | r[[w, {1}]]]

keys := [w | t[{1: w}]]

by_value if q[[1, {1}]]
