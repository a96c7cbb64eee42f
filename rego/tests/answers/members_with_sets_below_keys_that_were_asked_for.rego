# input: {"a": [1, 2]}
# data.s: {"a":[1],"b":[1],"c":[],"d":[1],"deep":{"1":{"3":[[4]],"4":[[5]],"5":[6]},"2":{"3":[[5]],"4":[[6]],"5":[7]}},"e":[1],"f":[[1,3],[2,3],[1,3],[2,3]],"g":[1],"h":[],"i":[],"j":[1],"k":[1,1],"l":[7,8],"m":[7,8,7,8,7,8,7,8],"n":[3,3,3],"o":[3],"p":{"1":[[3]],"2":[[3]]},"q":{"1":[[3]],"2":[[3]]},"r":{"1":{"a":[[3]]},"2":{"a":[[3]]}},"t":{"1":[[1,3],[2,3],[1,3],[2,3]],"2":[[1,3],[2,3],[1,3],[2,3]]},"u":{"1":{"1":[[3]],"2":[[3]]},"2":{"1":[[3]],"2":[[3]]}},"w":{"1":[[7,[3]],[7,[4]],[8,[3]],[8,[4]]],"2":[[7,[3]],[7,[4]],[8,[3]],[8,[4]]]}}
package s

import rego.v1

# What was asked for by fewer keys holds all that lies below them: there a member is found by its value, sets with variables in it or not.
# What was asked for by a pattern behind the keys is not all of it.

p[x] contains {y} if {
	some x in input.a
	some y in [3]
}

a := [1 | some v in p[1]; p[1][v]]

b := [1 | some v in p[2]; p[2][{3}]]

q[x] contains {y} if {
	some x in input.a
	some y in [3]
}

c := [1 | k := 1; {3} in q[k]; not q[1][{3}]]

d := [1 | q[2]; q[2][{3}]]

r[x].a contains {y} if {
	some x in input.a
	some y in [3]
}

e := [1 | r[1]; r[1].a[{3}]]

t[x] contains [a, 3] if {
	some x in input.a
	some a in [1, 2]
}

t[x] contains {a, 3} if {
	some x in input.a
	some a in [1, 2]
}

f := [v | t[1][[1, _]]; some v in t[1]]

g := [1 | t[2][[1, v]]; t[2][[2, 3]]]

h := [1 | t[2][[1, _]]; t[2][{1, 3}]]

u[x][y] contains {z} if {
	some x in input.a
	some y in input.a
	some z in [3]
}

i := [1 | u[1][_][{3}]; u[1][2][{3}]]

j := [1 | u[2][1]; u[2][1][{3}]]

k := [1 | u[2][_]; u[2][2][{3}]]

w[x] contains [z, {y}] if {
	some x in input.a
	some y in [3, 4]
	some z in [7, 8]
}

l := [v | w[1]; w[1][[v, {3}]]]

m := [v | some x in w[2]; w[2][[v, {3}]]]

deep[z][y] contains {v} if {
	some z in input.a
	some y in [3, 4]
	v := z + y
}

deep[z][y] contains v if {
	some z in input.a
	some y in [5]
	v := z + y
}

n := [v | deep[1][_]; deep[1][v][{4}]]

o := [v | deep[2][v][{5}]]
