# input: {"x": "a", "n": 1}
# data.s: {"a_a":[1,1,3],"a_b":[1,4,5],"a_c":["b","x"],"a_d":["u"],"a_e":["u"],"a_f":[1,2],"a_g":["o"],"a_i":[],"a_j":[1,2],"a_m":[1,[1]],"a_o":true,"a_q":[3],"members":["a",["a",1],["a",2],["a","b",1],["d",[1,2]],["d",[2,3]],{"a":1},{"a":1,"b":1},{"a":[1]},{"b":1},["a"]],"rows":{"a":{"1":6,"[\"u\",1]":2,"[\"u\",2]":2,"b":{"v":1},"x":{"v":1},"{\"k\":\"o\"}":{"v":3}},"b":{"b":{"v":4}},"c":{"x":{"1":2}},"d":{"b":{"v":5}}}}
# prints: ["a.k.v x","a.[k, 1] u","a.[u, k] 2","a.{k}.v o","a.1","a.b.v","k.b.v d","a.k.v x","a.[k, 1] u","a.[u, k] 2","a.{k}.v o","a.1","a.b.v","b.b.v","c.k x","[a, x] 1","[a, x] 2","{a: x} 1","{a: [x]} 1","[d, [1, 2]]","[d, [2, x]] 3","[a, x] 1","[a, x] 2","[d, [1, 2]]","[d, [2, x]] 3","{a: x} 1","[a, b, x] 1","{a: 1, b: x} 1","{b: x} 1","{a: [x]} 1","a set","text"]
package s

import rego.v1

# Of rules at keys, those are evaluated whose heads can be what is asked for, key by key; a variable in front asks all of them.

a_a := [x | x := rows["a"][_].v]

a_b := [x | rows[_].b.v = x]

a_c := [k | rows.a[k].v == 1]

a_d := [x | rows[input.x][[x, 1]]]

a_e := [x | rows.a[[x, input.n]]]

a_f := [k | rows.a[["u", k]]]

a_g := [k | rows.a[{"k": k}].v]

a_i := [x | rows.c[x][input.n]]

a_j := [x | members[["a", x]]]

a_m := [x | members[{"a": x}]]

a_o if members[["d", [1, _]]]

a_q := [x | members[["d", [2, x]]]]

rows.a.b.v := 1 if print("a.b.v")

rows.a[k].v := 1 if {
	k := "x"
	print("a.k.v", k)
}

rows.a[[k, 1]] := 2 if {
	k := "u"
	print("a.[k, 1]", k)
}

rows.a[["u", k]] := 2 if {
	k := 2
	print("a.[u, k]", k)
}

rows.a[{"k": k}].v := 3 if {
	k := "o"
	print("a.{k}.v", k)
}

rows.b.b.v := 4 if print("b.b.v")

rows.c[k] := {"1": 2} if {
	k := "x"
	print("c.k", k)
}

rows[k].b.v := 5 if {
	k := "d"
	print("k.b.v", k)
}

rows["a"][1] := 6 if print("a.1")

members contains ["a", x] if {
	some x in [1, 2]
	print("[a, x]", x)
}

members contains ["d", [1, 2]] if print("[d, [1, 2]]")

members contains ["d", [2, x]] if {
	x := 3
	print("[d, [2, x]]", x)
}

members contains {"a": x} if {
	x := 1
	print("{a: x}", x)
}

members contains ["a", "b", x] if {
	x := 1
	print("[a, b, x]", x)
}

members contains {"a": 1, "b": x} if {
	x := 1
	print("{a: 1, b: x}", x)
}

members contains {"b": x} if {
	x := 1
	print("{b: x}", x)
}

members contains {"a": [x]} if {
	x := 1
	print("{a: [x]}", x)
}

members contains {"a"} if print("a set")

members contains "a" if print("text")
