# input: {"k":1,"o":{"a":[1,2]}}
# data: {"l":[{"a":0},{"a":1},{"a":5}],"m":{"1":1,"x":2}}
# data.s: {"answered":[3,4],"below":[["a",5],["a",6]],"bound":[1,2,"x"],"by_others":[[2,2]],"by_reference":[1],"compared":[1,2,"x"],"filtered":[0,1],"keyed":[[1,1],[2,2],["x","x"]],"known":[1],"literal":[1,2],"made":[7,8],"nested":{"a":[5,6]},"of_lists":[0,2],"of_objects":["a"],"one_name":[1,2,"x"],"q":[1,2,"x"],"replaced":[9],"ruled":[7,8],"turned":[1,2,"x"],"wrapped":[1,2]}
package s

q := {1, 2, "x"}

f(_) := {3, 4}

nested := {"a": {5, 6}}

made contains x if some x in [7, 8]

# A member of a set is its own key: it is known what it must be only where the key is.
bound := [x | q[x] = x]

compared := [x | q[x] == x]

turned := [x | x = q[x]]

literal := [x | {1, 2}[x] = x]

answered := [x | f(3)[x] = x]

below := [[k, x] | nested[k][x] = x]

ruled := [x | made[x] = x]

wrapped := [x | {[1], [2]}[[x]] = [x]]

one_name := [z | some z, z in q]

replaced := found if found := [x | q[x] = x] with data.s.q as {9}

by_reference := [x | {1, 2}[x] = data.l[x].a]

by_others := [[x, y] | q[x] = y; y == 2]

known := [x | some k in [1, 3]; q[x] = k]

of_lists := [x | [0, 2, 2][x] = x]

of_objects := [x | {"a": "a", "b": "c"}[x] = x]

filtered := [x | data.l[x].a == x]

keyed := [[k, v] | some k, v in q; v == k]
