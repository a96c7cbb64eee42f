# input: {"zero":0}
# data: {"s":{"base":"b","sub":{"x":"b"},"deep":{"k":{"x":"b"}}},"t":{"x":"b"}}
# data.s: {"base":"b","deep":{"k":{"x":"b"},"l":1},"g":2,"p":2,"q":2,"r":2,"sub":{"x":"b"}}
# strict
# indexed
package s

import rego.v1

# Base documents beside rules are no rules: definitions are looked up by them, and those that do not fit are not tried.

p := 1 if {
	1 / input.zero
	data.s.base == "a"
}

p := 2 if data.s.base == "b"

q := 1 if {
	1 / input.zero
	data.s.sub.x == "a"
}

q := 2 if data.s.sub.x == "b"

r := 1 if {
	1 / input.zero
	data.s.deep.k.x == "a"
}

r := 2 if data.s.deep.k.x == "b"

deep.l := 1

of_nothing := 1 if {
	1 / input.zero
	data.s.nothing.x == "a"
}

below_what_has_rules := 1 if {
	1 / input.zero
	data.s.deep.m.x == "a"
}

outside := 1 if {
	1 / input.zero
	data.t.x == "a"
}

f(_) := 1 if {
	1 / input.zero
	data.s.base == "a"
}

f(_) := 2 if data.s.base == "b"

g := f(1)
