package t

import rego.v1

p(x) := x > 1

test_ok if p(2)

test_bad if {
	trace("begin")
	some x in [1, 2]
	print("x", x)
	not p(x)
	x == 2
}

test_cases[name] if {
	some name, x in {"one": 1, "two": 2}
	p(x)
}
