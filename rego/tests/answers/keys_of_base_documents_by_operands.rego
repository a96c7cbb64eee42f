# input: none
# data: {"first":{"a":1},"second":{"b":2}}
# strict
# indexed
# data.s: {"answer":2,"others":3}

package s

f(x) := 1 if {
	to_number("a") > 0
	data.first[x]
}

f(x) := 2 if {
	data.second[x]
}

answer := f("b")

g(x, y) := 1 if {
	to_number("a") > 0
	data.first[y]
}

g(x, y) := x if {
	data.second[y]
}

others := g(3, "b")
