# input: {"a": "x", "n": 1, "go": true}
# data.s: {"a_whole":{"w":{"y":1},"x":{"n":1,"tags":["one","two"]},"y":{"n":7},"z":{"n":1}},"b_at_key":2,"c_at_keys":"n","composite":{"[\"x\",1]":1,"[\"x\",2]":2},"d_of_pattern":[["x",2],["y",7],["z",2]],"deep":{"p":{"q":{"r":{"s":["q","s"],"u":["q","u"]}},"t":{"r":{"s":["t","s"],"u":["t","u"]}}}},"e_missing":true,"f_set_below":true,"g_set_below":["one","two"],"h_twice":[1,1,{"n":7}],"i_then_whole":[1,4,1],"j_under_with":[1,5,1],"k_number_keys":[1,1,1],"l_number_keys_whole":[{"1.0":1.0,"2":2},1.0],"m_composite":[1,1],"n_composite_at":[1,2],"none":[],"none_at":{},"numbered":{"1.0":1.0,"2":2},"o_empty":[],"p_empty":{},"q_nested":["q","s"],"r_nested":{"q":{"r":{"s":["q","s"],"u":["q","u"]}},"t":{"r":{"s":["t","s"],"u":["t","u"]}}},"rows":{"w":{"x":1},"x":{"n":1,"tags":["one","two"]},"y":{"n":7},"z":{"n":1}},"s_nested":["q","t"]}
package s

import rego.v1

# Documents that several rules make together: whole, below keys, and under `with`.

a_whole := z if z := rows with input.a as "y"

b_at_key := z if z := rows.x.n with input.n as 2

c_at_keys := z if z := rows[input.a][input.n] with input.n as "n"

d_of_pattern := z if z := [[x, y] | y := rows[x].n] with input.n as 2

e_missing if not rows.none

f_set_below if rows.x.tags.one

g_set_below := [x | some x in rows.x.tags] 

h_twice := [rows.x.n, rows.x.n, rows.y] 

i_then_whole := [x, y, z] if {
	x := rows.x.n
	y := count(rows)
	z := rows.x.n
}

j_under_with := [x, y, z] if {
	x := rows.x.n
	y := rows.x.n with input.n as 5
	z := rows.x.n
}

k_number_keys := [numbered[1], numbered[1.0], numbered[input.n]]

l_number_keys_whole := z if z := [numbered, numbered[1.0]]

m_composite := [composite[["x", 1]], composite[[input.a, input.n]]]

n_composite_at := [x | composite[["x", x]]]

o_empty := [x | some x in none]

p_empty := none_at

q_nested := deep.p.q.r.s

r_nested := deep.p

s_nested := [x | deep.p[x].r]

rows.x.n := input.n

rows.x.tags contains "one" if input.go

rows.x.tags contains "two"

rows[k].n := v if {
	some k, v in {"y": 7, "z": input.n}
}

rows.w[input.a] := 1 if input.go

numbered[k] := k if some k in [1.0, 2]

composite[[k, v]] := v if {
	k := input.a
	some v in [1, 2]
}

none contains x if some x in input.none

none_at[x] := 1 if some x in input.none

deep.p[k].r[l] := [k, l] if {
	some k in ["q", "t"]
	some l in ["s", "u"]
}
