# input: {"set": [1.0, 2], "x": 1, "k": "b", "rows": [{"n": "a", "v": 1}, {"n": "b", "v": 2}, {"n": "a", "v": 3}, {"n": "c"}, {"n": 1, "v": 4}, {"v": 5}, [1], {"n": "a", "v": false}, {"n": "a", "v": {"n": "a"}}], "names": ["a", "b", "a", "none", 1]}
# data: {"base": {"b": {"l": [1, [2, 3]]}, "c": {"l": []}, "d": 1}}
# data.s: {"a_each":[1,{"a":1,"b":[1,{"c":1}]},[1,[1]]],"b_keys":[0,1,2],"c_deep":[[1,"a"],[1,"b"],[2,1],[2,[1]]],"d_deeper":[[1,"b",0],[1,"b",1],[2,[1],0]],"e_key_between":[1,2],"f_key_behind":{"m":3},"g_pattern":["m"],"h_member_of_a_set":[[1]],"i_known":true,"i_known_one":[1.0],"l_undefined_key":[],"m_no_collection":[],"n_text":[],"o_false":[false,null,0],"q_false":true,"r_base":[["b",0,1],["b",1,[2,3]]],"s_base_pattern":["b"],"t_base_key":2,"u_rows":[["a",1],["a",3],["a",false],["a",{"n":"a"}],["b",2],["a",1],["a",3],["a",false],["a",{"n":"a"}],[1,4]],"v_rows_again":[["a",0],["a",2],["a",8],["b",1],["a",0],["a",2],["a",8],[1,4]],"w_rows_at":[["a","a"],["a","a"]],"x_every":true,"y_some_key":["b","c"],"y_some_pattern":[[0,2],[2,4]],"z_enough":true}
package s

import rego.v1

# What is made on the way, and what is there, is gone through alike: by keys, by patterns, by members that are known.

made(x) := [x, {"a": x, "b": [x, {"c": x}]}, {x, [x]}]

made_object(x) := {"k": {"l": x}, "m": {"l": 2, "n": {x: 3}}}

a_each := [x | some x in made(1)]

b_keys := [k | made(1)[k]]

c_deep := [[i, j] | made(1)[i][j]]

d_deeper := [[i, j, k] | some i, j, k; made(1)[i][j][k]]

e_key_between := [x | x := made_object(1)[_].l]

f_key_behind := {k: x | x := made_object(1)[k].n[1]}

g_pattern := [x | made_object(7)[x].l = 2]

h_member_of_a_set := [x | x := made(1)[2][[1]]]

i_known if {
	x := input.x
	made(1)[2][x]
}

i_known_one := [y | some y in {z | some z in input.set}; y == input.x]

k_not_in_the_set if {
	some 3 in {z | some z in input.set}
}

l_undefined_key := [x | x := made_object(1)[input.none].l]

m_no_collection := [x | x := made_object(1).k.l[_]]

n_text := [x | x := json.unmarshal(sprintf("%q", ["t"]))[_]]

o_false := [x | x := [false, null, 0][_]]

p_false if [false, false][_]

q_false if [false, null][_]

r_base := [[k, i, x] | x := data.base[k].l[i]]

s_base_pattern := [x | data.base[x].l[1][_] = 3]

t_base_key := data.base[input.k].l[1][0]

u_rows := [[x, row.v] | some x in input.names; some row in input.rows; row.n == x]

v_rows_again := [[x, i] | some x in input.names; some i, row in input.rows; row.n == x; row.v]

w_rows_at := [[x, y] | some x in input.names; some row in input.rows; row.v.n == x; y := row.n]

x_every if every k, v in made_object(1) { v.l; k != "z" }

x_every_not if every v in made(1)[2] { v == 1 }

y_some_key := [k | some k, 2 in {"a": 1, "b": 2, "c": 2}]

y_some_pattern := [[k, v] | some k, [1, v] in [[1, 2], [2, 3], [1, 4]]]

z_enough if {
	some x in [1, 2, 3]
	x > 1
}
