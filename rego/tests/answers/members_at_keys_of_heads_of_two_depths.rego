# input: none
# data.s: {"answers":[1,1,1,{"z":1}],"p":{},"q":{}}

package s

# What is asked for at as many keys as the longest head has is not made with all that is beside it: there would be two values at `c`.

p[x] := y if {
	input.on
	x := "k"
	y := {"z": 1}
}

p[x][y] := v if {
	input.on
	x := "a"
	some [y, v] in [["b", 1], ["c", 2], ["c", 3]]
}

q[x][y] := v if {
	input.on
	x := "a"
	some [y, v] in [["b", 1], ["c", 2], ["c", 3]]
}

q[x] := y if {
	input.on
	x := "k"
	y := {"z": 1}
}

answers := x if x := [p.a.b, q.a.b, p.k.z, q.k] with input.on as true
