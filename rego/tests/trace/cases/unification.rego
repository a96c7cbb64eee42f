# query: data.u
# input: {"p": [1, [2, {"k": 3}]]}
# explain: full
# raw: true
package u

a := [x, y, z] if [x, [y, {"k": z}]] = input.p

b if {
	[x, 2] = [1, y]
	x = 1
	y = 2
	{"a": q, "b": [q]} = {"a": 5, "b": [5]}
	[p, p] = [1, r]
	r = 1
}

c if [1, 2] = [1, 3]

d if {"a": 1, input.p[0]: 2} = {"b": 1, "a": 1}

e if {1, 2} = {2, 1}

f[x] := y if { o = {"a": 1, "b": {"c": 2}}; o[x] = y }

g contains x if { [x, _] = input.p }
