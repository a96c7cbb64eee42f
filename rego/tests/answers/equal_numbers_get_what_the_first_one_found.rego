# input: {"t":true,"xs":[4,"b"]}
# data.s: {"r1":1,"r2":2,"r3":{"a":[3]},"r4":[4],"r5":[["a",5.0]],"r6":[6.0,6.0],"ruled":true,"zs":{"4":[4],"b":["b"]}}

package s

# After `id(10e-1)`, `id(1)` answers `10e-1`. But whoever calls `calls` goes on with its first value before the second definition is
# evaluated, so that `id(1)` is called first here, and answers `1`.

id(x) := x

calls(x) := y if y := x

calls(x) := y if {
	y := x
	id(10e-1)
}

r1 := v if {
	calls("a")
	v := id(1)
}

ruled := y if y := input.t

ruled := y if {
	y := input.t
	id(2.0)
}

r2 := v if {
	ruled
	v := id(2)
}

inside(x) := y if y := x

inside(x) := y if {
	y := x
	id({"a": [30e-1]})
}

r3 := v if {
	inside("a")
	v := id({"a": [3]})
}

zs[x] := y if {
	some x in input.xs
	y := {x}
}

asks(x) := y if y := x

asks(x) := y if {
	y := x
	zs[4.0]
}

r4 := v if {
	asks("a")
	v := zs[4]
}

twice(x) := y if y := x

twice(x) := y if {
	y := x
	id([x, 5.0])
}

r5 := [v | twice("a"); v := id(["a", 5.0])]

r6 := [v | every x in [1] { calls(x) }; some v in [id(6.0), id(6)]]
